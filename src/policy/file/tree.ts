/** Walks a tree as a recursive reader would, and looks for files that must not be read by accident. */

import { fits } from '../../lib/glob/shell-pattern.js'
import { spend } from '../../lib/step-budget.js'
import type { CallEnvironment } from './call-environment.js'
import { isGitConfig } from './git-settings.js'
import { IGNORE_FILES, ignoreFilesAbove } from './ignore-file.js'
import { follow, isInside, nameOf } from './path.js'
import { protectionOf } from './protected.js'
import { SUSPECT_FOLDER, SUSPECT_NAME } from './suspect-name.js'

export interface TreeOptions {
  /** The names that are read. Default: all. */
  accepts?: (name: string) => boolean
  /** The folders that are entered. Default: all. */
  enters?: (name: string) => boolean
  /** Leaves out names with a leading dot. */
  skipsHidden?: boolean
  skipsHiddenFolders?: boolean
  /** Lines with `!` in an ignore file re-include names that are left out. */
  obeysIgnoreFiles?: boolean
  followsLinks?: boolean
  /** Leaves out the folder of git. */
  skipsGit?: boolean
}

/** `too large`: there may be a protected file. */
export type TreeLook =
  | { kind: 'clean' }
  | { kind: 'too large' }
  | { kind: 'holds'; path: string }
  | { kind: 'credentials'; path: string }

/** About 5 ms of CPU time. */
const MAX_ENTRIES = 4000

/** Breadth first. Installed packages come last, and only up to the limit: their content is published anyway. */
export function lookThrough(
  environment: CallEnvironment,
  start: string,
  options: TreeOptions = {},
): TreeLook {
  const waiting = [start]
  const packages: string[] = []
  const seen = new Set<string>()
  const taken: ((name: string) => boolean)[] = []
  let left = MAX_ENTRIES
  for (;;) {
    const isPackage = waiting.length === 0
    const folder = waiting.shift() ?? packages.shift()
    if (folder === undefined) return { kind: 'clean' }
    if (seen.has(folder)) continue
    seen.add(folder)
    const entries = environment.fs.entries(folder) ?? []
    if (options.obeysIgnoreFiles) taken.push(...takenBackIn(environment, folder, folder === start))
    left -= entries.length + 1
    if (left < 0) return isPackage ? { kind: 'clean' } : { kind: 'too large' }
    const isSuspect = SUSPECT_FOLDER.test(folder)
    const names = entries.map(({ name }) => name)
    for (const { name, kind } of entries) {
      spend(3)
      const isTaken = taken.some((isMeant) => isMeant(name))
      const isHidden = name.startsWith('.') && !isTaken
      if (options.skipsHidden === true && isHidden) continue
      const path = folder === '/' ? `/${name}` : `${folder}/${name}`
      if (options.skipsGit === true && name === '.git') continue
      if (kind === 'folder') {
        if (options.skipsHiddenFolders === true && isHidden) continue
        if (options.enters?.(name) === false && !isTaken) continue
        if (isPackage || name === 'node_modules') packages.push(path)
        else waiting.push(path)
        continue
      }
      const isRead = isTaken || options.accepts?.(name) !== false
      if (isRead && (isSuspect || SUSPECT_NAME.test(name)) && protectionOf(path) === 'file')
        return { kind: 'holds', path }
      if (isRead && isGitConfig(name, names) && environment.fs.gitSettings(path) === 'credentials')
        return { kind: 'credentials', path }
      if (kind === 'link' && options.followsLinks === true) {
        const led = follow(environment.fs, path, { last: true })
        if (led === null || !isInside(environment.realWorkspace, led)) return { kind: 'holds', path }
        if (isRead && protectionOf(led) === 'file') return { kind: 'holds', path }
        if (options.enters?.(nameOf(path)) !== false) waiting.push(led)
      }
    }
  }
}

/** Patterns that the ignore files of a folder re-include; at the start also those of the ignore files above. */
function takenBackIn(
  { fs, home }: CallEnvironment,
  folder: string,
  isStart: boolean,
): ((name: string) => boolean)[] {
  const own = IGNORE_FILES.map((name) => `${folder === '/' ? '' : folder}/${name}`)
  const above = isStart ? ignoreFilesAbove(folder, home) : []
  return [...above, ...own].flatMap((path) => fs.negations(path) ?? []).map(isMeantBy)
}

/** One matching name in the pattern is enough: the folders of the pattern are not compared. */
function isMeantBy(pattern: string): (name: string) => boolean {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '**')
  return (name) => names.length === 0 || names.some((one) => fits(one, name))
}
