/** Whether the words of a simple command match a rule. */

import { fitsWhole, type Glob, globOf } from '../../lib/glob/glob.js'
import { spend } from '../../lib/step-budget.js'
import { isInside, nameOf } from '../file/path.js'
import { PROGRAM_FOLDERS } from '../shell/run-program.js'
import type { ReadCommand } from '../shell/shell-report.js'
import { keepsMeaning, staysInWord } from './wildcard-word.js'

/**
 * For a rule that denies or asks: compares the program without its folder, and tries every way to drop options before
 * the first operand, so that `git -C x push` matches `git push`.
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

/**
 * For a rule that allows: compares every word exactly. An unknown word matches nothing, and a wildcard matches only
 * ordinary arguments: an option or another file that changes the meaning of a command must be written in the rule.
 */
export function surelyFitsCommand(
  patterns: readonly string[],
  { words, isSure }: Pick<ReadCommand, 'words' | 'isSure'>,
  isOrdinary: (word: string) => boolean,
): boolean {
  spend(4 + words.length / 4)
  if (!isSure.every(Boolean)) return false
  const [program = '', ...rest] = words
  const isOfSystem = PROGRAM_FOLDERS.some((folder) => program !== folder && isInside(folder, program))
  const name = isOfSystem ? nameOf(program) : program
  const all = [name, ...rest]
  const isKept = (word: string) => keepsMeaning({ pattern: '', word, words: all })
  const isOpen = (word: string) => !isOption(word) && isKept(word) && isOrdinary(word)
  const wildcards: Wildcards = {
    '*': isOpen,
    '**': isOpen,
    '-**': (word) => isKept(word) && isOrdinary(word),
    part: (pattern, word) => staysInWord({ pattern, word, words: all }, isOrdinary),
  }
  return patterns.some((pattern) => fitsWords(wordsOf(pattern), all, false, wildcards))
}

/** The words that a bare wildcard may match, and the words that a wildcard inside a word may match. */
interface Wildcards extends Readonly<Record<'*' | '**' | '-**', (word: string) => boolean>> {
  part(pattern: string, word: string): boolean
}
const ANYTHING: Wildcards = { '*': () => true, '**': () => true, '-**': () => true, part: () => true }

/** Options with the same meaning in every program and no influence on what it runs. */
const HARMLESS_OPTION =
  /^(?:--|-\d+|-j\d*|-h|--(?:help|version|verbose|quiet|silent|dry-run|color|no-color|json|watch|coverage|ci)|--jobs=\d+)$/

/** An option, or an assignment such as `CC=clang`, may name other settings, another folder or a program. */
function isOption(word: string): boolean {
  return (/^[-+]/.test(word) && !HARMLESS_OPTION.test(word)) || /^[A-Za-z_][\w.-]*=/.test(word)
}

/** Splits at spaces; a space behind a backslash belongs to its word. */
function wordsOf(pattern: string): string[] {
  spend(pattern.length / 4)
  return (pattern.match(/(?:\\[^]|[^\\\s])+/g) ?? []).map((word) => word)
}

const MAX_OPTIONS = 20

/** The words themselves, and the words behind each leading option; an option may take the next word as its value. */
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

/** Without backtracking: tracks the positions in the pattern that may be reached, word by word. */
function fitsWords(
  patterns: readonly string[],
  words: readonly string[],
  isDoubtFitting: boolean,
  wildcards = ANYTHING,
): boolean {
  let places = new Set([0])
  for (const pattern of patterns) {
    const next = new Set<number>()
    spend(2 + places.size)
    for (const place of places) {
      if (pattern !== '**' && pattern !== '-**') {
        const word = words[place]
        if (word === undefined || !fitsWord(pattern, word, isDoubtFitting)) continue
        if (pattern === '*' ? wildcards['*'](word) : wildcards.part(pattern, word)) next.add(place + 1)
        continue
      }
      for (let at = place; !next.has(at); at += 1) {
        next.add(at)
        spend(1)
        if (at >= words.length || !wildcards[pattern](words[at] as string)) break
      }
    }
    places = next
  }
  return places.has(words.length)
}

/** In words of a command, a star matches slashes as well. */
function fitsWord(pattern: string, word: string, isDoubtFitting: boolean): boolean {
  return pattern === word || fitsText(globOf(pattern, { braces: true, paths: false }), word, isDoubtFitting)
}

const MAX_TEXT = 4096

export function fitsText(glob: Glob | null, text: string, isDoubtFitting: boolean): boolean {
  if (glob === null || text.length > MAX_TEXT) return isDoubtFitting
  if (text === '') return false
  return fitsWhole(glob, text) ?? isDoubtFitting
}
