/** Text that comes piece by piece, shown word by word and broken between words. Code is not broken: it may be copied. */

import { printable } from '../../lib/text/printable.js'
import { graphemesOf, widthOf } from './width.js'

const FENCE = /^ {0,3}(?:`{3}|~{3})/

export class WordStream {
  readonly #columns: () => number
  readonly #write: (text: string) => void
  /** The line so far, as it was given: it may begin a block of code. */
  #line = ''
  #used = 0
  #word = ''
  #isCode = false

  constructor(columns: () => number, write: (text: string) => void) {
    this.#columns = columns
    this.#write = write
  }

  push(text: string): void {
    for (const part of printable(text).split(/(\s)/)) {
      if (part === '') continue
      if (part === '\n') this.#endLine()
      else if (/^\s$/.test(part)) this.#space(part)
      else this.#word += part
    }
    // Scripts that are written without spaces are broken anywhere, all but a last character that may go on.
    if (!this.#isCode && widthOf(this.#word) > this.#word.length) this.#breakWord()
  }

  #endLine(): void {
    this.#flush()
    if (FENCE.test(this.#line)) this.#isCode = !this.#isCode
    this.#write('\n')
    this.#line = ''
    this.#used = 0
  }

  #space(space: string): void {
    this.#flush()
    this.#line += space
    // A space at the end of a line is not seen.
    if (!this.#isCode && this.#used + 1 > this.#columns()) return
    this.#write(space)
    this.#used += 1
  }

  #flush(): void {
    const word = this.#word
    this.#word = ''
    this.#put(word)
  }

  #put(word: string): void {
    if (word === '') return
    const width = widthOf(word)
    if (!this.#isCode && this.#used > 0 && this.#used + width > this.#columns()) {
      this.#write('\n')
      this.#used = 0
    }
    this.#write(word)
    this.#line += word
    this.#used += width
  }

  #breakWord(): void {
    const characters = Array.from(graphemesOf(this.#word), ({ segment }) => segment)
    this.#word = characters.pop() ?? ''
    for (const character of characters) this.#put(character)
  }
}
