/** `echo` and `printf`: their arguments are only text. */

import { reason } from '../../../protocol/reason/reason.js'
import { isKnown, UNKNOWN } from '../../file/path.js'
import { type Field, literal, type Stream, Taint, taintOf } from '../../shell/field.js'
import { NOTHING, textStream } from '../../shell/stream.js'
import { judgeHidden } from '../../shell/word/raw.js'
import type { Handler } from '../handler.js'
import type { JudgeContext } from '../judge-context.js'
import { formatText, unescapeText } from './text.js'

export const echo: Handler = ({ context, args }) => {
  judgeWords(context, args)
  let at = 0
  let flags = ''
  while (/^-[neE]+$/.test(args[at]?.text ?? '')) flags += args[at++]?.text.slice(1) ?? ''
  const words = args.slice(at)
  const text = words.map((word) => word.text).join(' ')
  const said = flags.includes('e') ? unescapeText(text) : text
  return printed(words, flags.includes('n') ? said : `${said}\n`)
}

export const printf: Handler = ({ context, args, span }) => {
  judgeWords(context, args)
  const [first] = args
  if (first === undefined || /^-|^\0/.test(first.text)) {
    if (first?.text === '--') return print(args.slice(1))
    context.ask('environment', reason('printf.sets'), first?.span ?? span)
    const [, name, ...rest] = args
    if (first?.text === '-v' && name !== undefined) {
      // The index of an element is arithmetic.
      judgeHidden(context, name.text, name.span)
      const { text, taint } = print(rest[0]?.text === '--' ? rest.slice(1) : rest)
      context.state.set(name.text, [literal(text ?? UNKNOWN, span, taint)])
      return NOTHING
    }
  }
  return print(args)
}

function print([format, ...words]: readonly Field[]): Stream {
  const text = formatText(
    format?.text ?? '',
    words.map((word) => word.text),
  )
  return text === null
    ? { text: null, taint: taintOf(words) | (format?.taint ?? 0), names: null }
    : printed(words, text)
}

function printed(words: readonly Field[], text: string): Stream {
  const taint = taintOf(words)
  const isSure = isKnown(text) && words.every(({ pattern, stream }) => pattern === null && stream === null)
  return isSure
    ? textStream(text, taint)
    : { text: null, taint, names: words.every(({ pattern }) => pattern !== null) ? words : null }
}

function judgeWords(context: JudgeContext, args: readonly Field[]): void {
  for (const field of args) {
    if (field.taint & Taint.variable) {
      context.askContained('secret-variable', reason('shell.secret'), field.span)
    }
  }
}
