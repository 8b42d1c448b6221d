/** Paths as text and as the file system follows them. POSIX paths only; every result is absolute and without `.` and `..`. */

import type { FileSystem } from './file-system.js'

/** Stands for text that is not known. No argument and no path can hold it. */
export const UNKNOWN = '\0'

export function isKnown(text: string): boolean {
  return !text.includes(UNKNOWN)
}

/** `path` seen from `folder`, without `.`, `..` and double slashes. Links are not followed. */
export function absolute(folder: string, path: string): string {
  const full = path.startsWith('/') || path.startsWith(UNKNOWN) ? path : `${folder}/${path}`
  if (!UNTIDY.test(full)) return full
  const kept: string[] = []
  for (const name of full.split('/')) {
    if (name === '' || name === '.') continue
    // What lies above an unknown place is as unknown.
    if (name === '..' && kept.at(-1) !== UNKNOWN) kept.pop()
    else if (name !== '..') kept.push(name)
  }
  return kept[0] === UNKNOWN ? kept.join('/') : `/${kept.join('/')}`
}

const UNTIDY = /\/\.{0,2}(?:\/|$)|^[^/]/

const MAX_LINKS = 40

/** Where a path leads once its links are followed; the last part only if `last`. Null when links go in circles. */
export function follow(fs: FileSystem, path: string, { last }: { last: boolean }): string | null {
  let waiting = path.split('/').toReversed()
  let reached = ''
  let links = 0
  while (waiting.length > 0) {
    const name = waiting.pop() ?? ''
    if (name === '' || name === '.') continue
    if (name === '..') {
      reached = reached.slice(0, Math.max(0, reached.lastIndexOf('/')))
      continue
    }
    const next = `${reached}/${name}`
    const isLast = !waiting.some((rest) => rest !== '')
    const target = isLast && !last ? null : fs.readLink(next)
    if (target === null) {
      reached = next
      continue
    }
    links++
    if (links > MAX_LINKS) return null
    if (target.startsWith('/')) reached = ''
    waiting = [...waiting, ...target.split('/').toReversed()]
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

/** Without the characters at its end that are among these. An expression would look at them again from each of them. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}
