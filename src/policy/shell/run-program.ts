/** Resolves the program of a command and selects its judge. */

import { fits } from '../../lib/glob/shell-pattern.js'
import { reason } from '../../protocol/reason/reason.js'
import { absolute, isInside, isKnown, isTooLong, nameOf } from '../file/path.js'
import { judgeBehind, RUNNERS } from '../program/behind.js'
import { runScript } from '../program/language/run-script.js'
import { isVersionQuestion } from '../program/system/version.js'
import { handlerFor, isPowerProgram, programNames } from '../program/table.js'
import { type Field, literal, type Span, type Stream, Taint, taintOf } from './field.js'
import type { ShellContext } from './shell-context.js'
import { ANYTHING } from './stream.js'
import { walkBody } from './walk.js'

export function runWords(context: ShellContext, words: readonly Field[], span: Span): Stream {
  const [name, ...args] = words
  if (name === undefined) return ANYTHING
  if (name.taint & Taint.unseen) context.deny('unseen-code', reason('shell.unseen-code'), name.span)
  if (name.pattern !== null || name.isTree) return runFitting(context, name, args, span)
  judgeVariables(context, name, args)
  const body = context.state.functions.get(name.text)
  if (body !== undefined) return callFunction(context, name, args, body)
  const program = programOf(context, name)
  const passed = { text: null, taint: taintOf(args) | (context.stdin?.taint ?? 0), names: null }
  if (program === null) {
    context.ask('unknown-value', reason('shell.unknown-program'), name.span)
    return passed
  }
  if (program.isForeign) {
    context.ask('code', reason('program.foreign', { name: name.text }), name.span)
    runNoted(context, name, args, span)
    if (isPowerProgram(program.name)) return passed
  } else if (isVersionQuestion(program.name, args)) return ANYTHING
  const handler = handlerFor(program.name)
  if (handler === null) {
    if (!program.isForeign) context.ask('program', reason('program.unlisted', { name: program.name }), span)
    judgeBehind({ context, name: program.name, args, span })
    return passed
  }
  if (RUNNERS.has(program.name)) judgeBehind({ context, name: program.name, args, span })
  return handler({ context, name: program.name, args, span })
}

/** These use a value without printing it. Their own judges handle their error messages. */
const SILENT: ReadonlySet<string> = new Set(['test', '[', 'true', 'false', ':'])

/** A program may print its arguments: as output, or in an error message. */
function judgeVariables(context: ShellContext, name: Field, args: readonly Field[]): void {
  if (SILENT.has(name.text)) return
  const shown = args.find(({ taint }) => taint & Taint.variable)
  const isPiped = context.stdin !== null && (context.stdin.taint & Taint.variable) !== 0
  if (shown === undefined && !isPiped) return
  context.askContained('secret-variable', reason('shell.secret'), shown?.span ?? name.span)
}

interface Program {
  name: string
  /** Named by a path outside the system folders. */
  isForeign: boolean
}

function programOf(context: ShellContext, { text, span }: Field): Program | null {
  const renamed = context.state.files.get(`hash:${text}`)
  if (renamed?.kind === 'copy') return { name: nameOf(renamed.of), isForeign: true }
  const name = nameOf(text).replace(/\.exe$/i, '')
  if (!isKnown(name) || text === '' || isTooLong(text)) return null
  if (!text.includes('/')) return { name, isForeign: false }
  const [target] = context.targets(literal(text, span))
  const note = target === undefined ? undefined : context.state.files.get(target.path)
  if (note?.kind === 'copy') return { name: nameOf(note.of), isForeign: true }
  const isOfSystem = context.state.folders.every((from) =>
    PROGRAM_FOLDERS.some((folder) => isInside(folder, isKnown(text) ? absolute(from, text) : text)),
  )
  return { name, isForeign: !isOfSystem }
}

export const PROGRAM_FOLDERS = [
  '/bin',
  '/usr/bin',
  '/sbin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
]

/** A program that this command has created. */
function runNoted(context: ShellContext, name: Field, args: readonly Field[], span: Span): void {
  const [target] = context.targets(name)
  const note = target === undefined ? undefined : context.state.files.get(target.path)
  if (note?.kind !== 'content') return
  runScript({ context, name: name.text, args, span }, note.stream, { positional: [name, ...args] })
}

const MAX_FITTING = 40

/** `/bin/r?`: judges every program that the name may match. */
function runFitting(context: ShellContext, name: Field, args: readonly Field[], span: Span): Stream {
  context.ask('unknown-value', reason('shell.pattern-program'), name.span)
  const pattern = nameOf(name.pattern ?? name.text)
  let tried = 0
  for (const candidate of programNames()) {
    if (tried > MAX_FITTING) break
    if (!fits(pattern, candidate) || isPowerProgram(candidate)) continue
    tried++
    context.spend(50)
    context.inSubshell(() => handlerFor(candidate)?.({ context, name: candidate, args, span }))
  }
  return ANYTHING
}

function callFunction(
  context: ShellContext,
  name: Field,
  args: readonly Field[],
  body: Parameters<typeof walkBody>[1],
): Stream {
  if (context.functions.includes(name.text)) return ANYTHING
  const { functions, state } = context
  const { positional } = state
  context.functions = [...functions, name.text]
  context.state.positional = [name, ...args]
  const out = walkBody(context, body)
  context.functions = functions
  context.state.positional = positional
  return out
}
