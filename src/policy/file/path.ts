/**
 * Paths as text and as the file system resolves them. POSIX paths only; every result is absolute and without `.` and
 * `..`.
 */

import { spend } from '../../lib/step-budget.js'
import type { FileSystem } from './file-system.js'

/** Marks unknown text. No argument and no path can contain it. */
export const UNKNOWN = '\0'

export function isKnown(text: string): boolean {
  return !text.includes(UNKNOWN)
}

/** Limits of a path and of each name in it, as file systems have them. Nothing can exist at a longer path. */
const MAX_PATH_BYTES = 4096
const MAX_NAME = 255

/**
 * Whether a path is longer than that of any file. Callers refuse such a path before they follow, normalise or compare
 * it.
 */
export function isTooLong(path: string): boolean {
  if (path.length <= MAX_NAME) return false
  if (path.length > MAX_PATH_BYTES || Buffer.byteLength(path) > MAX_PATH_BYTES) return true
  return path.split('/').some((name) => name.length > MAX_NAME)
}

/** A pattern may have more characters than the name that it matches. */
export function isTooLongPattern(pattern: string): boolean {
  return pattern.length > MAX_PATH_BYTES
}

/** Resolves `path` against `folder`, without `.`, `..` and double slashes. Symlinks are not followed. */
export function absolute(folder: string, path: string): string {
  const full = path.startsWith('/') || path.startsWith(UNKNOWN) ? path : `${folder}/${path}`
  spend(full.length / 16)
  if (!UNTIDY.test(full)) return full
  spend(full.length / 4)
  const kept: string[] = []
  for (const name of full.split('/')) {
    if (name === '' || name === '.') continue
    // The parent of an unknown folder is unknown as well.
    if (name === '..' && kept.at(-1) !== UNKNOWN) kept.pop()
    else if (name !== '..') kept.push(name)
  }
  return kept[0] === UNKNOWN ? kept.join('/') : `/${kept.join('/')}`
}

const UNTIDY = /\/\.{0,2}(?:\/|$)|^[^/]/

const MAX_LINKS = 40

/** Resolves the symlinks of a path, the last part only if `last`. Null for a symlink loop. */
export function follow(fs: FileSystem, path: string, { last }: { last: boolean }): string | null {
  const names = (text: string) => text.split('/').filter((name) => name !== '')
  let waiting = names(path).toReversed()
  let reached = ''
  let links = 0
  while (waiting.length > 0) {
    const name = waiting.pop() ?? ''
    // A name costs as much as the path to it: each prefix is a string of its own and a file-system query.
    spend(2 + reached.length / 16)
    if (name === '.') continue
    if (name === '..') {
      reached = reached.slice(0, Math.max(0, reached.lastIndexOf('/')))
      continue
    }
    const next = `${reached}/${name}`
    const target = waiting.length === 0 && !last ? null : fs.readLink(next)
    if (target === null) {
      reached = next
      continue
    }
    links++
    if (links > MAX_LINKS) return null
    if (target.startsWith('/')) reached = ''
    waiting = [...waiting, ...names(target).toReversed()]
  }
  return reached === '' ? '/' : reached
}

export function isInside(folder: string, path: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`)
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}

/** Trims these characters from the end. A regular expression would take quadratic time. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}
