/** Patterns of a script: "*" is any text, "/…/i" a regular expression, all else a substring. */

export interface PatternMatch {
  groups: readonly string[]
}

export function matchPattern(pattern: string, text: string): PatternMatch | null {
  if (pattern === '*') return text === '' ? null : { groups: [text] }
  const expression = /^\/(.+)\/([a-z]*)$/s.exec(pattern)
  if (!expression) return text.includes(pattern) ? { groups: [pattern] } : null
  const match = new RegExp(expression[1] ?? '', expression[2]).exec(text)
  return match ? { groups: match.map((group) => group ?? '') } : null
}
