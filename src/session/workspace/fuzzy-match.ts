/**
 * How well a path matches what a user types: as the name of the file, as a part of the name or of the path, or as letters
 * in this order. A mask of the letters in a path rejects most of them before the text is looked at.
 */

const NAME = 1_000
const NAME_START = 900
const NAME_WORD = 800
const NAME_PART = 700
const PATH_WORD = 600
const PATH_PART = 500
const NAME_LETTERS = 300
const PATH_LETTERS = 100
/** For each letter at the start of a word, and for each that follows the one before. */
const AT_WORD = 6
const IN_ROW = 4
/** Shorter paths first, within a kind of match. */
const MAX_LENGTH_COST = 90

/** In lower case and composed, as paths are compared. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** One bit for each of 32 groups of characters. */
export function letterMask(folded: string): number {
  let mask = 0
  for (let at = 0; at < folded.length; at += 1) mask |= 1 << (folded.charCodeAt(at) & 31)
  return mask
}

/** A path in the form that it is compared in. */
export interface FoldedPath {
  folded: string
  /** Where its last name begins. */
  nameAt: number
}

/** Null: no match. Higher is better. */
export function matchPath({ folded, nameAt }: FoldedPath, query: string): number | null {
  const score = kindOfMatch(folded, nameAt, query)
  return score === null ? null : score - Math.min(MAX_LENGTH_COST, folded.length / 4)
}

function kindOfMatch(path: string, nameAt: number, query: string): number | null {
  const inName = path.indexOf(query, nameAt)
  if (inName === nameAt) return isWholeName(path, nameAt + query.length) ? NAME : NAME_START
  if (inName > nameAt) return isWordStart(path, inName) ? NAME_WORD : NAME_PART
  const inPath = path.indexOf(query)
  if (inPath >= 0) return isWordStart(path, inPath) ? PATH_WORD : PATH_PART
  const byName = lettersInOrder(path, nameAt, query)
  if (byName !== null) return NAME_LETTERS + byName
  const byPath = lettersInOrder(path, 0, query)
  return byPath === null ? null : PATH_LETTERS + byPath
}

/** With or without its extension. */
function isWholeName(path: string, end: number): boolean {
  return end === path.length || (path[end] === '.' && !path.includes('.', end + 1))
}

function lettersInOrder(path: string, from: number, query: string): number | null {
  let bonus = 0
  let before = -2
  for (let index = 0, at = from; index < query.length; index += 1) {
    const found = path.indexOf(query.charAt(index), at)
    if (found === -1) return null
    if (found === before + 1) bonus += IN_ROW
    else if (isWordStart(path, found)) bonus += AT_WORD
    before = found
    at = found + 1
  }
  return Math.min(bonus, 150)
}

function isWordStart(path: string, at: number): boolean {
  return at === 0 || '/._- '.includes(path.charAt(at - 1))
}
