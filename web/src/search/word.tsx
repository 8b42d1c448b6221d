import type { ReactNode } from 'react'

/** Matches any word of a query, with the word as its group. Null without a word. */
export function wordPattern(query: string, flags: string): RegExp | null {
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? []
  // The longest first: of two words with the same beginning, the first that fits is taken.
  const sorted = words.toSorted((one, other) => other.length - one.length)
  return sorted.length === 0 ? null : new RegExp(`(${sorted.join('|')})`, flags)
}

export function marked(text: string, query: string): ReactNode {
  const pattern = wordPattern(query, 'iu')
  if (pattern === null) return text
  const parts = text.split(pattern)
  // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))
}
