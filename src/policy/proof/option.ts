/** Reads the arguments of a program by its row in a table. Anything that the row does not list is refused. */

import { spend } from '../../lib/step-budget.js'
import { reason } from '../../protocol/reason/reason.js'
import type { Field } from './place.js'
import { refuse } from './unproven.js'

/** The kind of a value or an operand, which selects its check. */
export type Kind =
  | 'number'
  | 'word'
  | 'text'
  /** Text that is only printed: it need not be known. */
  | 'said'
  | 'look'
  | 'read'
  | 'tree'
  | 'script'
  | 'revision'
  | 'pathspec'
  | 'format'
  | 'lines'

export interface OptionRow {
  kind: Kind | null
  /** Optional values must be attached. */
  isOptional: boolean
}

export type OptionTable = ReadonlyMap<string, OptionRow>

/**
 * `-a` and `--all` are flags; `-n:number` and `--lines=number` take a value; `-M[word]` and `--color[=word]` may have one
 * attached; `-#` is a number behind a dash.
 */
export function optionTable(...texts: readonly string[]): OptionTable {
  const rows = new Map<string, OptionRow>()
  for (const token of texts.join(' ').split(/\s+/)) {
    const parsed = /^(-#|-[^-:[]|--[a-z0-9-]+)(?:\[=?([a-z]+)\]|[:=]([a-z]+))?$/.exec(token)
    if (token === '') continue
    if (parsed === null) throw new Error(`The option ${token} of a table cannot be read.`)
    const kind = (parsed[2] ?? parsed[3] ?? null) as Kind | null
    rows.set(parsed[1] ?? '', { kind, isOptional: parsed[2] !== undefined })
  }
  return rows
}

/**
 * These programs accept the value of a short option attached to its letter, also in a cluster: `sort -rk2`. Every name
 * here has been compared with the real program (attached-value.test.ts); in another program the same letters may be
 * options, as in `tree -Io x FILE`, which writes FILE.
 */
export const READS_CLUSTERS: ReadonlySet<string> = new Set(
  `ls head tail sort uniq cut cmp stat du df nl tac od hexdump strings base64 base32 b2sum cksum basename column paste fold
  fmt expand unexpand join shuf numfmt pgrep fd fdfind date seq diff sed grep egrep fgrep rg timeout nice realpath tar`.split(
    /\s+/,
  ),
)
/** Accept an attached value only if its letter comes first: `git log -n5`. */
const READS_ATTACHED: ReadonlySet<string> = new Set(['git', 'awk', 'tree'])
/** Restricts the attached value, for programs that do not accept any text. */
const ATTACHED: Readonly<Record<string, RegExp | undefined>> = { tree: /^-L[0-9]+$/ }

/** Whether a program accepts the attached value of the option at `index`. */
function isAttachable(program: string, text: string, index: number): boolean {
  const [name = ''] = program.split(' ')
  if (READS_CLUSTERS.has(name)) return true
  return index === 1 && READS_ATTACHED.has(name) && (ATTACHED[name]?.test(text) ?? true)
}

export interface Arguments {
  flags: ReadonlySet<string>
  values: readonly { name: string; kind: Kind; field: Field }[]
  operands: readonly Field[]
  /** The number of operands before `--`; null without one. */
  before: number | null
  /** The first option behind an operand. Where options end at the first operand, it is a file, and so is its value. */
  late: Field | null
  /** Values behind an operand, each a word of its own. */
  lateValues: readonly Field[]
}

/** Cost of one word: reading, lookup and check. */
const ARGUMENT_STEPS = 20

/** `stops`: options end at the first operand, because the rest belongs to another program. */
export function readArguments(
  program: string,
  args: readonly Field[],
  table: OptionTable,
  { stops = false } = {},
): Arguments {
  const flags = new Set<string>()
  const values: { name: string; kind: Kind; field: Field }[] = []
  const operands: Field[] = []
  const lateValues: Field[] = []
  let before: number | null = null
  let late: Field | null = null
  const waiting = args.toReversed()
  const unknown = (name: string, at: number): never =>
    refuse(reason('proof.option', { option: name, program }), at)
  const take = (name: string, { kind, isOptional }: OptionRow, attached: Field | null, at: number) => {
    flags.add(name)
    if (kind === null) {
      if (attached !== null) unknown(`${name}=`, at)
      return
    }
    const field = attached ?? (isOptional ? undefined : waiting.pop())
    // Others than getopt may see the next option in it.
    if (attached === null && field?.text.startsWith('-') && !READS_CLUSTERS.has(program))
      refuse(reason('proof.option-value', { option: name, program }), at)
    if (field === undefined && !isOptional)
      refuse(reason('proof.option-value', { option: name, program }), at)
    if (field?.isMany || field?.isMatch) refuse(reason('proof.argument', { program }), at)
    if (field === undefined) return
    values.push({ name, kind, field })
    if (attached === null && operands.length > 0) lateValues.push(field)
  }
  for (let arg = waiting.pop(); arg !== undefined; arg = waiting.pop()) {
    const { text, at } = arg
    spend(ARGUMENT_STEPS)
    if (text === '--') {
      before = operands.length
      operands.push(...waiting.toReversed())
      break
    }
    if (!text.startsWith('-') || text === '-' || arg.isWalked) {
      operands.push(arg)
      if (!stops) continue
      operands.push(...waiting.toReversed())
      break
    }
    if (operands.length > 0) late ??= arg
    if (text.includes('\0')) refuse(reason('proof.unknown-argument', { program }), at)
    if (text.startsWith('--')) {
      const equals = text.indexOf('=')
      const name = equals < 0 ? text : text.slice(0, equals)
      const row = table.get(name) ?? unknown(name, at)
      take(name, row, equals < 0 ? null : { text: text.slice(equals + 1), at }, at)
    } else if (/^-\d+$/.test(text) && table.has('-#')) {
      flags.add('-#')
      values.push({ name: '-#', kind: 'number', field: { text: text.slice(1), at } })
    } else readCluster(program, text, table, unknown, at, take)
  }
  return { flags, values, operands, before, late, lateValues }
}

function readCluster(
  program: string,
  text: string,
  table: OptionTable,
  unknown: (name: string, at: number) => never,
  at: number,
  take: (name: string, row: OptionRow, attached: Field | null, at: number) => void,
): void {
  for (let index = 1; index < text.length; index++) {
    const name = `-${text[index] ?? ''}`
    const row = table.get(name) ?? unknown(name, at)
    const rest = text.slice(index + 1)
    if (row.kind !== null) {
      if (rest !== '' && !isAttachable(program, text, index))
        refuse(reason('proof.option', { option: text, program }), at)
      take(name, row, rest === '' ? null : { text: rest, at }, at)
      return
    }
    take(name, row, null, at)
  }
}
