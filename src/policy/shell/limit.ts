/**
 * Limits, so that a verdict takes a few milliseconds for every command. The policy asks about a command that exceeds
 * them.
 */

import { spend } from '../../lib/step-budget.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'

/** On some systems a longer text does not fit into one argument of a program either. */
export const MAX_LENGTH = 65_536
export const MAX_DEPTH = 24

const MAX_TOKENS = 8_000
/** The parser looks ahead from each of these to the end of the text, so the cost is their number times the length. */
const MAX_LOOKAHEAD = 3_000_000
const MAX_NESTING = 200

/** The reason why a text is not read at all; null if it is read. One pass, no parsing. */
export function tooLarge(text: string): Reason | null {
  if (text.length > MAX_LENGTH) return reason('shell.too-long')
  spend(text.length / 8)
  if (isRereadTooOften(text)) return reason('shell.too-tangled')
  if (text.length < 1000) return null
  const count = { tokens: 0, open: 0, deepest: 0, braces: 0, heredocs: 0 }
  let depth = 0
  let braces = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x0a: // newline
      case 0x20: // space
      case 0x09: // tab
      case 0x3b: // ;
      case 0x26: // &
      case 0x7c: // |
      case 0x22: // "
      case 0x27: // '
      case 0x60: // `
      case 0x5c: // \
      case 0x24: // $
      case 0x2a: // *
      case 0x3f: // ?
      case 0x5b: // [
      case 0x3d: // =
      case 0x3e: // >
        count.tokens++
        break
      case 0x28: // (
        count.tokens++
        depth++
        count.deepest = Math.max(count.deepest, depth)
        break
      case 0x29: // )
        count.tokens++
        depth = Math.max(0, depth - 1)
        break
      case 0x7b: // {
        count.tokens++
        braces++
        count.braces = Math.max(count.braces, braces)
        break
      case 0x7d: // }
        braces = Math.max(0, braces - 1)
        break
      case 0x3c: // <
        count.tokens++
        if (text.charCodeAt(at + 1) === 0x3c) count.heredocs++
        break
    }
  }
  const openEnds = count.deepest + count.braces + count.heredocs
  if (count.tokens > MAX_TOKENS) return reason('shell.too-many-parts')
  if (count.deepest > MAX_NESTING || count.braces > MAX_NESTING) return reason('shell.too-deep')
  if (openEnds * text.length > MAX_LOOKAHEAD) return reason('shell.too-tangled')
  return null
}

/**
 * Repeated parsing: the parser takes `#` behind a process substitution for a comment, fails, and starts again at each
 * level of nesting.
 */
function isRereadTooOften(text: string): boolean {
  let [depth, signs] = [0, 0]
  for (let at = text.indexOf(')#'); at >= 0; at = text.indexOf(')#', at + 2)) signs++
  if (signs <= MAX_REREAD) return false
  for (let [at, open] = [0, 0]; at < text.length; at++) {
    if (text[at] === ')') open = Math.max(0, open - 1)
    else if (text[at] === '(' && '<>'.includes(text[at - 1] ?? ' ')) depth = Math.max(depth, ++open)
  }
  return depth > MAX_REREAD
}

const MAX_REREAD = 16

/** The cost of parsing a text, in steps of the reader: the parser looks ahead from each open end. */
export function costOfParsing(text: string): number {
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x28 || code === 0x60 || code === 0x7b || code === 0x3c) open++
  }
  return 1 + text.length / 100 + (open * text.length) / 150
}

/** Stops the reader early; caught where reading started. */
export class ReadingEnded extends Error {}
