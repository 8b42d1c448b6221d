/** Parses options as GNU programs do: clusters, values, abbreviated long names, and the end of the options. */

import { spend } from '../../lib/step-budget.js'
import type { Access } from '../file/file-access.js'
import { UNKNOWN } from '../file/path.js'
import { type Field, tail } from '../shell/field.js'

/**
 * The role of a word in the program. `text`: no external effect. `shell`: a command that it runs. `code`: a program in
 * another language. `ask`: never allowed. `aim`: a glob for names that are read. `folder`: files are put into it.
 * `tree`: read with everything below. `lines`: lines of a file, `1,5:path`.
 */
export type Role = Access | 'text' | 'shell' | 'code' | 'ask' | 'aim' | 'folder' | 'tree' | 'lines'

interface Option {
  name: string
  value: 'none' | 'needed' | 'attached'
  role: Role
}

export interface OptionTable {
  short: ReadonlyMap<string, Option>
  long: ReadonlyMap<string, Option>
  /** The first operand ends the options, as in programs that run another one. */
  stops: boolean
  /** `-20` is an option. */
  numbers: boolean
  /** Long names have a single dash. */
  single: boolean
}

export interface Found {
  name: string
  role: Role
  value: Field | null
  field: Field
  /** The value is attached to the letter, in the same word. */
  isJoined?: boolean
}

export interface Arguments {
  options: readonly Found[]
  operands: readonly Field[]
  /** Options that are not in the table. */
  unknown: readonly Field[]
  /** Words that may become options at run time. */
  doubtful: readonly Field[]
  /** Whether there is a word such as `-20`. */
  hasNumber: boolean
  has(...names: string[]): boolean
  valueOf(...names: string[]): Field | null
}

/**
 * `-abc`: three flags; `-abk:`: two flags and an option with a value; `-o:write`: its value is a file to write; `-i?`:
 * a value only if attached; `-C!`: the policy asks; `--long`, `--long:`, `--long?read` alike; `+stop`, `+number`,
 * `+single`: the properties of the table.
 */
export function optionTable(grammar: string): OptionTable {
  const short = new Map<string, Option>()
  const long = new Map<string, Option>()
  const words = grammar.split(/\s+/).filter((word) => word !== '')
  for (const word of words) {
    if (word.startsWith('+')) continue
    const [, dashes = '', name = '', kind = '', role = ''] =
      /^(--?)([^:?!]+)(?:([:?!])(.*))?$/.exec(word) ?? []
    const option = (key: string): Option => ({
      name: key,
      value: kind === ':' ? 'needed' : kind === '?' ? 'attached' : 'none',
      role: kind === '!' ? 'ask' : ((role || 'text') as Role),
    })
    if (dashes === '--') long.set(name, option(name))
    else {
      for (const letter of name.slice(0, -1)) short.set(letter, { name: letter, value: 'none', role: 'text' })
      short.set(name.slice(-1), option(name.slice(-1)))
    }
  }
  const has = (flag: string) => words.includes(flag)
  return { short, long, stops: has('+stop'), numbers: has('+number'), single: has('+single') }
}

export function readArguments(table: OptionTable, args: readonly Field[]): Arguments {
  const options: Found[] = []
  const operands: Field[] = []
  const unknown: Field[] = []
  const doubtful: Field[] = []
  let hasNumber = false
  for (let at = 0; at < args.length; at++) {
    const field = args[at] as Field
    const { text } = field
    spend(4)
    const takeNext = () => {
      at++
      return args[at] ?? null
    }
    if (text === '--') {
      operands.push(...args.slice(at + 1))
      break
    }
    if (!text.startsWith('-') || text === '-') {
      if (text.startsWith(UNKNOWN)) doubtful.push(field)
      operands.push(field)
      if (table.stops) {
        operands.push(...args.slice(at + 1))
        break
      }
    } else if (text.startsWith('--') || table.single) {
      readLong(table, field, takeNext, options, unknown)
    } else if (table.numbers && /^-\d+$/.test(text)) hasNumber = true
    else readShort(table, field, takeNext, options, unknown)
  }
  const byName = new Map<string, Found[]>()
  for (const option of options) {
    const same = byName.get(option.name)
    if (same === undefined) byName.set(option.name, [option])
    else same.push(option)
  }
  return {
    options,
    operands,
    unknown,
    doubtful,
    hasNumber,
    has: (...names) => names.some((name) => byName.has(name)),
    valueOf: (...names) =>
      lastOf(
        names.flatMap((name) => byName.get(name)?.at(-1) ?? []),
        options,
      ),
  }
}

/** The value of the option that comes last in the command. */
function lastOf(found: readonly Found[], options: readonly Found[]): Field | null {
  if (found.length < 2) return found[0]?.value ?? null
  spend(options.length)
  return found.toSorted((one, other) => options.indexOf(one) - options.indexOf(other)).at(-1)?.value ?? null
}

function readLong(
  table: OptionTable,
  field: Field,
  takeNext: () => Field | null,
  options: Found[],
  unknown: Field[],
): void {
  const dashes = field.text.startsWith('--') ? 2 : 1
  const equals = field.text.indexOf('=')
  const given = field.text.slice(dashes, equals === -1 ? undefined : equals)
  const exact = table.long.get(given)
  const candidates = exact ? [exact] : [...table.long.values()].filter(({ name }) => name.startsWith(given))
  if (candidates.length !== 1) unknown.push(field)
  const attached = equals === -1 ? null : tail(field, equals + 1)
  const next = attached === null && candidates.some(({ value }) => value === 'needed') ? takeNext() : null
  // An ambiguous abbreviation is an error in the program; every option that it might mean is judged all the same.
  for (const { name, value, role } of candidates) {
    options.push({
      name,
      role,
      value: value === 'none' ? attached : (attached ?? (value === 'needed' ? next : null)),
      field,
    })
  }
}

function readShort(
  table: OptionTable,
  field: Field,
  takeNext: () => Field | null,
  options: Found[],
  unknown: Field[],
): void {
  for (let at = 1; at < field.text.length; at++) {
    spend(5)
    const letter = field.text[at] ?? ''
    const option = table.short.get(letter)
    if (option === undefined) {
      if (unknown.at(-1) !== field) unknown.push(field)
      options.push({ name: letter, role: 'text', value: null, field })
      continue
    }
    const { name, role } = option
    if (option.value === 'none') {
      options.push({ name, role, value: null, field })
      continue
    }
    const rest = at + 1 < field.text.length ? tail(field, at + 1) : null
    const value = rest ?? (option.value === 'needed' ? takeNext() : null)
    options.push({ name, role, value, field, isJoined: rest !== null })
    return
  }
}
