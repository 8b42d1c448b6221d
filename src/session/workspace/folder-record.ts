/** The listed entries of one folder, and what shows that they have changed. */

import { type Dirent, lstat, type Stats } from 'node:fs'
import { realpath } from 'node:fs/promises'
import type { SlicedWork, Steps } from '../../lib/sliced-work.js'
import { FolderEntries } from '../../tool/listing/folder-entries.js'
import { type IgnoreRules, isIgnored, parseIgnoreRules } from '../../tool/listing/gitignore.js'
import type { IndexBudget } from './index-budget.js'
import { isInside, isShown, type ListedNames } from './listed-name.js'

export interface FolderRecord {
  readonly files: readonly string[]
  readonly folders: readonly string[]
  readonly ignoreText: string | null
  /** Rules of its `.gitignore` and of those above. */
  readonly rules: IgnoreRules | null
  /** The rules above, which it was read with. */
  readonly above: IgnoreRules | null
  /** Empty, which equals no stamp, if it had changed a moment before it was read. */
  readonly stamp: string
  /** Of its `.gitignore`; empty if it has none. */
  readonly ignoreStamp: string
}

export interface FolderPlace {
  /** The real path of the workspace. */
  root: string
  path: string
  /** The names that lead to it from the folder of the first rules. */
  names: readonly string[]
}

/** Links that are resolved in one folder. */
const MAX_LINKS = 200
/** Racy: a change within the clock tick of the file system may leave the time of the folder as it was. */
const SETTLED_MS = 2_000

export interface ReadOptions {
  /** As it was read before, with the same rules above. */
  known: FolderRecord | null
  listed: ListedNames
  budget: IndexBudget
  work: SlicedWork
  now: number
}

/** Null if it cannot be read: it is gone, a link has taken its place, or its rights forbid it. */
export async function readFolder(
  place: FolderPlace,
  above: IgnoreRules | null,
  { known, listed, budget, work, now }: ReadOptions,
): Promise<FolderRecord | null> {
  const { path, names } = place
  const ignoreStamp = stampOf(await statOf(`${path}/.gitignore`))
  const entries = await FolderEntries.open(path).catch(() => null)
  if (entries === null) return null
  try {
    const { ignoreText, stats } = entries
    const rules = rulesOf(ignoreText, names.length, above, known)
    const found: FoundNames = { files: [], folders: [], links: [] }
    for await (const piece of entries.pieces()) {
      await work.run(sortNames(piece, { place, rules, listed, budget }, found))
      if (budget.isUsedUp) break
    }
    const links: string[] = []
    for (const name of found.links.slice(0, MAX_LINKS))
      if (await leadsToListed(place.root, `${path}/${name}`, listed)) links.push(name)
    return {
      files: [...found.files, ...links],
      folders: found.folders,
      ignoreText,
      rules,
      above,
      stamp: now - stats.mtimeMs < SETTLED_MS ? '' : stampOf(stats),
      ignoreStamp: ignoreText === null ? '' : ignoreStamp,
    }
  } catch {
    return null
  } finally {
    await entries.close()
  }
}

interface FoundNames {
  files: string[]
  folders: string[]
  links: string[]
}

interface Sorting {
  place: FolderPlace
  rules: IgnoreRules | null
  listed: ListedNames
  budget: IndexBudget
}

/** Tests against rules between two yields. */
const STEP = 2_000

/** Adds the names of some entries that may be listed. In steps: a repository can have thousands of ignore rules. */
function* sortNames(entries: readonly Dirent[], sorting: Sorting, found: FoundNames): Steps<void> {
  const { place, rules, listed, budget } = sorting
  const { path, names } = place
  const isListedFile = listed.filesIn(path)
  const cost = 1 + countRules(rules)
  let tests = 0
  for (const entry of entries) {
    const { name } = entry
    const isFolder = entry.isDirectory()
    tests += cost
    budget.spendTests(cost)
    if (tests >= STEP) {
      tests = 0
      yield
      if (budget.isUsedUp) return
    }
    if (name === '.git' || !isShown(name) || isIgnored(rules, names, name, isFolder)) continue
    const kind = kindOf(entry, found)
    const isListed = isFolder ? listed.hasFolder(`${path}/${name}`) : isListedFile(name)
    if (kind === null || !isListed) continue
    kind.push(name)
    budget.spendEntry(path.length - place.root.length, name)
  }
}

function countRules(rules: IgnoreRules | null): number {
  let count = 0
  for (let level = rules; level !== null; level = level.above) count += level.rules.length
  return count
}

/** The same object where nothing has changed: folders below know by that that they need not be read again. */
function rulesOf(
  text: string | null,
  depth: number,
  above: IgnoreRules | null,
  known: FolderRecord | null,
): IgnoreRules | null {
  if (text === null) return above
  return known?.ignoreText === text ? known.rules : parseIgnoreRules(text, depth, above)
}

function kindOf(entry: Dirent, { files, folders, links }: FoundNames): string[] | null {
  if (entry.isFile()) return files
  if (entry.isDirectory()) return folders
  return entry.isSymbolicLink() ? links : null
}

/** A link counts as a file if it leads to a listed file of the same workspace. Linked folders are not entered. */
async function leadsToListed(root: string, link: string, listed: ListedNames): Promise<boolean> {
  try {
    const target = await realpath(link)
    const cut = target.lastIndexOf('/')
    const folder = target.slice(0, cut)
    if (!isInside(root, target) || !listed.hasPath(folder)) return false
    return listed.filesIn(folder)(target.slice(cut + 1)) && (await statOf(target))?.isFile() === true
  } catch {
    return false
  }
}

/** Whether a folder that was read before, with the same rules above it, is as it was. */
export async function isUnchanged(
  path: string,
  { stamp, ignoreStamp }: Pick<FolderRecord, 'stamp' | 'ignoreStamp'>,
): Promise<boolean> {
  if (stamp === '' || stampOf(await statOf(path)) !== stamp) return false
  return ignoreStamp === '' || stampOf(await statOf(`${path}/.gitignore`)) === ignoreStamp
}

function stampOf(stats: Stats | null): string {
  return stats === null ? '' : `${stats.dev}:${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}`
}

/** Callback of the file system: a tree has thousands of folders. */
function statOf(path: string): Promise<Stats | null> {
  return new Promise((resolve) => {
    lstat(path, (error, stats) => resolve(error ? null : stats))
  })
}
