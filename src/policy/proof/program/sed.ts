/** sed: the commands that only print and change the stream, read to the last character. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, checkValues, literalOf } from '../context.js'
import { optionTable, readArguments } from '../option.js'
import { programTextReason, refuse } from '../unproven.js'

const SED = optionTable(
  `-n -E -r -s -u -z -e:script --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression=script
  --posix --sandbox`,
)

export const checkSed: Check = (args, context) => {
  const read = readArguments('sed', args, SED)
  checkValues(read, context)
  const scripts = read.values.filter(({ kind }) => kind === 'script').map(({ field }) => field)
  const [first, ...rest] = read.operands
  if (scripts.length === 0 && first === undefined)
    return refuse(reason('proof.no-argument', { program: 'sed' }), context.at)
  // Where options end at the first operand, that is the script.
  if (first !== undefined && scripts[0] !== undefined && scripts[0].at > first.at)
    refuse(reason('proof.argument', { program: 'sed' }), first.at)
  for (const script of scripts.length > 0 ? scripts : first === undefined ? [] : [first])
    new Script(literalOf(script, 'sed'), script.at).check()
  for (const file of scripts.length > 0 ? read.operands : rest) context.places.read(file, context.folders)
}

/** Not empty, without nesting, and a class only by its full name; no bracket behind a backslash. */
const BRACKETS =
  /\[(?:\^(?:\[:[a-z]+:\]|\\[^[\]\n]|[^[\]\\\n])|\[:[a-z]+:\]|\\[^[\]\n]|[^[\]\\\n^])(?:\[:[a-z]+:\]|\\[^[\]\n]|[^[\]\\\n])*\]/y

class Script {
  readonly #text: string
  readonly #start: number
  #at = 0
  #depth = 0

  constructor(text: string, start: number) {
    this.#text = text
    this.#start = start
  }

  check(): void {
    for (;;) {
      this.#take(/[ \t\n;]*/y)
      if (this.#at >= this.#text.length) break
      this.#command()
    }
    if (this.#depth !== 0) this.#fail()
  }

  #command(): void {
    if (this.#take(/#[^\n]*/y) !== '') return
    if (this.#address()) {
      this.#take(/[ \t]*/y)
      if (this.#take(/,/y) !== '') {
        this.#take(/[ \t]*/y)
        if (this.#take(/[+~][0-9]+/y) === '' && !this.#address()) this.#fail()
      }
    }
    this.#take(/[ \t]*/y)
    this.#take(/!?/y)
    this.#take(/[ \t]*/y)
    const command = this.#take(/[^]/y)
    switch (command) {
      case '{':
        this.#depth++
        return
      case '}':
        if (--this.#depth < 0) this.#fail()
        break
      case 'q':
      case 'Q':
      case 'l':
        this.#take(/[ \t]*[0-9]*/y)
        break
      case 's':
      case 'y': {
        const delimiter = this.#take(/[/|,#%@:!_;^+=~]/y) || this.#fail()
        if (command === 's') this.#pattern(delimiter)
        else this.#part(delimiter)
        this.#part(delimiter)
        if (command === 's') this.#take(/[gpiIm0-9M]*/y)
        break
      }
      case 'b':
      case 't':
      case 'T':
        this.#take(/[ \t]*[A-Za-z0-9_]*/y)
        break
      case ':':
        // Older versions take the rest of the line as the label; then it has no effect.
        if (this.#take(/[A-Za-z0-9_]+/y) === '') this.#fail()
        break
      default:
        if (command === '' || !'pPdDnNgGhHx=z'.includes(command)) this.#fail()
    }
    this.#end()
  }

  /** Behind a command only a separator is accepted. */
  #end(): void {
    this.#take(/[ \t]*/y)
    const next = this.#text[this.#at]
    if (next !== undefined && !'\n;}#'.includes(next)) this.#fail()
  }

  #address(): boolean {
    if (this.#take(/[0-9]+(?:~[0-9]+)?|\$/y) !== '') return true
    const delimiter = this.#take(/\/|\\[|,#%@:!_]/y)
    if (delimiter === '') return false
    this.#pattern(delimiter.at(-1) ?? '')
    this.#take(/[IM]*/y)
    return true
  }

  /**
   * A regular expression up to the delimiter. Versions differ about a delimiter inside brackets, and about their end: only
   * brackets that end at the same character for all of them are accepted.
   */
  #pattern(delimiter: string): void {
    for (;;) {
      if (this.#text[this.#at] === '[') {
        const brackets = this.#take(BRACKETS)
        if (brackets === '' || brackets.includes(delimiter)) this.#fail()
      } else if (this.#character() === delimiter) return
    }
  }

  /** Other text up to the delimiter. */
  #part(delimiter: string): void {
    let isBracket = false
    for (;;) {
      const character = this.#character()
      if (character === delimiter) {
        if (isBracket) this.#fail()
        return
      }
      if (character === '[') isBracket = true
      else if (character === ']') isBracket = false
    }
  }

  /** The next character, or an escaped one with its backslash. */
  #character(): string {
    return this.#take(/\\[^\n]|[^\\\n]/y) || this.#fail()
  }

  #take(expression: RegExp): string {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #fail(): never {
    const from = this.#text.slice(Math.max(0, this.#at - 1), this.#at + 10).replaceAll('\n', ' ')
    return refuse(programTextReason('sed', from), this.#start)
  }
}
