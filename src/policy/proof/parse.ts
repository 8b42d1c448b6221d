/**
 * The closed grammar of commands, over the raw text. Every byte is read by a rule here, in `lexer` or in `read-word`;
 * everything else is refused.
 */

import { reason } from '../../protocol/reason/reason.js'
import { Lexer } from './lexer.js'
import { type Cursor, checkText, isDelimiter, match, readWord } from './read-word.js'
import type { Assignment, Node, Redirection, Word } from './syntax.js'
import { type Budget, refuse } from './unproven.js'

const MAX_LENGTH = 20_000
const MAX_DEPTH = 20

export function parse(text: string, budget: Budget): Node {
  if (text.length > MAX_LENGTH) refuse(reason('proof.too-long'), null)
  budget.spend(text.length)
  if (text.split('\n').every((line) => /^[ \t]*(?:#|$)/.test(line)) && text.includes('#')) {
    checkText(text, 0)
    return { kind: 'list', items: [] }
  }
  const parser = new Parser(text)
  const script = parser.list()
  if (parser.at < text.length) refuse(reason('proof.syntax'), parser.at)
  return script
}

class Parser extends Lexer implements Cursor {
  #depth = 0

  list(...ends: readonly string[]): Node {
    if (++this.#depth > MAX_DEPTH) refuse(reason('proof.too-deep'), this.at)
    const items: Node[] = []
    this.skipLines()
    while (this.at < this.text.length && this.text[this.at] !== ')' && !ends.includes(this.keyword() ?? '')) {
      items.push(this.#chain())
      this.skipBlanks()
      const next = this.text[this.at]
      if (next === ';' && this.text[this.at + 1] !== ';') this.at++
      else if (next !== '\n') break
      this.skipLines()
    }
    this.#depth--
    if (this.hasOpenDocument) refuse(reason('proof.here-document'), this.at)
    if (items.length === 0) refuse(reason('proof.empty'), this.at)
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'list', items }
  }

  substitution(): Node {
    if (this.hasOpenDocument) refuse(reason('proof.here-document'), this.at)
    const body = this.list()
    this.expect(')')
    return body
  }

  #chain(): Node {
    let left = this.#pipe()
    for (;;) {
      this.skipBlanks()
      const operator = this.text.startsWith('&&', this.at)
        ? '&&'
        : this.text.startsWith('||', this.at)
          ? '||'
          : null
      if (operator === null) return left
      this.at += 2
      this.skipLines()
      left = { kind: 'chain', operator, left, right: this.#pipe() }
    }
  }

  #pipe(): Node {
    this.skipBlanks()
    if (this.keyword() === '!') {
      this.at++
      return { kind: 'not', body: this.#pipe() }
    }
    if (this.keyword() === 'time') this.at += 4
    const items = [this.#command()]
    for (;;) {
      this.skipBlanks()
      if (this.text[this.at] !== '|' || this.text[this.at + 1] === '|') break
      this.at += this.text[this.at + 1] === '&' ? 2 : 1
      this.skipLines()
      items.push(this.#command())
    }
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'pipe', items }
  }

  #command(): Node {
    this.skipBlanks()
    const { at } = this
    const keyword = this.keyword()
    if (keyword === 'if') return this.#if()
    if (keyword === 'for') return this.#for()
    if (keyword === 'while' || keyword === 'until') return this.#while(keyword)
    if (keyword === '[[') return this.#test()
    if (keyword === '{') {
      this.take('{')
      const body = this.list('}')
      this.take('}')
      return {
        kind: 'group',
        isSubshell: false,
        body,
        redirections: this.#redirections(),
      }
    }
    if (keyword !== null) refuse(reason('proof.syntax'), at)
    if (this.text[at] === '(') {
      if (this.text[at + 1] === '(') refuse(reason('proof.syntax'), at)
      this.at++
      const body = this.substitution()
      return {
        kind: 'group',
        isSubshell: true,
        body,
        redirections: this.#redirections(),
      }
    }
    return this.#simple()
  }

  #if(): Node {
    this.at += this.keyword()?.length ?? 0
    const condition = this.list('then')
    this.take('then')
    const body = this.list('elif', 'else', 'fi')
    const next = this.keyword()
    if (next === 'elif')
      return {
        kind: 'if',
        condition,
        body,
        otherwise: this.#if(),
        redirections: [],
      }
    let otherwise: Node | null = null
    if (next === 'else') {
      this.take('else')
      otherwise = this.list('fi')
    }
    this.take('fi')
    return {
      kind: 'if',
      condition,
      body,
      otherwise,
      redirections: this.#redirections(),
    }
  }

  #for(): Node {
    const { at } = this
    this.take('for')
    this.skipBlanks()
    const { bare } = readWord(this)
    if (bare === null || !/^[A-Za-z_]\w*$/.test(bare)) return refuse(reason('proof.loop'), at)
    this.skipBlanks()
    this.take('in')
    const words: Word[] = []
    for (this.skipBlanks(); !isDelimiter(this.text[this.at]); this.skipBlanks()) words.push(readWord(this))
    if (this.text[this.at] !== ';' && this.text[this.at] !== '\n') refuse(reason('proof.loop'), this.at)
    if (this.text[this.at] === ';') this.at++
    this.skipLines()
    const body = this.#loopBody()
    return {
      kind: 'for',
      name: bare,
      words,
      body,
      redirections: this.#redirections(),
      at,
    }
  }

  #while(keyword: string): Node {
    const { at } = this
    this.take(keyword)
    const condition = this.list('do')
    const body = this.#loopBody()
    return {
      kind: 'while',
      condition,
      body,
      redirections: this.#redirections(),
      at,
    }
  }

  #loopBody(): Node {
    this.take('do')
    const body = this.list('done')
    this.take('done')
    return body
  }

  #test(): Node {
    const { at } = this
    this.take('[[')
    const words: Word[] = []
    for (;;) {
      this.skipBlanks()
      if (this.keyword() === ']]') break
      const operator = ['&&', '||'].find((sign) => this.text.startsWith(sign, this.at))
      if (operator === undefined) {
        if (isDelimiter(this.text[this.at])) refuse(reason('proof.test'), this.at)
        words.push(readWord(this))
      } else {
        words.push({
          pieces: [],
          bare: operator,
          start: this.at,
          end: this.at + 2,
        })
        this.at += 2
      }
    }
    this.take(']]')
    return { kind: 'test', words, at }
  }

  #simple(): Node {
    const { at } = this
    const assignments: Assignment[] = []
    const words: Word[] = []
    const redirections: Redirection[] = []
    for (;;) {
      this.skipBlanks()
      if (words.length > 0 && this.text.startsWith('<(', this.at)) {
        words.push(this.#process())
        continue
      }
      const redirection = this.#redirection()
      if (redirection !== null) {
        redirections.push(redirection)
        continue
      }
      const next = this.text[this.at]
      if (isDelimiter(next) || next === '#') break
      const assigned = words.length === 0 ? match(ASSIGNMENT, this.text, this.at) : null
      if (assigned === null) words.push(readWord(this))
      else {
        this.at += assigned.length
        assignments.push({
          name: assigned.slice(0, -1),
          value: readWord(this, { isAssigned: true }),
        })
      }
    }
    this.skipBlanks()
    const next = this.text[this.at]
    const isBackground = next === '&' && this.text[this.at + 1] !== '&'
    if (isBackground || (next !== undefined && !';\n|&)'.includes(next)))
      refuse(reason('proof.syntax'), this.at)
    if (assignments.length + words.length === 0) refuse(reason('proof.empty'), at)
    return { kind: 'simple', assignments, words, redirections, at }
  }

  /** `<(…)` as a word of its own. */
  #process(): Word {
    const start = this.at
    this.at += 2
    const body = this.substitution()
    if (!isDelimiter(this.text[this.at])) refuse(reason('proof.syntax'), this.at)
    return {
      pieces: [{ kind: 'process', body }],
      bare: null,
      start,
      end: this.at,
    }
  }

  #redirections(): Redirection[] {
    const all: Redirection[] = []
    for (;;) {
      this.skipBlanks()
      const next = this.#redirection()
      if (next === null) return all
      all.push(next)
    }
  }

  #redirection(): Redirection | null {
    const { at } = this
    const operator = match(OPERATOR, this.text, at)
    if (operator === null) return null
    this.at += operator.length
    const between = match(BETWEEN, this.text, at)
    if (between !== null && isDelimiter(this.text[at + between.length])) {
      this.at = at + between.length
      return { kind: 'harmless' }
    }
    const sign = operator.replace(/^\d/, '')
    const isInput = operator === '<' || operator === '<<<'
    if (operator === '<<' || operator === '<<-') return this.hereDocument(operator === '<<-')
    if (!isInput && !['>', '>>', '&>'].includes(sign)) refuse(reason('proof.syntax'), at)
    this.skipBlanks()
    const isProcess = operator === '<' && this.text.startsWith('<(', this.at)
    const word = isProcess ? this.#process() : readWord(this)
    if (word.start === word.end) refuse(reason('proof.syntax'), at)
    if (operator === '<<<') return { kind: 'text', word }
    if (operator === '<') return { kind: 'input', word }
    return word.bare === '/dev/null' ? { kind: 'harmless' } : { kind: 'output', word }
  }
}

const ASSIGNMENT = /[A-Za-z_][A-Za-z0-9_]*=/y
const OPERATOR = /[0-9]?[<>][<>&|]{0,2}-?|&>{1,2}/y
const BETWEEN = /2>&1|1>&2|>&2|>&1/y
