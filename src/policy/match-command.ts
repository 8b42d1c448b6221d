/** Whether the words of a simple command fit a rule. */

import { spend } from './budget.js'
import { fitsWhole, type Glob, globOf } from './glob/glob.js'
import { isInside, nameOf } from './path.js'
import { PROGRAM_FOLDERS } from './shell/command.js'
import type { ReadCommand } from './shell/reader.js'

/**
 * For a rule that denies or asks: the program is compared without its folder, and what may be an option before the
 * first word that is none is left out in every way, so that `git -C x push` is a `git push`.
 */
export function mayFitCommand(patterns: readonly string[], { words }: ReadCommand): boolean {
  const [program = '', ...rest] = words
  const name = nameOf(program)
  spend(4 + words.length / 4)
  return patterns.some((pattern) => {
    const wanted = wordsOf(pattern)
    return withoutOptions(rest).some((others) => fitsWords(wanted, [name, ...others], true))
  })
}

/** For a rule that allows: every word as it stands. A word that is not known fits nothing but words that are left open. */
export function surelyFitsCommand(
  patterns: readonly string[],
  { words, isSure }: Pick<ReadCommand, 'words' | 'isSure'>,
): boolean {
  if (!isSure.every(Boolean)) return false
  const [program = '', ...rest] = words
  const isOfSystem = PROGRAM_FOLDERS.some((folder) => program !== folder && isInside(folder, program))
  const name = isOfSystem ? nameOf(program) : program
  return patterns.some((pattern) => fitsWords(wordsOf(pattern), [name, ...rest], false))
}

/** Cut at spaces; a space behind a backslash belongs to its word. */
function wordsOf(pattern: string): string[] {
  spend(pattern.length / 4)
  return (pattern.match(/(?:\\[^]|[^\\\s])+/g) ?? []).map((word) => word)
}

const MAX_OPTIONS = 20

/** The words themselves, and what is left behind each option before them; an option may take the word behind it. */
function withoutOptions(words: readonly string[]): (readonly string[])[] {
  const starts = new Set([0])
  for (const start of starts) {
    const word = words[start]
    if (word === undefined || starts.size > MAX_OPTIONS || !/^[-+]./.test(word)) continue
    starts.add(start + 1)
    if (!word.includes('=') && start + 2 <= words.length) starts.add(start + 2)
  }
  spend((starts.size * words.length) / 16)
  return [...starts].map((start) => words.slice(start))
}

/** Without backtracking: the places that the pattern may have reached, word by word. */
function fitsWords(patterns: readonly string[], words: readonly string[], isDoubtFitting: boolean): boolean {
  let places = [0]
  for (const [index, pattern] of patterns.entries()) {
    const [first] = places
    if (first === undefined) return false
    spend(2 + places.length)
    if (pattern === '**') {
      if (index === patterns.length - 1) return true
      spend(words.length)
      places = Array.from({ length: words.length - first + 1 }, (_, at) => first + at)
    } else {
      places = places
        .filter((at) => at < words.length && fitsWord(pattern, words[at] as string, isDoubtFitting))
        .map((at) => at + 1)
    }
  }
  return places.includes(words.length)
}

/** In words of a command a star may stand for slashes as well. */
function fitsWord(pattern: string, word: string, isDoubtFitting: boolean): boolean {
  return pattern === word || fitsText(globOf(pattern, { braces: true, paths: false }), word, isDoubtFitting)
}

const MAX_TEXT = 4096

export function fitsText(glob: Glob | null, text: string, isDoubtFitting: boolean): boolean {
  if (glob === null || text.length > MAX_TEXT) return isDoubtFitting
  if (text === '') return false
  return fitsWhole(glob, text) ?? isDoubtFitting
}
