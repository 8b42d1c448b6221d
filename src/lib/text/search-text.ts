/** How words are compared in a search over everything. */

import { normalizeText } from './normalize.js'

// Languages that are written without spaces, or with endings at the word: each character is a word of its own, so that
// any part of a text is found.
const SINGLE = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu

const PLAIN = /^[\t\n\r\u0020-\u007e]*$/
const NO_PLAIN_WORD = /[^a-z0-9_]+/g

/** The text in words that are compared as a whole, with a space between them. */
export function splitWords(text: string): string {
  // Most texts are plain, and need no tables of letters.
  if (PLAIN.test(text)) return text.toLowerCase().replaceAll(NO_PLAIN_WORD, ' ').trim()
  return normalizeText(text, 'NFKC')
    .toLowerCase()
    .replaceAll(SINGLE, ' $& ')
    .replaceAll(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim()
}

/** Whether all phrases stand in a text, compared as the index compares them: also without the marks of letters. */
export function hasPhrases(text: string, phrases: readonly string[][]): boolean {
  const words = ` ${withoutMarks(splitWords(text))}`
  return phrases.every((phrase) => words.includes(` ${withoutMarks(phrase.join(' '))}`))
}

function withoutMarks(text: string): string {
  return PLAIN.test(text) ? text : normalizeText(text, 'NFD').replaceAll(/\p{M}/gu, '')
}

/** The phrases that all must be there, each as its words; the last word of each may go on. */
export function phrasesOf(query: string): string[][] {
  const parts = query.match(/"[^"]*"|[^\s"]+/g) ?? []
  return parts.map((part) => splitWords(part).split(' ').filter(Boolean)).filter((words) => words.length > 0)
}
