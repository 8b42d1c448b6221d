/** The target of a path in a call: its spelling, and the result of resolving its symlinks. */

import { fits } from '../../lib/glob/shell-pattern.js'
import { spend } from '../../lib/step-budget.js'
import type { CallEnvironment } from './call-environment.js'
import {
  absolute,
  follow,
  isKnown,
  isTooLong,
  isTooLongPattern,
  nameOf,
  parentOf,
  withoutEnd,
} from './path.js'

export interface Target {
  /** As the call names it. */
  shown: string
  /** Absolute, symlinks not resolved. A glob is kept unexpanded. */
  path: string
  /** All symlinks resolved; null for a symlink loop. */
  real: string | null
  /** All symlinks but the last resolved: the object of a deletion or a move. */
  itself: string | null
  /** For a glob: absolute, with its literal text escaped. */
  pattern: string | null
  isKnown: boolean
  /** Named with a trailing slash. */
  isFolder: boolean
  /** No file can exist there, so the path is not looked up. */
  isTooLong?: boolean
}

export function targetAt(
  environment: CallEnvironment,
  folder: string,
  text: string,
  pattern: string | null = null,
): Target {
  spend(20 + (folder.length + text.length) / 3)
  if (pattern === null ? isTooLong(physical(folder, text)) : isTooLongPattern(physical(folder, pattern)))
    return tooLong(text)
  const path = absolute(folder, text)
  const known = isKnown(path)
  const isFolder = /\/\.{0,2}$/.test(text)
  if (pattern === null) {
    return {
      shown: text,
      path,
      real: known ? follow(environment.fs, physical(folder, text), { last: true }) : path,
      itself: known ? follow(environment.fs, physical(folder, text), { last: isFolder }) : path,
      pattern: null,
      isKnown: known,
      isFolder,
    }
  }
  const whole = absolute(folder, pattern)
  const fixed = fixedFolder(whole)
  const base = known ? follow(environment.fs, fixed, { last: true }) : fixed
  const real =
    base === null
      ? null
      : `${base === '/' ? '' : base}${unescape(whole.slice(fixed === '/' ? 0 : fixed.length))}`
  return { shown: text, path, real, itself: real, pattern: whole, isKnown: known, isFolder }
}

function tooLong(text: string): Target {
  const cut = `/${text.slice(0, 40).replaceAll('/', '')}…`
  const shown = `${text.slice(0, 40)}…`
  const places = { path: cut, real: null, itself: null }
  return { shown, ...places, pattern: null, isKnown: isKnown(text), isFolder: false, isTooLong: true }
}

/** Keeps the dots for `follow`: the parent of a symlink's target is not the parent of the symlink. */
function physical(folder: string, text: string): string {
  return text.startsWith('/') ? text : `${folder}/${text}`
}

/** The part of a pattern before the first name with a wildcard. */
export function fixedFolder(pattern: string): string {
  const names = pattern.split('/')
  const special = names.findIndex(isSpecial)
  const fixed = special === -1 ? names : names.slice(0, special)
  return unescape(fixed.join('/')) || '/'
}

function isSpecial(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const character = name[at] as string
    if (character === '\\') at++
    else if ('*?['.includes(character) || ('+@!'.includes(character) && name[at + 1] === '(')) return true
  }
  return false
}

function unescape(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gs, '$1')
}

const MAX_MATCHES = 300

/** The visible files that a pattern matches now, at most `MAX_MATCHES`. */
export function matchesOf(environment: CallEnvironment, pattern: string): string[] {
  return allMatchesOf(environment, pattern).paths
}

/** `isWhole`: the list is complete. */
export function allMatchesOf(
  environment: CallEnvironment,
  pattern: string,
): { paths: string[]; isWhole: boolean } {
  if (isTooLongPattern(pattern)) return { paths: [], isWhole: false }
  let found = ['']
  let isWhole = true
  for (const name of pattern.split('/').slice(1)) {
    spend(1 + found.length * 4)
    if (!isSpecial(name)) {
      found = found.map((folder) => `${folder}/${unescape(name)}`)
      continue
    }
    // Before version 5.2 of bash, a pattern may match `.` and `..`.
    const dots = /^\\?\./.test(name) ? ['.', '..'] : []
    const next: string[] = []
    for (const folder of found) {
      for (const entry of [...dots, ...(environment.fs.list(folder === '' ? '/' : folder) ?? [])])
        if (fits(name, entry, { dots: false })) next.push(`${folder}/${entry}`)
      if (next.length > MAX_MATCHES) break
    }
    isWhole &&= next.length <= MAX_MATCHES
    found = next.slice(0, MAX_MATCHES)
  }
  return { paths: found, isWhole }
}

/** Whether a pattern matches a path, name by name. */
export function reaches(pattern: string, path: string): boolean {
  const names = pattern.split('/')
  const parts = path.split('/')
  spend(1 + names.length)
  return (
    names.length === parts.length &&
    names.every((name, index) => fits(name, parts[index] ?? '', { dots: false }))
  )
}

/** For patterns such as `/etc/*`: the folder whose whole content is matched. */
export function wholeFolder(pattern: string): string | null {
  const tidy = withoutEnd(pattern, '/')
  if (!EVERYTHING.test(nameOf(tidy))) return null
  const folder = parentOf(tidy)
  return isSpecial(folder) ? null : unescape(folder)
}

const EVERYTHING = /^(?:\.?\*+|\?\*|\*\?|\.\[[!^]\\?\.\]\*|\.\.\?\*|\.\?\*|\.\?\?\*|@\(\*.*\)|\*\(\*\))$/
