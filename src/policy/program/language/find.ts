/** `find`: its starting points, the names that it selects, and its actions on them. */

import { spend } from '../../../lib/step-budget.js'
import { reason } from '../../../protocol/reason/reason.js'
import { UNKNOWN } from '../../file/path.js'
import { type Field, literal, type Stream } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import { type Call, type Handler, judgeText } from '../handler.js'
import { type Found, readFindExpression } from './find-expression.js'

export const find: Handler = (call) => {
  const { context, args } = call
  const { starts, rest } = splitArguments(call)
  for (const field of args) judgeText(context, field)
  for (const start of starts) context.access('look', start)
  const { actions, listed } = readFindExpression(rest)
  for (const { field, kind, words, found } of actions) {
    const matched = whatIsFound(starts, found)
    const [value] = words
    switch (kind) {
      case 'delete':
        context.ask('delete', reason('find.deletes'), field.span)
        for (const one of matched) context.access('delete', one, { isRecursive: one.isTree })
        break
      case 'write':
        if (value !== undefined) context.access('write', value)
        break
      case 'run':
        runFor(call, field, words, field.text.startsWith('-ok') ? [literal(UNKNOWN, field.span)] : matched)
        break
      case 'read':
        if (value !== undefined) context.access('read', value)
        context.ask('option', reason('find.list'), field.span)
        break
      case 'look':
        if (value !== undefined) context.access('look', value)
        break
      case 'unknown':
        context.ask('option', reason('argument.unlisted', { name: 'find', argument: field.text }), field.span)
        break
    }
  }
  if (args.some(({ text }) => text === '--version')) return ANYTHING
  return { text: null, taint: 0, names: whatIsFound(starts, listed) }
}

function splitArguments({ context, args, span }: Call): { starts: readonly Field[]; rest: readonly Field[] } {
  let at = 0
  while (/^-(?:[HLP]|O\d|D)$|^--$/.test(args[at]?.text ?? '')) at += args[at]?.text === '-D' ? 2 : 1
  const from = at
  while (at < args.length && !/^[-(!,)]/.test(args[at]?.text ?? '')) at++
  const starts = args.slice(from, at)
  for (const field of starts) {
    if (field.text.startsWith(UNKNOWN)) {
      context.ask('unknown-value', reason('find.unknown-action'), field.span)
    }
  }
  return { starts: starts.length > 0 ? starts : [literal('.', span)], rest: args.slice(at) }
}

/** Everything below the starting points; or the names, if they are given; or an unknown set. */
function whatIsFound(starts: readonly Field[], found: Found): Field[] {
  spend(starts.length * (found.kind === 'names' ? 1 + found.names.length : 1) * 8)
  if (found.kind === 'all') return starts.map((start) => ({ ...start, isTree: true }))
  if (found.kind === 'some')
    return starts.map((start) => ({ ...start, text: `${start.text}/${UNKNOWN}`, isFound: true }))
  return starts.flatMap((start) =>
    found.names.map(({ text: name }) => {
      const text = /^[./]/.test(name) && name.includes('/') ? name : `${start.text}/${name}`
      return { ...start, text, pattern: /[*?[\\]/.test(name) ? text : null, isFound: true }
    }),
  )
}

/** Runs the words of `-exec`, with `{}` for the found files. */
function runFor(
  { context, span }: Call,
  action: Field,
  words: readonly Field[],
  matched: readonly Field[],
): void {
  const filled = words.flatMap((word) => {
    if (!word.text.includes('{}')) return [word]
    return matched.map((field) =>
      word.text === '{}'
        ? { ...field, span: word.span }
        : { ...word, text: word.text.replaceAll('{}', () => field.text) },
    )
  })
  // Runs in the folder of each file, where names, and perhaps programs, resolve differently.
  if (action.text === '-exec') context.askUnfollowed('code', reason('find.runs'), action.span)
  else context.ask('code', reason('find.runs'), action.span)
  const run = (): Stream => context.inSubshell(() => context.runWords(filled, span))
  context.withStdin(context.stdin, run)
}
