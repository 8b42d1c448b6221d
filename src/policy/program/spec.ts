/** Programs that one row of a table describes: their options, the roles of their operands, and their output. */

import { spend } from '../../lib/step-budget.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'
import { isKnown } from '../file/path.js'
import { matchesOf } from '../file/target.js'
import type { FindingRule } from '../finding.js'
import { type Field, literal, type Shape, type Stream, Taint } from '../shell/field.js'
import { ANYTHING } from '../shell/stream.js'
import { applyRole, type Call, type Handler, inputOf, judgeText } from './handler.js'
import { judgeJoinedValues } from './joined-value.js'
import type { JudgeContext } from './judge-context.js'
import { type Arguments, type OptionTable, optionTable, type Role, readArguments } from './option.js'
import type { ReadTree, Recursion } from './system/recursion.js'

export interface Spec {
  options?: string
  /**
   * The roles of the operands in order; the last one applies to the rest if it ends in `*`. Without it, the policy asks
   * about operands.
   */
  operands?: string
  /** Without it the program only reads, and is allowed with the options of the table. */
  asks?: FindingRule
  /** Options that replace the first operand. */
  instead?: readonly string[]
  /** Options that make the program write the files it reads. */
  inPlace?: readonly string[]
  /**
   * `content` (the default): what it reads. `facts`: something about it. `unseen`: bytes that the user has not seen.
   */
  prints?: Printing | ((args: Arguments) => Printing)
  /** The shape of every word that it prints. */
  shape?: (args: Arguments) => Shape | undefined
  /** For programs that read whole trees; without operands the working directory. */
  recursion?: Recursion
  /** The files that an operand may name, if it can be more than one path. */
  named?: (field: Field, call: Call) => readonly Field[]
  /** Without operands it lists the working directory. */
  listsFolder?: boolean
  /** It replaces each argument `@FILE` with the words in that file. */
  expandsFiles?: boolean
  /** The text that it prints, if it can be computed. */
  textOf?: (args: Arguments, input: string | null, call: Call) => string | null
}

type Printing = 'content' | 'facts' | 'unseen'

export function fromSpec(spec: Spec): Handler {
  let table: OptionTable | null = null
  return (call) => {
    table ??= optionTable(spec.options ?? '')
    return judge(spec, readArguments(table, call.args), call, table)
  }
}

function judge(spec: Spec, args: Arguments, call: Call, table: OptionTable): Stream {
  const { context, name, span } = call
  const tree = spec.recursion?.(args) ?? null
  const roles = assignRoles(spec, args, call, tree)
  const isReader = spec.asks === undefined
  if (spec.asks !== undefined) context.ask(spec.asks, effectOf(spec.asks, name), span)
  if (isReader) judgeOptions(args, call, !runsPrograms(table, name))
  if (isReader) judgeJoinedValues(args, call)
  if (spec.expandsFiles) judgeArgumentFiles(call)
  const reads: Field[] = []
  for (const { role, field } of roles) {
    if (role === 'write') continue
    if (role === 'read' || role === 'tree') reads.push(field)
    if (role === 'text' && isReader) judgeText(context, field)
    if (role === 'tree') context.access('read', field, { isRecursive: true, ...(tree !== null && { tree }) })
    else applyRole(call, role, field)
  }
  const input = inputOf(call, reads)
  for (const { role, field } of roles) if (role === 'write') applyRole(call, role, field, input)
  return printed(spec, args, input, call)
}

/** The effect of a program of the table, as far as its rule states it. */
function effectOf(rule: FindingRule, name: string): Reason {
  switch (rule) {
    case 'write':
      return reason('program.writes', { name })
    case 'delete':
      return reason('program.deletes', { name })
    case 'code':
      return reason('program.runs-code', { name })
    case 'network':
      return reason('network.uses', { name })
    case 'secret-variable':
      return reason('program.shows-environment', { name })
    default:
      return reason('program.unlisted', { name })
  }
}

/** `@FILE`. Names from a pattern, from `find` or from a pipe may start with `@` as well. */
function judgeArgumentFiles(call: Call): void {
  const { context, name, args } = call
  for (const field of args) {
    const { text, pattern, stream, isFound, isTree, span } = field
    const isOpen = isFound === true || isTree || stream !== null || !isKnown(text.slice(0, 1))
    if (text.startsWith('@')) applyRole(call, 'ask', field)
    else if (isOpen || (pattern !== null && !/^[\w./]/.test(text)))
      context.askContained('option', reason('argument.unlisted', { name, argument: text }), span)
  }
}

/** The cost of one operand or option, besides file-system queries. */
const WORD_STEPS = 40

