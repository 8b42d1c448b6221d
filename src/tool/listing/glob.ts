/**
 * Patterns for names and paths, matched in time that grows with the length of the name, whatever the pattern: patterns
 * come from agents and from files of repositories, and a pattern turned into a regular expression can take for ever.
 */

import { fitsPlain } from '../../lib/glob/fit-plain.js'
import { type GlobSyntax, parseGlob } from '../../lib/glob/parse-glob.js'

const SYNTAX: GlobSyntax = { braces: false, paths: false, isPlain: true }

/** Tests one name, without any "/". */
export type NameTest = (name: string) => boolean

/**
 * `*` is any text, `?` one character, `[a-z]` and `[!a]` one of a set, `\` takes the next character literally. Null for a
 * pattern that is broken, which matches nothing.
 */
export function compileName(pattern: string): NameTest | null {
  const tokens = parseGlob(pattern, SYNTAX)
  if (tokens === null) return null
  const [first, second, third, fourth] = tokens
  // Most patterns are of these kinds, and a listing tests every name with every pattern.
  if (first === undefined) return (name) => name === ''
  if (first.kind === 'text' && second === undefined) return (name) => name === first.text
  if (first.kind === 'star' && second === undefined) return () => true
  if (third === undefined && first.kind === 'star' && second?.kind === 'text') {
    return (name) => name.endsWith(second.text)
  }
  if (third === undefined && first.kind === 'text' && second?.kind === 'star') {
    return (name) => name.startsWith(first.text)
  }
  if (!fourth && first.kind === 'star' && second?.kind === 'text' && third?.kind === 'star') {
    return (name) => name.includes(second.text)
  }
  return (name) => fitsPlain(tokens, name)
}

/** Tests a path by its names. `**` as a name of its own stands for any number of folders. */
export type PathTest = (names: readonly string[]) => boolean

export function compilePath(pattern: string): PathTest | null {
  const parts: (NameTest | '**')[] = []
  // An escaped "/" is a "/".
  const names = pattern.replaceAll(/(\\[^/]|[^\\])|\\\//g, (_, other?: string) => other ?? '/').split('/')
  for (const [index, name] of names.entries()) {
    // Git reads more than two stars as two.
    if (/^\*{2,}$/.test(name)) {
      if (parts.at(-1) !== '**') parts.push('**')
      // At the end it means what is inside, not the folder itself.
      if (index === names.length - 1) parts.push(() => true)
      continue
    }
    const test = compileName(name)
    if (test === null) return null
    parts.push(test)
  }
  return (path) => matchParts(parts, path)
}

/** The classic walk with one place to come back to: after a later `**` an earlier one need not be tried again. */
function matchParts(parts: readonly (NameTest | '**')[], path: readonly string[]): boolean {
  let part = 0
  let place = 0
  let backPart = -1
  let backPlace = 0
  while (place < path.length) {
    const test = parts[part]
    if (test === '**') {
      backPart = part
      backPlace = place
      part += 1
    } else if (test?.(path[place] ?? '')) {
      part += 1
      place += 1
    } else if (backPart >= 0) {
      backPlace += 1
      part = backPart + 1
      place = backPlace
    } else {
      return false
    }
  }
  while (parts[part] === '**') part += 1
  return part === parts.length
}

const MAX_ALTERNATIVES = 64

/** `a.{ts,js}` as `a.ts` and `a.js`. A brace that is not closed stands for itself. Null if there are too many. */
export function expandBraces(pattern: string): string[] | null {
  const brace = findBraces(pattern)
  if (!brace) return [pattern]
  const { start, end, options } = brace
  const expanded: string[] = []
  for (const option of options) {
    const rest = expandBraces(`${pattern.slice(0, start)}${option}${pattern.slice(end + 1)}`)
    if (rest === null) return null
    expanded.push(...rest)
    if (expanded.length > MAX_ALTERNATIVES) return null
  }
  return expanded
}

/** The first pair of braces with a comma between them. */
function findBraces(pattern: string): { start: number; end: number; options: string[] } | null {
  for (let start = pattern.indexOf('{'); start >= 0; start = pattern.indexOf('{', start + 1)) {
    if (pattern[start - 1] === '\\') continue
    const options: string[] = []
    let depth = 0
    let from = start + 1
    for (let place = start; place < pattern.length; place += 1) {
      const letter = pattern[place]
      if (letter === '\\') place += 1
      else if (letter === '{') depth += 1
      else if (letter === ',' && depth === 1) {
        options.push(pattern.slice(from, place))
        from = place + 1
      } else if (letter === '}') {
        depth -= 1
        if (depth > 0) continue
        options.push(pattern.slice(from, place))
        if (options.length > 1) return { start, end: place, options }
        break
      }
    }
  }
  return null
}
