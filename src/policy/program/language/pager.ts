/**
 * `less` and `more` without a terminal print their files, but may run the program in `LESSOPEN`, a variable that is not
 * set in the jail.
 */

import { reason } from '../../../protocol/reason/reason.js'
import { isKnown } from '../../file/path.js'
import type { Handler } from '../handler.js'
import { fromSpec } from '../spec.js'

const OPTIONS = 'FNRSXrnseEiIqm'
const asReader = fromSpec({ options: `-${OPTIONS}`, operands: 'read*' })

/** Null if it has arguments other than files and display options. */
export function pagerAsReader(call: Parameters<Handler>[0]): ReturnType<Handler> | null {
  const { context, name, args, span } = call
  const isPlain = args.every(
    ({ text }) => isKnown(text) && !text.startsWith('+') && (!text.startsWith('-') || PLAIN.test(text)),
  )
  if (!isPlain) return null
  context.askContained('code', reason('program.pager', { name }), span)
  return asReader(call)
}

const PLAIN = new RegExp(`^-[${OPTIONS}]{1,20}$`)
