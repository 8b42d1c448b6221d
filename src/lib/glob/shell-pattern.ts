/** Shell patterns. A pattern is text in which everything that is not special is escaped. */

import { fitsWhole, fittingEnds, fittingStarts, globOf } from './glob.js'
import type { GlobSyntax, Token } from './parse-glob.js'

/** Braces are expanded before, and a path is compared name by name. */
const SYNTAX: GlobSyntax = { braces: false, paths: false }

/** Whether a pattern fits a whole text, for one name of a path: `*` and `?` do not fit a leading dot unless `dots`. */
export function fits(pattern: string, text: string, { dots = true }: { dots?: boolean } = {}): boolean {
  if (!dots && text.startsWith('.') && !/^\\?\./.test(pattern)) return false
  const glob = globOf(pattern, SYNTAX)
  // Fails closed: a pattern that cannot be parsed, or exceeds its step budget, may fit anything.
  return glob === null || fitsWhole(glob, text) !== false
}

/** `${x#PATTERN}`, `##`, `%` and `%%`: what is left of the text; null if that is not known. */
export function removeFitting(text: string, operator: string, pattern: string): string | null {
  const glob = globOf(pattern, SYNTAX)
  const isStart = operator.startsWith('#')
  const sizes = glob === null ? null : isStart ? fittingStarts(glob, text) : fittingEnds(glob, text)
  if (sizes === null) return null
  const size = operator.length === 2 ? sizes.at(-1) : sizes[0]
  if (size === undefined) return text
  return isStart ? text.slice(size) : text.slice(0, text.length - size)
}

/** One text that the pattern would fit, made of its own letters. */
export function sampleOf(pattern: string): string {
  const glob = globOf(pattern, SYNTAX)
  return glob === null ? pattern : sampleOfTokens(glob.tokens)
}

function sampleOfTokens(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      switch (token.kind) {
        case 'text':
          return token.text
        case 'class':
          return token.isNegated ? 'a' : String.fromCodePoint(token.ranges[0]?.[0] ?? 0x61)
        case 'group':
          return sampleOfTokens(token.ways[0] ?? [])
        default:
          return 'a'
      }
    })
    .join('')
}
