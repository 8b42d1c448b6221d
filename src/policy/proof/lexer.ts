/**
 * The text between commands: blanks, comments, reserved words, and here-documents, whose bodies start on the next line.
 */

import { reason } from '../../protocol/reason/reason.js'
import { checkText, isDelimiter, match } from './read-word.js'
import type { Redirection } from './syntax.js'
import { refuse } from './unproven.js'

const RESERVED = new Set(
  'if then elif else fi for in do done while until case esac select function coproc time { } ! [[ ]]'.split(
    ' ',
  ),
)

interface Document {
  start: number
  delimiter: string
  isQuoted: boolean
  hasTabs: boolean
}

export class Lexer {
  readonly text: string
  at = 0
  #documents: Document[] = []

  constructor(text: string) {
    this.text = text
  }

  /** Whether a here-document was announced whose body has not started. */
  protected get hasOpenDocument(): boolean {
    return this.#documents.length > 0
  }

  /** Announces a here-document, whose body starts on the next line. */
  protected hereDocument(hasTabs: boolean): Redirection {
    this.skipBlanks()
    const raw = match(DELIMITER, this.text, this.at)
    if (raw === null || !isDelimiter(this.text[this.at + raw.length]))
      return refuse(reason('proof.here-document'), this.at)
    const start = this.at
    this.at += raw.length
    const delimiter = raw.replaceAll(/['"\\]/g, '')
    this.#documents.push({
      start,
      delimiter,
      isQuoted: delimiter !== raw,
      hasTabs,
    })
    return { kind: 'text', word: null }
  }

  /** The bodies of the here-documents that were announced on the line that ends here. */
  #newline(): void {
    const waiting = this.#documents
    // With a line break inside quotes, the start of the body is ambiguous.
    if (this.text.slice(waiting[0]?.start ?? this.at, this.at).includes('\n'))
      refuse(reason('proof.here-document'), this.at)
    this.at++
    this.#documents = []
    for (const { start, delimiter, isQuoted, hasTabs } of waiting) {
      for (;;) {
        if (this.at >= this.text.length) refuse(reason('proof.here-document'), start)
        const end = this.text.indexOf('\n', this.at)
        const line = this.text.slice(this.at, end < 0 ? undefined : end)
        const { at } = this
        this.at = end < 0 ? this.text.length : end + 1
        const text = hasTabs ? line.replace(/^\t+/, '') : line
        if (text === delimiter) break
        // Inside `$(…)`, bash takes this as the end if a parenthesis follows.
        if (text.startsWith(delimiter)) refuse(reason('proof.here-document'), at)
        checkText(line, at)
        if (!isQuoted && /[$`\\]/.test(line)) refuse(reason('proof.here-document'), at)
      }
    }
  }

  protected skipBlanks(): void {
    for (;;) {
      const character = this.text[this.at]
      if (character === ' ' || character === '\t') this.at++
      else if (character === '\\' && this.text[this.at + 1] === '\n' && isDelimiter(this.text[this.at - 1]))
        this.at += 2
      else break
    }
    if (this.text[this.at] === '#' && isDelimiter(this.text[this.at - 1])) this.#comment()
  }

  #comment(): void {
    const end = this.text.indexOf('\n', this.at)
    const stop = end < 0 ? this.text.length : end
    checkText(this.text.slice(this.at, stop), this.at)
    this.at = stop
  }

  protected skipLines(): void {
    this.skipBlanks()
    while (this.text[this.at] === '\n') {
      this.#newline()
      this.skipBlanks()
    }
  }

  /** The reserved word that starts here; null if there is none. */
  protected keyword(): string | null {
    const word = match(KEYWORD, this.text, this.at)
    const isWhole = word !== null && isDelimiter(this.text[this.at + word.length])
    return isWhole && RESERVED.has(word) ? word : null
  }

  protected take(keyword: string): void {
    if (this.keyword() !== keyword) refuse(reason('proof.missing', { sign: keyword }), this.at)
    this.at += keyword.length
  }

  protected expect(character: string): void {
    this.skipBlanks()
    if (this.text[this.at] !== character) refuse(reason('proof.missing', { sign: character }), this.at)
    this.at++
  }
}

const DELIMITER = /[A-Za-z0-9_]+|'[A-Za-z0-9_]+'|"[A-Za-z0-9_]+"|\\[A-Za-z0-9_]+/y
const KEYWORD = /[a-z[\]{}!]+/y
