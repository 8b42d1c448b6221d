/**
 * Matches plain patterns, those without groups and without `**`, by the classic walk with one place to come back to: after a later
 * star an earlier one need not be tried again. A listing compares every name with every pattern, and patterns are as hostile as files.
 */

import { isMember } from './glob.js'
import type { Token } from './parse-glob.js'

/** Whether the tokens of a plain pattern fit the whole text. */
export function fitsPlain(tokens: readonly Token[], text: string): boolean {
  let index = 0
  let at = 0
  let afterStar = -1
  let resumeAt = 0
  for (;;) {
    const token = tokens[index]
    if (token === undefined && at === text.length) return true
    if (token?.kind === 'star') {
      afterStar = ++index
      if (afterStar === tokens.length) return true
      resumeAt = at
      continue
    }
    const end = token === undefined ? -1 : endOf(token, text, at)
    if (end >= 0) {
      at = end
      index++
    } else if (afterStar >= 0 && resumeAt < text.length) {
      resumeAt += widthAt(text, resumeAt)
      at = resumeAt
      index = afterStar
    } else return false
  }
}

/** Where the token ends that begins here; -1 if it does not fit. */
function endOf(token: Token, text: string, at: number): number {
  if (token.kind === 'text') return text.startsWith(token.text, at) ? at + token.text.length : -1
  const code = text.codePointAt(at)
  if (code === undefined) return -1
  const fits = token.kind === 'any' || (token.kind === 'class' && isMember(token, code))
  return fits ? at + widthAt(text, at) : -1
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
