/**
 * The files and folders of a workspace that git does not ignore, by name. Read once, then kept up to date by the times of
 * its folders: watching a tree takes a watch for each folder, and looking at their times costs nothing between two uses.
 */

import type { SlicedWork } from '../../lib/sliced-work.js'
import type { IgnoreRules } from '../../tool/listing/gitignore.js'
import { type FolderRecord, isUnchanged, readFolder } from './folder-record.js'
import { findIgnoreSource, type IgnoreSource } from './ignore-source.js'
import { IndexBudget } from './index-budget.js'
import type { ListedNames } from './listed-name.js'
import { existingFiles, indexStamp, trackedBesides } from './tracked-file.js'

/** Folders that are looked at together. */
const TOGETHER = 8

export interface FileIndexDeps {
  listed: ListedNames
  /** The home of the user that the agents run as. */
  userHome: string
  work: SlicedWork
  now(): number
}

export interface IndexedPaths {
  /** Below the workspace; those of folders end with a slash. */
  paths: Iterable<string>
  isWhole: boolean
}

type Folders = ReadonlyMap<string, FolderRecord>

export class FileIndex {
  readonly #root: string
  readonly #deps: FileIndexDeps
  #folders: Folders = new Map()
  #source: IgnoreSource | null = null
  #indexStamp = ''
  /** Names of the git index that are not among the folders. */
  #tracked: readonly string[] = []

  /** `root` is a real path. */
  constructor(root: string, deps: FileIndexDeps) {
    this.#root = root
    this.#deps = deps
  }

  /** Reads what has changed since the last time. Null if nothing has. */
  async refresh(signal: AbortSignal): Promise<IndexedPaths | null> {
    const found = await findIgnoreSource(this.#root, this.#deps.userHome)
    // The same object where nothing has changed: folders know by that that they need not be read again.
    const source = found.stamp === this.#source?.stamp ? this.#source : found
    const pass = new Pass({ root: this.#root, source, known: this.#folders, deps: this.#deps })
    await pass.run(signal)
    const stamp = await indexStamp(source)
    const isSame = !pass.hasChanged && source === this.#source && stamp === this.#indexStamp
    if (pass.hasNewRules || source !== this.#source || stamp !== this.#indexStamp)
      this.#tracked = await trackedBesides(source, pass.folders, this.#deps.work)
    this.#folders = pass.folders
    this.#source = source
    this.#indexStamp = stamp
    if (isSame) return null
    const tracked = await existingFiles(this.#root, this.#tracked, this.#deps.listed)
    return { paths: pathsIn(pass.folders, tracked), isWhole: pass.isWhole }
  }
}

interface PassDeps {
  root: string
  source: IgnoreSource
  known: Folders
  deps: FileIndexDeps
}

interface Waiting {
  /** Below the workspace, with a slash at its end; empty for the workspace itself. */
  folder: string
  above: IgnoreRules | null
}

/** One look at the whole tree, level by level, so that one that is not completed has what is near the top. */
class Pass {
  readonly folders = new Map<string, FolderRecord>()
  hasNewRules = false
  readonly #deps: PassDeps
  readonly #budget = new IndexBudget()
  #hasNew = false

  constructor(deps: PassDeps) {
    this.#deps = deps
  }

  get isWhole(): boolean {
    return !this.#budget.isUsedUp
  }

  get hasChanged(): boolean {
    return this.#hasNew || this.folders.size !== this.#deps.known.size
  }

  async run(signal: AbortSignal): Promise<void> {
    let level: Waiting[] = [{ folder: '', above: this.#deps.source.rules }]
    while (level.length > 0 && this.isWhole) {
      const below: Waiting[] = []
      for (let at = 0; at < level.length && this.isWhole; at += TOGETHER) {
        signal.throwIfAborted()
        const some = level.slice(at, at + TOGETHER)
        const found = await Promise.all(some.map((waiting) => this.#look(waiting)))
        for (const folders of found) below.push(...folders)
      }
      level = below
    }
  }

  /** Resolves with the folders in it. */
  async #look({ folder, above }: Waiting): Promise<Waiting[]> {
    const { known, root, source, deps } = this.#deps
    const path = folder === '' ? root : `${root}/${folder.slice(0, -1)}`
    const before = known.get(folder)
    const last = before?.above === above ? before : null
    let record = last && (await isUnchanged(path, last)) ? last : null
    if (record) this.#countAgain(record, folder)
    else {
      const names = [...source.names, ...folder.split('/').slice(0, -1)]
      const { listed, work, now } = deps
      const options = { known: last, listed, work, budget: this.#budget, now: now() }
      record = await readFolder({ root, path, names }, above, options)
      if (!record) return []
      if (!before || !hasSameEntries(before, record)) this.#hasNew = true
      if (before?.rules !== record.rules) this.hasNewRules = true
    }
    this.folders.set(folder, record)
    const { rules } = record
    return record.folders.map((name) => ({ folder: `${folder}${name}/`, above: rules }))
  }

  /** The names that are kept have their place in the budget too. */
  #countAgain({ files, folders }: FolderRecord, folder: string): void {
    for (const name of files) this.#budget.spendEntry(folder.length, name)
    for (const name of folders) this.#budget.spendEntry(folder.length, name)
  }
}

function hasSameEntries(one: FolderRecord, other: FolderRecord): boolean {
  return isSameList(one.files, other.files) && isSameList(one.folders, other.folders)
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index])
}

function* pathsIn(folders: Folders, tracked: readonly string[]): Generator<string> {
  yield* tracked
  for (const [folder, record] of folders) {
    for (const name of record.folders) yield `${folder}${name}/`
    for (const name of record.files) yield `${folder}${name}`
  }
}
