/** Ignore files: their lines with `!`, which re-include files that a search would leave out. */

import { statSync } from 'node:fs'
import { readFile } from '../git/pack.js'
import { parentOf } from './path.js'

/** The files that ripgrep reads in every folder; `ugrep` reads only the first. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.ignore', '.rgignore']

/** Ignore files in force for a folder besides its own: of every folder above, of the repository, and of the user. */
export function ignoreFilesAbove(folder: string, home: string): string[] {
  const files = [`${home}/.config/git/ignore`, `${folder}/.git/info/exclude`]
  for (let place = folder; place !== '/' && place !== ''; ) {
    place = parentOf(place)
    const start = place === '/' ? '' : place
    files.push(`${start}/.git/info/exclude`, ...IGNORE_FILES.map((name) => `${start}/${name}`))
  }
  return files
}

const MAX_BYTES = 256 * 1024

/** The patterns behind `!`; null if there is no such file. Throws if it cannot be read. */
export function negationsIn(path: string): readonly string[] | null {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null
  return readFile(path, MAX_BYTES)
    .toString('utf8')
    .split(/\r\n?|\n/)
    .filter((line) => /^\s*!/.test(line))
    .map((line) => line.trim().slice(1))
}
