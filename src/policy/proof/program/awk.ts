/**
 * awk: a small expression grammar without input, output and commands. A slash may divide or start a pattern, and
 * versions differ; so a pattern is accepted only where no version sees a division, and neither reading hides quotes of
 * the other.
 */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, checkValues, literalOf } from '../context.js'
import { optionTable, readArguments } from '../option.js'
import { programTextReason, refuse } from '../unproven.js'

const AWK = optionTable('-F:text -v:text --field-separator=text --assign=text')
const ASSIGNED = /^[a-z][a-z0-9_]*=/

export const checkAwk: Check = (args, context) => {
  const read = readArguments('awk', args, AWK, { stops: true })
  checkValues(read, context)
  for (const { name, field } of read.values)
    if (name === '-v' || name === '--assign')
      if (!ASSIGNED.test(field.text) || !isVariable(field.text.slice(0, field.text.indexOf('='))))
        refuse(reason('proof.argument', { program: 'awk' }), field.at)
  const [program, ...files] = read.operands
  if (program === undefined) return refuse(reason('proof.no-argument', { program: 'awk' }), context.at)
  new Program(literalOf(program, 'awk'), program.at).check()
  for (const file of files) {
    if (file.text.includes('=')) refuse(reason('proof.argument', { program: 'awk' }), file.at)
    context.places.read(file, context.folders)
  }
}

const FUNCTIONS = new Set(
  'length substr index split sub gsub match tolower toupper sprintf int sqrt exp log sin cos atan2 rand srand'.split(
    ' ',
  ),
)
const BUILT_IN = new Set('NR NF FNR FS OFS ORS RS FILENAME SUBSEP RSTART RLENGTH CONVFMT OFMT'.split(' '))
const KEYWORDS = new Set(
  `BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in getline print
  printf switch case default system close fflush`.split(/\s+/),
)

function isVariable(name: string): boolean {
  if (KEYWORDS.has(name) || FUNCTIONS.has(name)) return false
  return BUILT_IN.has(name) || /^[a-z][a-z0-9_]*$|^[A-Z]$/.test(name)
}

class Program {
  readonly #text: string
  readonly #start: number
  #at = 0
  #divides = false
  #hasSlash = false

  constructor(text: string, start: number) {
    this.#text = text
    this.#start = start
  }

