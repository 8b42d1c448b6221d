/**
 * File-name patterns of bash: a linear matcher with two pointers, and the expansion of a word. It does not use the
 * engine in `lib/glob`, on purpose: the interpreter uses that one, so a defect must be in both to allow something
 * wrong. It also answers another question: what may match in some locale.
 */

import { reason } from '../../protocol/reason/reason.js'
import type { FileSystem } from '../file/file-system.js'
import { follow } from '../file/path.js'
import { type Budget, FILE_STEPS, refuse } from './unproven.js'

/** One character of a pattern; a string is that character. */
type Token = string | typeof ANY | typeof STAR | Set<string> | typeof OTHER
const ANY = 1
const STAR = 2
/** A negated set: the proof does not rely on the characters that it excludes. */
const OTHER = 3

export type Pattern = readonly Token[]

/** `glob` is the text of `*`, `?` or a set in brackets. */
export function tokensOf(glob: string): Token[] {
  if (glob === '*') return [STAR]
  if (glob === '?') return [ANY]
  if (/^\[[!^]/.test(glob)) return [OTHER]
  return [setOf(glob.slice(1, -1))]
}

/** Both cases of each letter: the content of a range depends on the locale. */
function setOf(inside: string): Set<string> {
  const all = new Set<string>()
  for (let at = 0; at < inside.length; at++) {
    const last = inside[at + 1] === '-' && at + 2 < inside.length ? inside[at + 2] : undefined
    const from = inside.charCodeAt(at)
    const to = last?.charCodeAt(0) ?? from
    for (let code = from; code <= to; code++) {
      const character = String.fromCharCode(code)
      all.add(character.toLowerCase()).add(character.toUpperCase())
    }
    if (last !== undefined) at += 2
  }
  return all
}

/** A pattern of a program: everything but `*`, `?`, sets and escapes is literal. Null if it is not understood. */
export function patternOf(text: string): Pattern | null {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\\' || character === '{' || character === '}') return null
    if (character === '[') {
      const end = text.indexOf(']', at + 2)
      const set = text.slice(at, end + 1)
      if (end < 0 || !/^\[[!^]?[A-Za-z0-9_.-]+\]$/.test(set)) return null
      tokens.push(...tokensOf(set))
      at = end
    } else tokens.push(...(character === '*' || character === '?' ? tokensOf(character) : [character]))
  }
  return tokens
}

export function fits(pattern: Pattern, name: string, budget: Budget): boolean {
  // The number of characters in a name depends on the locale, so a possible match counts as a match.
  if (!ASCII.test(name) && pattern.some((token) => typeof token !== 'string' && token !== STAR)) return true
  let [at, index, star, resume] = [0, 0, -1, 0]
  while (at < name.length) {
    budget.spend(1)
    const token = pattern[index]
    if (token === STAR) {
      star = index++
      resume = at
    } else if (token !== undefined && fitsOne(token, name[at] ?? '')) {
      index++
      at++
    } else if (star >= 0) {
      index = star + 1
      at = ++resume
    } else return false
  }
  while (pattern[index] === STAR) index++
  return index === pattern.length
}

const ASCII = /^[ -~]*$/

function fitsOne(token: Token, character: string): boolean {
  if (typeof token === 'string') return token === character
  return token instanceof Set ? token.has(character) : true
}

/** Only a pattern with a leading dot matches names with a leading dot. */
export function fitsName(pattern: Pattern, name: string, budget: Budget): boolean {
  return (!name.startsWith('.') || pattern[0] === '.') && fits(pattern, name, budget)
}

/** The components of a path, each a literal name or a pattern. */
export function partsOf(tokens: Pattern): Pattern[] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (token === '/') parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

export function isLiteral(pattern: Pattern): pattern is string[] {
  return pattern.every((token) => typeof token === 'string')
}

const MAX_MATCHES = 200

/** All expansions of a word in one folder. Empty: the word stays unexpanded. */
export function expand(
  tokens: Pattern,
  folder: string,
  fs: FileSystem,
  budget: Budget,
  mayList: (place: string) => boolean = () => true,
): string[] {
  let found = ['']
  const parts = partsOf(tokens)
  for (const [index, part] of parts.entries()) {
    const separator = index === parts.length - 1 ? '' : '/'
    if (isLiteral(part)) {
      found = found.map((path) => `${path}${part.join('')}${separator}`)
      continue
    }
    found = found.flatMap((path) => {
      budget.spend(FILE_STEPS)
      const place = follow(fs, path.startsWith('/') ? path : `${folder}/${path}`, { last: true })
      if (place !== null && !mayList(place)) refuse(reason('proof.pattern-outside'), null)
      // Before version 5.2 of bash, a pattern may match `.` and `..`.
      const dots = part[0] === '.' ? ['.', '..'] : []
      const names = place === null ? [] : [...dots, ...(fs.list(place) ?? [])]
      budget.spend(names.length)
      return names.filter((name) => fitsName(part, name, budget)).map((name) => `${path}${name}${separator}`)
    })
    if (found.length > MAX_MATCHES) refuse(reason('proof.too-many-files'), null)
  }
  return found
}
