/** A shell with a script: as text, as a file, or through a pipe. */

import { reason } from '../../../protocol/reason/reason.js'
import type { Field, Stream } from '../../shell/field.js'
import { type Span, Taint } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import type { Call } from '../handler.js'

export interface ScriptOptions {
  /** Run in this shell, as `source` does. */
  isHere?: boolean
  positional?: readonly Field[]
  span?: Span
}

/** Denies bytes that the user has not seen; reads known text like the rest of the command. */
export function runScript(
  { context, span: whole }: Call,
  script: Stream,
  options: ScriptOptions = {},
): Stream {
  const span = options.span ?? whole
  if (script.taint & Taint.unseen) {
    context.deny('unseen-code', reason('shell.unseen-code'), span)
  }
  const { text } = script
  if (text === null) return ANYTHING
  const run = () => {
    if (options.positional !== undefined) context.state.positional = options.positional
    return context.runText(text, span)
  }
  return options.isHere ? run() : context.inSubshell(run)
}
