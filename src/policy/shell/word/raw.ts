/** Unparsed text: finds and judges the commands inside, and asks about the rest. */

import { afterNested } from '../../../lib/glob/brace.js'
import { reason } from '../../../protocol/reason/reason.js'
import type { JudgeContext } from '../../program/judge-context.js'
import type { Span } from '../field.js'

/** `quoted`: process substitutions are only text, as in double quotes, here-documents and arithmetic. */
export type RawKind = 'bare' | 'quoted'

/** Whether a shell would expand a part of it. */
export function isLive(text: string, kind: RawKind): boolean {
  if (!/[`$<>]/.test(text)) return false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '`') return true
    if (character === '\\') at++
    else if (character === '$' && '({['.includes(text[afterContinuations(text, at + 1)] ?? ' ')) return true
    else if (kind === 'bare' && opensProcess(text, at)) return true
  }
  return false
}

function opensProcess(text: string, at: number): boolean {
  return (text[at] === '<' || text[at] === '>') && text[afterContinuations(text, at + 1)] === '('
}

/** A backslash before a newline joins the lines, also between `$` and `(`. */
function afterContinuations(text: string, from: number): number {
  let at = from
  while (text.startsWith('\\\n', at)) at += 2
  return at
}

/** Asks, and judges every command that may be hidden in the text. */
export function judgeRaw(context: JudgeContext, text: string, span: Span): void {
  context.ask('unreadable', reason('shell.unreadable-part'), span)
  judgeHidden(context, text, span)
}

/** Judges every command that may be hidden in the text, whether or not quotes would keep it from running. */
export function judgeHidden(context: JudgeContext, text: string, span: Span): void {
  for (const command of hiddenCommands(text)) {
    context.inSubshell(() => context.runText(command, span))
  }
}

/** The text inside `$(…)`, backquotes, `<(…)` and `>(…)`. Nested ones are found when the outer text is read. */
function hiddenCommands(raw: string): string[] {
  const text = raw.replaceAll('\\\n', '')
  const found: string[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '`') {
      const end = closingQuote(text, at + 1)
      found.push(text.slice(at + 1, end).replaceAll(/\\([`$\\])/g, '$1'))
      at = end
    } else if ('$<>'.includes(character) && text[at + 1] === '(') {
      const end = afterNested(text, at + 1, '(', ')')
      found.push(text.slice(at + 2, text[end - 1] === ')' ? end - 1 : end))
      // A pattern of `case` closes a parenthesis that was never opened.
      if (/\bcase\b/.test(text.slice(at + 2, end))) found.push(text.slice(at + 2, text.lastIndexOf(')')))
      at = end - 1
    }
  }
  return found
}

function closingQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '`') at += text[at] === '\\' ? 2 : 1
  return at
}
