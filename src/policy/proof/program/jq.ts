/** jq: every token of a filter is listed, so that in any order it reads only the named files. */

import { reason } from '../../../protocol/reason/reason.js'
import { type Check, literalOf } from '../context.js'
import type { Field } from '../place.js'
import { programTextReason, refuse } from '../unproven.js'

const FLAGS = new Set(
  `--raw-output --compact-output --null-input --slurp --sort-keys --exit-status --tab --raw-input --ascii-output --color-output
  --monochrome-output --join-output --stream --seq --unbuffered`.split(/\s+/),
)

export const checkJq: Check = (args, { places, folders, at }) => {
  const operands: Field[] = []
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? { text: '', at }
    const { text } = arg
    if (arg.isWalked || !text.startsWith('-') || text === '-') operands.push(arg)
    else if (/^-[rcnsSeajCMR]+$/.test(text) || FLAGS.has(text)) continue
    else if (text === '--indent' && /^[0-7]$/.test(args[index + 1]?.text ?? '')) index++
    else if (text === '--arg' || text === '--argjson') {
      for (const value of args.slice(index + 1, index + 3)) literalOf(value, 'jq')
      index += 2
    } else refuse(reason('proof.option', { option: text, program: 'jq' }), arg.at)
  }
  const [filter, ...files] = operands
  if (filter === undefined) return refuse(reason('proof.no-argument', { program: 'jq' }), at)
  new Filter(literalOf(filter, 'jq'), filter.at).check()
  for (const file of files) places.read(file, folders)
}

const WORDS = new Set(
  `if then elif else end and or not as reduce foreach try catch length keys keys_unsorted values select map map_values has in path
  paths leaf_paths del to_entries from_entries with_entries add any all flatten range floor ceil round sqrt pow log exp abs
  tostring tonumber type sort sort_by group_by min max min_by max_by unique unique_by reverse contains inside startswith
  endswith ltrimstr rtrimstr explode implode split join ascii_downcase ascii_upcase ascii recurse test match capture scan sub
  gsub splits first last nth until while repeat empty error null true false isnan isinfinite isnormal infinite nan limit index rindex
  indices tojson fromjson todate fromdate now dateadd datesub date strftime strptime mktime gmtime localtime arrays objects
  iterables booleans numbers normals finites strings nulls scalars transpose walk getpath setpath delpaths input inputs
  combinations tostream fromstream truncate_stream toarray pick isvalid utf8bytelength isempty trim ltrim rtrim halt
  todateiso8601 fromdateiso8601 input_line_number`.split(/\s+/),
)
const BLOCKS = new Set(['if', 'reduce', 'foreach', 'try'])
const FORMATS = new Set('text json html uri csv tsv sh base64 base64d'.split(' '))
const SIGNS = '|,:+-*/%=<>!?;'
const OPENING: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
}

class Filter {
  readonly #text: string
  readonly #start: number
  #at = 0

  constructor(text: string, start: number) {
    this.#text = text
    this.#start = start
  }

  check(): void {
    this.#tokens(null)
  }

  /** Up to the closing bracket, or to the end. */
  #tokens(close: string | null): void {
    let before = ''
    let isPlain = true
    for (;;) {
      this.#take(/[ \t\n]+/y)
      const character = this.#text[this.#at]
      if (character === undefined && close === null) return
      if (character === undefined) this.#fail()
      if (character === close) {
        this.#at++
        return
      }
      before = this.#token(character, before, close === '}' && isPlain)
      // Between these and `end`, a comma does not separate the keys of an object.
      isPlain &&= !BLOCKS.has(before)
    }
  }

  #token(character: string, before: string, mayBeKey: boolean): string {
    const closing = OPENING[character]
    if (closing !== undefined) {
      this.#at++
      this.#tokens(closing)
      return closing
    }
    if (character === '"') return this.#string()
    if (SIGNS.includes(character)) {
      this.#at++
      return character
    }
    if (character === '.')
      return this.#take(/\.\.(?![.A-Za-z_])|\.(?!\.)(?:[A-Za-z_][A-Za-z0-9_]*)?/y) || this.#fail()
    const number = this.#take(/[0-9]+(?:\.[0-9]+)?(?![.A-Za-z_0-9])/y)
    if (number !== '') return number
    const variable = this.#take(/\$[a-z][A-Za-z0-9_]*/y)
    if (variable !== '') return variable
    const format = this.#take(/@[a-z0-9]+/y)
    if (format !== '') return FORMATS.has(format.slice(1)) ? format : this.#fail()
    const word = this.#take(/[A-Za-z_][A-Za-z0-9_]*/y)
    if (word === '') this.#fail()
    if (WORDS.has(word)) return word
    // A name in an object is a key: {name} and {name: …}.
    const next = /[ \t\n]*([:,}]?)/y
    next.lastIndex = this.#at
    const isKey = mayBeKey && (before === '' || before === ',') && next.exec(this.#text)?.[1] !== ''
    return isKey ? word : this.#fail()
  }

  #string(): string {
    this.#at++
    for (;;) {
      this.#take(/[^"\\]+/y)
      const character = this.#text[this.#at]
      if (character === undefined) this.#fail()
      this.#at++
      if (character === '"') return '"'
      const escaped = this.#text[this.#at]
      this.#at++
      if (escaped === '(') this.#tokens(')')
      else if (escaped === undefined || !'"\\/bfnrtu'.includes(escaped)) this.#fail()
    }
  }

  #take(expression: RegExp): string {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #fail(): never {
    return refuse(programTextReason('jq', this.#text.slice(this.#at, this.#at + 10)), this.#start)
  }
}
