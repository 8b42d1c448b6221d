/** Deceptive characters, which make a text look like another one. Ordinary letters of any script are not among them. */

import { spend } from '../../lib/step-budget.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'

/** Control characters, invisible and reordering characters, odd spaces, lone surrogates. */
const HIDDEN = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u034f\u115f\u1160\u3164\uffa0]/u
/** Forms that some systems read as plain ASCII, and marks that look like shell operators. */
const COMPATIBLE =
  /[\uff01-\uff5e\u2024\u2044\u2215\u29f8\u2571\u2010-\u2015\u2212\ufe58\ufe63\u037e\u2223\u01c0]/u
const LATIN = /(?=\p{Script=Latin})\p{L}/u
/** Scripts with homoglyphs of Latin letters. */
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
/** No two of these overlap, so each character is visited a few times at most. */
const WORD = /[\p{L}\p{M}\d_.\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}-]+/gu

const ASCII = /^[\t\n -~]*$/

/** The reason why a text is deceptive; null if it is not. */
export function deception(text: string): { reason: Reason; at: number } | null {
  spend(text.length / 16)
  if (ASCII.test(text)) return null
  spend(text.length)
  const kinds: [RegExp, Reason][] = [
    [HIDDEN, reason('text.hidden')],
    [COMPATIBLE, reason('text.look-alike')],
  ]
  for (const [pattern, why] of kinds) {
    const match = pattern.exec(text)
    if (match !== null) return { reason: why, at: match.index }
  }
  const at = mixedWord(text)
  return at === null ? null : { reason: reason('text.mixed-scripts'), at }
}

/** The start of a word with letters of several scripts. */
function mixedWord(text: string): number | null {
  if (!ALIKE.test(text)) return null
  for (const { 0: word, index } of text.matchAll(WORD)) {
    spend(2)
    if (ALIKE.test(word) && LATIN.test(word)) return index
  }
  return null
}
