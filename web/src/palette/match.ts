/** How well a text matches what is typed: all words must match, as a part of the text or as letters in this order. */

const PART = 100
const AT_WORD_START = 50
const IN_ORDER = 10

/** Null: no match. Higher is better. */
export function matchScore(text: string, query: string): number | null {
  const lower = text.toLowerCase()
  let sum = 0
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const score = wordScore(lower, word)
    if (score === null) return null
    sum += score
  }
  return sum
}

function wordScore(text: string, word: string): number | null {
  const at = text.indexOf(word)
  if (at >= 0) {
    const isStart = at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1))
    return PART + (isStart ? AT_WORD_START : 0)
  }
  let from = 0
  for (const letter of word) {
    const next = text.indexOf(letter, from)
    if (next === -1) return null
    from = next + letter.length
  }
  return IN_ORDER
}
