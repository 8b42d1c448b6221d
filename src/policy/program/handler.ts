/** What a program is handed when it is judged, and what the judges have in common. */

import type { Access } from '../file/file-access.js'
import { isKnown } from '../file/path.js'
import { aimsAtProtected } from '../file/protected-glob.js'
import { matchesOf } from '../file/target.js'
import { type Field, type Span, Taint, tail, taintOf } from '../shell/field.js'
import type { Reader } from '../shell/interpreter.js'
import { NOTHING, type Stream } from '../shell/stream.js'
import type { Role } from './option.js'

export interface Call {
  reader: Reader
  /** The program, without its folder. */
  name: string
  args: readonly Field[]
  span: Span
}

/** Reports what speaks against the call, and answers what it would print. */
export type Handler = (call: Call) => Stream

/** Judges what a word means to the program. `content` is what goes into a file that is written. */
export function applyRole({ reader, name }: Call, role: Role, field: Field, content: Stream = NOTHING): void {
  switch (role) {
    case 'text':
      return
    case 'ask':
      reader.ask(
        'option',
        `${name}: ${field.text.replaceAll('\0', '…')} is not known to be harmless.`,
        field.span,
      )
      return
    case 'shell':
      reader.ask('code', `${name} runs a command.`, field.span)
      reader.inSubshell(() => reader.runText(field.text, field.span))
      return
    case 'code':
      reader.ask('code', `${name} runs code.`, field.span)
      return
    case 'aim':
      if (reader.isProtected(field) || aimsAtProtected(field.text))
        reader.ask('protected-read', `It aims at protected files: ${field.text}.`, field.span)
      return
    case 'folder':
      reader.access('make', field)
      return
    case 'tree':
      reader.access('read', field, { isRecursive: true })
      return
    case 'lines':
      reader.access('read', tail(field, field.text.lastIndexOf(':') + 1))
      return
    default:
      if (field.text !== '-' || (role !== 'read' && role !== 'write'))
        return reader.access(role satisfies Access, field, { content })
      // The standard streams to most programs, to some a file of that name, if there is one.
      if (isThere('-', reader)) reader.access(role, { ...field, text: './-' }, { content })
  }
}

function isThere(name: string, { state, world }: Reader): boolean {
  return state.folders.some((folder) => world.fs.list(folder)?.includes(name) === true)
}

/** What comes in: from the files that are read, or from the pipe when there are none. */
export function inputOf({ reader, args }: Call, reads: readonly Field[]): Stream {
  const files = reads.filter(({ text }) => text !== '-').map((field) => reader.contentOf(field))
  const fromPipe = reads.length === 0 || files.length < reads.length
  const all = fromPipe && reader.stdin !== null ? [...files, reader.stdin] : files
  const taint = all.reduce((sum, stream) => sum | stream.taint, taintOf(args) & Taint.secret)
  const text = all.length === 1 && reads.length <= 1 ? (all[0]?.text ?? null) : null
  return { text, taint, names: null }
}

/** The text of a program in another language: asked where the shell, the environment or a file name decides what it says. */
export function judgeProgramText({ reader, name }: Call, field: Field): void {
  const { text, pattern, taint, span, stream } = field
  if (!isKnown(text) || stream !== null)
    reader.ask('unknown-value', `What ${name} is to do is not known before it runs.`, span)
  else if (pattern !== null && fitsFiles(reader, pattern))
    reader.ask('unknown-value', `What ${name} is to do is a pattern that fits files.`, span)
  if (taint & Taint.unseen) reader.deny('unseen-code', 'It runs a program that nobody has seen.', span)
}

function fitsFiles({ state, world }: Reader, pattern: string): boolean {
  const isAbsolute = pattern.startsWith('/')
  return state.folders.some(
    (folder) => matchesOf(world, isAbsolute ? pattern : `${folder}/${pattern}`).length > 0,
  )
}

/** Text is harmless, unless it holds what may be a secret: nearly every program prints it, if only to complain. */
export function judgeText(reader: Reader, { taint, span }: Field): void {
  if (taint & Taint.variable)
    reader.askContained('secret-variable', 'It uses a variable whose value may be a secret.', span)
}
