/** The input of a program's judge, and the helpers that judges share. */

import { reason } from '../../protocol/reason/reason.js'
import type { Access } from '../file/file-access.js'
import { isKnown } from '../file/path.js'
import { aimsAtProtected } from '../file/protected-glob.js'
import { matchesOf } from '../file/target.js'
import { type Field, type Span, type Stream, Taint, tail, taintOf } from '../shell/field.js'
import { NOTHING } from '../shell/stream.js'
import type { JudgeContext } from './judge-context.js'
import type { Role } from './option.js'

export interface Call {
  context: JudgeContext
  /** The name of the program, without its folder. */
  name: string
  args: readonly Field[]
  span: Span
}

/** Reports findings about the call, and returns the output of the program. */
export type Handler = (call: Call) => Stream

/** Judges a word by its role. `content` goes into a file that is written. */
export function applyRole(
  { context, name }: Call,
  role: Role,
  field: Field,
  content: Stream = NOTHING,
): void {
  switch (role) {
    case 'text':
      return
    case 'ask':
      context.ask('option', reason('argument.unlisted', { name, argument: field.text }), field.span)
      return
    case 'shell':
      context.ask('code', reason('program.runs-command', { name }), field.span)
      context.inSubshell(() => context.runText(field.text, field.span))
      return
    case 'code':
      context.ask('code', reason('program.runs-code', { name }), field.span)
      return
    case 'aim':
      if (context.isProtected(field) || aimsAtProtected(field.text))
        context.ask('protected-read', reason('file.search-protected', { pattern: field.text }), field.span)
      return
    case 'folder':
      context.access('make', field)
      return
    case 'tree':
      context.access('read', field, { isRecursive: true })
      return
    case 'lines':
      context.access('read', tail(field, field.text.lastIndexOf(':') + 1))
      return
    default:
      if (field.text !== '-' || (role !== 'read' && role !== 'write'))
        return context.access(role satisfies Access, field, { content })
      // To most programs the standard streams; to some a file named `-`, if there is one.
      if (isThere('-', context)) context.access(role, { ...field, text: './-' }, { content })
  }
}

function isThere(name: string, { state, environment }: JudgeContext): boolean {
  return state.folders.some((folder) => environment.fs.list(folder)?.includes(name) === true)
}

/** The input of the program: the files that it reads, or the pipe if there are none. */
export function inputOf({ context, args }: Call, reads: readonly Field[]): Stream {
  const files = reads.filter(({ text }) => text !== '-').map((field) => context.contentOf(field))
  const fromPipe = reads.length === 0 || files.length < reads.length
  const all = fromPipe && context.stdin !== null ? [...files, context.stdin] : files
  const taint = all.reduce((sum, stream) => sum | stream.taint, taintOf(args) & Taint.secret)
  const text = all.length === 1 && reads.length <= 1 ? (all[0]?.text ?? null) : null
  return { text, taint, names: null }
}

/** A program text in another language: asks if the shell, the environment or a file name decides its content. */
export function judgeProgramText({ context, name }: Call, field: Field): void {
  const { text, pattern, taint, span, stream } = field
  if (!isKnown(text) || stream !== null)
    context.ask('unknown-value', reason('argument.unknown-program', { name }), span)
  else if (pattern !== null && fitsFiles(context, pattern))
    context.ask('unknown-value', reason('argument.pattern-program', { name }), span)
  if (taint & Taint.unseen) context.deny('unseen-code', reason('shell.unseen-code'), span)
}

function fitsFiles({ state, environment }: JudgeContext, pattern: string): boolean {
  const isAbsolute = pattern.startsWith('/')
  return state.folders.some(
    (folder) => matchesOf(environment, isAbsolute ? pattern : `${folder}/${pattern}`).length > 0,
  )
}

/**
 * Text is harmless unless it may contain a secret: nearly every program prints its arguments, at least in an error
 * message.
 */
export function judgeText(context: JudgeContext, { taint, span }: Field): void {
  if (taint & Taint.variable) context.askContained('secret-variable', reason('shell.secret'), span)
}