  check(): void {
    for (this.#separators(); this.#at < this.#text.length; this.#separators()) this.#item()
    if (this.#divides && this.#hasSlash) this.#fail()
  }

  #item(): void {
    if (this.#word() === 'BEGIN' || this.#word() === 'END') {
      this.#at += this.#word().length
      this.#blanks()
      return this.#action()
    }
    if (this.#peek() !== '{') {
      this.#expression({ isItem: true })
      if (this.#sign(',')) this.#expression()
      this.#blanks()
      if (this.#peek() !== '{') return this.#endOfStatement()
    }
    this.#action()
  }

  #action(): void {
    if (!this.#sign('{')) this.#fail()
    this.#statements()
  }

  /** Up to and including the closing brace. */
  #statements(): void {
    for (this.#separators(); !this.#sign('}'); this.#separators()) this.#statement()
  }

  #statement(): void {
    this.#blanks()
    if (this.#sign('{')) return this.#statements()
    const word = this.#word()
    switch (word) {
      case 'print':
      case 'printf':
        this.#at += word.length
        this.#blanks()
        if (!this.#isEnd()) this.#expressions({ isPrinted: true })
        return this.#endOfStatement()
      case 'if':
        this.#at += 2
        this.#condition()
        this.#statement()
        return this.#else()
      case 'while':
        this.#at += 5
        this.#condition()
        return this.#statement()
      case 'for':
        return this.#for()
      case 'next':
      case 'exit':
        this.#at += word.length
        this.#blanks()
        if (word === 'exit' && !this.#isEnd()) this.#expression()
        return this.#endOfStatement()
      case 'delete':
        this.#at += word.length
        this.#blanks()
        this.#operand({})
        return this.#endOfStatement()
      default:
        // No ordinary program has a statement that starts with a slash, a quote or a bracket.
        if (word === '' && !'$+-'.includes(this.#peek())) this.#fail()
        this.#expression()
        return this.#endOfStatement()
    }
  }

  #condition(): void {
    this.#blanks()
    if (!this.#sign('(')) this.#fail()
    this.#expression()
    if (!this.#sign(')')) this.#fail()
    this.#lines()
    if (this.#peek() === '/') this.#fail()
  }

  #else(): void {
    const { start } = { start: this.#at }
    this.#separators()
    if (this.#word() !== 'else') {
      this.#at = start
      return
    }
    this.#at += 4
    this.#lines()
    this.#statement()
  }

  #for(): void {
    this.#at += 3
    this.#blanks()
    if (!this.#sign('(')) this.#fail()
    this.#blanks()
    if (this.#peek() !== ';') this.#expression()
    if (!this.#sign(')')) {
      if (!this.#sign(';')) this.#fail()
      this.#blanks()
      if (this.#peek() !== ';') this.#expression()
      if (!this.#sign(';')) this.#fail()
      this.#blanks()
      if (this.#peek() !== ')') this.#expression()
      if (!this.#sign(')')) this.#fail()
    }
    this.#lines()
    this.#statement()
  }

  #expressions(options: Options): void {
    this.#expression(options)
    while (this.#sign(',')) {
      this.#lines()
      this.#expression(options)
    }
  }

  /** Alternating operands and operators; precedence is irrelevant here. */
  #expression(options: Options = {}): void {
    const start = this.#at
    let isFirst = true
    for (;;) {
      this.#blanks()
      const sign = this.#take(/!(?![~=])|[-+](?![-+=])|\+\+|--/y)
      if (sign !== '') {
        isFirst = true
        continue
      }
      this.#operand({
        isItem: options.isItem && this.#at === start,
        mayBePattern: isFirst,
      })
      this.#take(/\+\+|--/y)
      this.#blanks()
      isFirst = this.#operator(options)
      if (!isFirst && !/[$"A-Za-z0-9_(]/.test(this.#peek())) return
      if (!isFirst && this.#word() === 'in') {
        this.#at += 2
        isFirst = true
      }
    }
  }

  /** False: the next operand is concatenated, or the expression ends. */
  #operator({ isPrinted = false }: Options): boolean {
    const sign = this.#take(/\|\||&&|!~|~|==|!=|<=|[-+*%^]=|>=|=|<|>|[-+*%^?:]|\//y)
    if (sign === '') return false
    if (isPrinted && sign.startsWith('>')) this.#fail()
    if (sign === '/') this.#divides = true
    if (sign === '||' || sign === '&&') this.#lines()
    return true
  }

  #operand({ mayBePattern = false, isItem = false }: Options): void {
    this.#blanks()
    const next = this.#peek()
    if (next === '/') return mayBePattern ? this.#pattern(isItem) : this.#fail()
    if (next === '"') return this.#string()
    if (this.#sign('$')) return this.#operand({})
    if (this.#sign('(')) {
      this.#expressions({})
      if (!this.#sign(')')) this.#fail()
      return
    }
    if (this.#take(/[0-9]+(?:\.[0-9]+)?|\.[0-9]+/y) !== '') return
    const word = this.#word()
    this.#at += word.length
    if (FUNCTIONS.has(word)) {
      if (this.#sign('(')) {
        this.#blanks()
        if (this.#peek() !== ')') this.#expressions({})
        if (!this.#sign(')')) this.#fail()
      } else if (word !== 'length') this.#fail()
      return
    }
    if (!isVariable(word) || this.#peek() === '(') this.#fail()
    if (this.#sign('[')) {
      this.#expressions({})
      if (!this.#sign(']')) this.#fail()
    }
  }

  #string(): void {
    const found = this.#take(/"(?:[^"\\\n]|\\["\\/nt])*"/y)
    if (found === '') this.#fail()
    this.#hasSlash ||= found.includes('/')
  }

  /** A quote only where a pattern starts an item: every version sees a pattern there. */
  #pattern(isItem: boolean): void {
    const found = this.#take(isItem ? /\/(?:[^/\\\n]|\\[^\n])+\//y : /\/(?:[^"/\\\n]|\\[^"\n])+\//y)
    if (found === '' || !areBracketsPlain(found)) this.#fail()
    this.#hasSlash = true
  }

  #endOfStatement(): void {
    if (!this.#isEnd()) this.#fail()
  }

  #isEnd(): boolean {
    this.#blanks()
    return this.#at >= this.#text.length || ';}\n'.includes(this.#peek())
  }

  #separators(): void {
    this.#take(/[ \t\n;]*/y)
  }

  #lines(): void {
    this.#take(/[ \t\n]*/y)
  }

  #blanks(): void {
    this.#take(/[ \t]*/y)
  }

  #sign(sign: string): boolean {
    this.#blanks()
    if (this.#peek() !== sign) return false
    this.#at++
    return true
  }

  #word(): string {
    const word = /[A-Za-z_][A-Za-z0-9_]*/y
    word.lastIndex = this.#at
    return word.exec(this.#text)?.[0] ?? ''
  }

  #peek(): string {
    return this.#text[this.#at] ?? ''
  }

  #take(expression: RegExp): string {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #fail(): never {
    return refuse(programTextReason('awk', this.#text.slice(this.#at, this.#at + 10)), this.#start)
  }
}

/**
 * Inside brackets a slash or a quote may be text, so brackets must start and end where every version sees it: none that
 * is empty or starts with `]`, no nesting, and a character class only by its full name.
 */
function areBracketsPlain(pattern: string): boolean {
  const rest = pattern
    .replaceAll(/\\./g, '')
    .replaceAll(/\[\^?(?:[^[\]^]|\[:[a-z]+:\])(?:[^[\]]|\[:[a-z]+:\])*\]/g, '')
  return !/[[\]]/.test(rest)
}

interface Options {
  isPrinted?: boolean
  mayBePattern?: boolean
  /** The expression starts an item of the program. */
  isItem?: boolean | undefined
}
