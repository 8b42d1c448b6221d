/**
 * Arguments that a wildcard of a rule may match: those that name no file outside the workspace and no protected file.
 */

import type { CallEnvironment } from '../file/call-environment.js'
import { hasOtherNames } from '../file/file-access.js'
import { isInside, isKnown } from '../file/path.js'
import { protectionOf } from '../file/protected.js'
import { targetAt } from '../file/target.js'
import { isControlFile } from '../file/well-known-paths.js'

/** Cached for a verdict: a pattern with several wildcards checks each word repeatedly. */
const known = new WeakMap<CallEnvironment, Map<string, boolean>>()

/** Which part of a word is a path depends on the program: the word itself, or the text behind a colon, `=` or `@`. */
export function isOrdinaryArgument(word: string, environment: CallEnvironment, folder: string): boolean {
  const answers = known.get(environment) ?? new Map<string, boolean>()
  known.set(environment, answers)
  const key = `${folder}\0${word}`
  const answer = answers.get(key) ?? leadsNowhereElse(word, environment, folder)
  answers.set(key, answer)
  return answer
}

function leadsNowhereElse(word: string, environment: CallEnvironment, folder: string): boolean {
  if (ADDRESS.test(word)) return true
  if (word.length > MAX_LENGTH || !isKnown(word)) return false
  return word
    .split(/[:=@,]/)
    .concat(word)
    .every((part) => part === '' || leadsToOrdinaryFile(part, environment, folder))
}

const MAX_LENGTH = 4096
const ADDRESS = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i

function leadsToOrdinaryFile(path: string, environment: CallEnvironment, folder: string): boolean {
  if (path.startsWith('~') || protectionOf(path) === 'file') return false
  const { real } = targetAt(environment, folder, path)
  if (real === null || !isInside(environment.realWorkspace, real)) return false
  if (protectionOf(real) === 'file' || hasOtherNames(real, environment)) return false
  return !isControlFile(real.slice(environment.realWorkspace.length))
}