function assignRoles(
  spec: Spec,
  args: Arguments,
  call: Call,
  tree: ReadTree | null,
): { role: Role; field: Field }[] {
  const layout = (spec.operands ?? 'ask*').split(' ')
  const isSupplied = spec.instead !== undefined && args.has(...spec.instead)
  const offset = isSupplied ? 1 : 0
  const isInPlace = spec.inPlace !== undefined && args.has(...spec.inPlace)
  spend((args.operands.length + args.options.length) * WORD_STEPS)
  const operands = args.operands.flatMap((field, index) => {
    const given = roleAt(layout, index + offset)
    const isTree = tree !== null && (tree.isNamed !== true || isFolder(field, call))
    const role: Role = given !== 'read' ? given : isInPlace ? 'write' : isTree ? 'tree' : 'read'
    const isFile = role === 'read' || role === 'look' || role === 'tree'
    const fields = isFile ? (spec.named?.(field, call) ?? [field]) : [field]
    return fields.map((named) => ({ role, field: named }))
  })
  const isHere = tree !== null && tree.isNamed !== true
  const hasPlace = operands.some(({ role, field }) => role === 'tree' && field.text !== '-')
  // A search of the pipe does not search the folder, except with grep.
  if (isHere && !hasPlace && (call.context.stdin === null || call.name.endsWith('grep')))
    operands.push({ role: 'tree', field: literal('.', call.span) })
  const options = args.options.flatMap(({ role, value, field }) =>
    value === null ? (role === 'ask' ? [{ role, field }] : []) : [{ role, field: value }],
  )
  return [...options, ...operands]
}

function isFolder(field: Field, { context }: Call): boolean {
  return context
    .targets(field)
    .some(
      ({ real, pattern }) =>
        pattern !== null || (real !== null && context.environment.fs.list(real) !== null),
    )
}

function roleAt(layout: readonly string[], index: number): Role {
  const last = layout.at(-1) ?? 'ask'
  const name = layout[index] ?? (last.endsWith('*') ? last : 'ask')
  return name.replace('*', '') as Role
}

/** Unknown options, and words that may become options at run time. */
export function judgeOptions(args: Arguments, { context, name }: Call, isContained = false): void {
  for (const field of args.unknown) {
    context.ask('option', reason('argument.option', { name, option: field.text }), field.span)
  }
  for (const { span } of args.doubtful) {
    const why = reason('argument.may-be-option', { name })
    context.report('ask', 'unknown-value', why, span, { isContained, isProvable: isContained })
  }
  for (const field of args.operands)
    if (mayBecomeOption(field, context)) {
      context.ask(
        'unknown-value',
        reason('argument.pattern-option', { name, pattern: field.text }),
        field.span,
      )
    }
}

/** Whether one of its options runs another program. Without one, a reader in the jail can only read. */
function runsPrograms({ short, long }: OptionTable, name: string): boolean {
  // Other git commands run programs from the settings of the repository, which are trusted.
  if (name === 'git grep') return true
  return [...short.values(), ...long.values()].some(({ role }) => role === 'shell' || role === 'code')
}

/** A file named `-o` becomes an option of a program that gets it from a glob. */
function mayBecomeOption({ pattern, text }: Field, { state, environment }: JudgeContext): boolean {
  if (pattern === null || !/^[*?[+@!]/.test(text)) return false
  return state.folders.some((folder) =>
    matchesOf(environment, `${folder}/${pattern}`).some((path) => path.startsWith('-', folder.length + 1)),
  )
}

/** A listing of the working directory contains every name in it. */
function namesOf({ listsFolder }: Spec, args: Arguments, { span }: Call): Stream | null {
  const isPlain = args.operands.length === 0 && args.options.every(({ value }) => value === null)
  if (!listsFolder || !isPlain || args.has('R', 'recursive')) return null
  const patterns = args.has('a', 'A', 'f', 'all', 'almost-all') ? ['*', '.*'] : ['*']
  return {
    text: null,
    taint: 0,
    names: patterns.map((pattern) => ({ ...literal(pattern, span), pattern })),
  }
}

function printed(spec: Spec, args: Arguments, input: Stream, call: Call): Stream {
  const prints = typeof spec.prints === 'function' ? spec.prints(args) : spec.prints
  if (prints === 'facts') {
    const shape = spec.shape?.(args)
    return namesOf(spec, args, call) ?? (shape === undefined ? ANYTHING : { ...ANYTHING, shape })
  }
  const text = input.text !== null && isKnown(input.text) ? input.text : null
  const worked = spec.textOf?.(args, text, call) ?? null
  const taint = input.taint | (prints === 'unseen' ? Taint.unseen : 0)
  return { text: worked, taint, names: null }
}
