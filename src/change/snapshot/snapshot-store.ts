/**
 * The recorded states of one workspace, in a store of our own. The index of the store knows the times of all recorded
 * files, so that a look at an unchanged workspace reads no content. The workspace itself is only read.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realFolder } from '../../lib/git/git-folder.js'
import { InertGit } from '../../lib/git/inert-git.js'
import type { BytePath } from '../byte-path.js'
import { ObjectWriter } from '../git/object-writer.js'
import { bareFolders, emptiedFolders } from './bare-folders.js'
import { isLoosened, loosensRules } from './ignore-change.js'
import { inheritedRules } from './ignore-rules.js'
import { type Inspection, inspect, statsAt } from './inspect.js'
import { type Listing, listChanges } from './listing.js'
import {
  changeMeta,
  EMPTY_META,
  type LeftFile,
  type Meta,
  type MetaChange,
  readMeta,
  usualModes,
  writeMeta,
} from './meta.js'
import { OwnPaths } from './own-paths.js'
import { PathStamps } from './path-stamps.js'
import { forgetFiles, recordFiles, writeTree } from './record-files.js'
import { ignoresCase, usesSha256 } from './store-format.js'
import { trackedIgnored } from './tracked-ignored.js'
import { Trees } from './trees.js'
import { YoungFiles } from './young-files.js'

export interface SnapshotLimits {
  /** A workspace with more files, or more bytes, is recorded only if `confirm` says so. */
  maxFiles: number
  maxBytes: number
  /** Larger files are left out. */
  maxFileBytes: number
}

export interface SnapshotStoreOptions {
  /** The absolute path of git. */
  program: string
  /** Our folder for this workspace. */
  folder: string
  workspace: string
  /** Patterns of the configuration, and folders that are never looked into. */
  exclude: readonly string[]
  never: readonly string[]
  limits: SnapshotLimits
  now?: () => number
}

/** The workspace as it was found at one time. Equal trees and meta data: equal files. */
export interface State {
  readonly tree: string
  readonly meta: Meta
  readonly metaId: string
}

export interface ScanOptions {
  /** Only these paths; null: all. */
  paths?: readonly BytePath[] | null
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
  /** Whether a workspace above the limits is to be recorded; without it, it is not. */
  confirm?: ((size: WorkspaceSize) => Promise<boolean>) | undefined
}

export interface WorkspaceSize {
  files: number
  bytes: number
}

/** The workspace is larger than the limits, and no user wants to wait. */
export class TooLarge extends Error {
  readonly size: WorkspaceSize

  constructor(size: WorkspaceSize) {
    super(`The workspace has ${size.files} files with ${size.bytes} bytes to record.`)
    this.size = size
  }
}

type Found = MetaChange & Inspection & { tracked: readonly BytePath[] }

/** From this number on a scan reports its progress. */
const SLOW = 1_000
const CLOCK_SKEW_MS = 2_000

export class SnapshotStore {
  readonly git: InertGit
  readonly workspace: string
  readonly writer: ObjectWriter
  readonly trees: Trees
  /** Whether ids are SHA-256, as those of the user's repository. */
  readonly isSha256: boolean
  readonly #options: SnapshotStoreOptions
  readonly #young: YoungFiles
  readonly #own: OwnPaths
  readonly #stamps: PathStamps
  readonly #now: () => number
  /** The real path of the workspace. */
  readonly #real: string
  /** Start of the newest scan of everything. */
  #scannedAt: number | null = null
  /** Whether ignore rules may have revealed files since then. */
  #isLoosened = false
  #unseen: Set<BytePath> = new Set()
  #state: State | null = null
  /** Of the user's index, when it was last asked which ignored files it tracks. */
  #trackedStamp = ''

  constructor(options: SnapshotStoreOptions) {
    const { program, folder, workspace } = options
    this.#options = options
    this.workspace = workspace
    this.git = new InertGit(program, folder)
    this.isSha256 = usesSha256(folder, workspace)
    this.writer = new ObjectWriter(folder, this.isSha256)
    this.trees = new Trees(this.git, workspace)
    this.#young = new YoungFiles(workspace)
    this.#own = new OwnPaths(workspace, options.never)
    this.#stamps = new PathStamps(workspace)
    this.#now = options.now ?? Date.now
    this.#real = realFolder(workspace)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.git.prepare({ isSha256: this.isSha256, ignoresCase: ignoresCase(workspace) })
    writeFileSync(this.#path('workspace'), `${workspace}\n`, { mode: 0o600 })
  }

  /** The newest state; null before the first scan. */
  get state(): State | null {
    return this.#state
  }

  /** Files that the newest scan recorded for the first time, but that may have been there before: they were ignored, or left out. */
  get unseen(): ReadonlySet<BytePath> {
    return this.#unseen
  }

  /** Whether a scan goes on from a state, of this run or an earlier one. */
  get isBegun(): boolean {
    return this.#state !== null || (existsSync(this.#path('state.json')) && existsSync(this.#path('index')))
  }

  /** Whether these files are, at any later time, as they are now. */
  watch(paths: readonly BytePath[]): () => boolean {
    return this.#stamps.watch(paths)
  }

  /** Records what has changed. Only one scan may run at a time. */
  async scan(options: ScanOptions = {}): Promise<State> {
    this.#unseen = new Set()
    const { paths = null } = options
    if (paths === null) return this.#scan(options)
    if (this.#state !== null && this.#stamps.areSame(paths)) return this.#state
    const note = this.#stamps.take(paths)
    const state = await this.#scan(options)
    note()
    return state
  }

  async #scan({ paths = null, signal, onProgress, confirm }: ScanOptions): Promise<State> {
    const startedAt = this.#now()
    const workTree = this.#place()
    const before = await this.load()
    const isWhole = paths === null || before === null
    if (isWhole) this.#writeRules()
    const place = { git: this.git, workspace: workTree, signal }
    const listing = this.#own.leaveOut(await listChanges(place, isWhole ? null : paths))
    const found = await this.#look(listing, before, isWhole ? null : paths)
    if (before !== null) await this.#noteUnseen(found, listing, before)
    if (isWhole) {
      this.#scannedAt = startedAt
      this.#isLoosened = false
    }
    if (before !== null && isUnchanged(found, before)) return before
    await this.#confirm(found, confirm)
    const total = found.store.length
    const progress =
      total >= SLOW && onProgress ? { onProgress: (done: number) => onProgress(done, total) } : {}
    if (total >= SLOW) onProgress?.(0, total)
    await forgetFiles(place, found.remove)
    const failed = await recordFiles({ ...place, ...progress }, found.store)
    this.#young.note(found.store)
    const left = new Map(found.left)
    for (const path of failed) left.set(path, UNREADABLE)
    const isSameTree = before !== null && found.store.length + found.remove.length === 0
    const state = await this.#keep(
      isSameTree ? before.tree : await writeTree(place),
      { ...found, left },
      before,
    )
    // Race: where a folder with a repository has come meanwhile, git records the repository as one entry.
    const late = found.store.filter((path) => statsAt(this.workspace, path)?.isDirectory())
    const again = [...found.replaced, ...late]
    if (late.length > 0) await forgetFiles(place, late)
    return again.length === 0 ? state : this.#scan({ paths: again, signal })
  }

  /**
   * Where git looks. A folder that was deleted as a whole is an empty one: so a call that deleted it can be undone. Through a
   * symlink in its place git would record files of another folder.
   */
  #place(): string {
    if (!existsSync(this.workspace)) {
      const empty = this.#path('empty')
      mkdirSync(empty, { recursive: true, mode: 0o700 })
      return empty
    }
    if (realFolder(this.workspace) === this.#real) return this.workspace
    throw new Error('A symlink leads from the folder of the session to another one')
  }

  /** Files that may have been there before the call whose changes are looked for: an undo must not delete them. */
  async #noteUnseen(found: Found, { fresh }: Listing, before: State): Promise<void> {
    const changed = [...found.store, ...found.remove]
    this.#isLoosened ||= await loosensRules(changed, before, this)
    const { left } = before.meta
    const closed = [...left.keys()].filter((path) => path.endsWith('/'))
    for (const path of left.keys()) this.#unseen.add(path)
    for (const path of found.tracked) this.#unseen.add(path)
    for (const path of fresh)
      if (this.#isLoosened || this.#isOld(path) || closed.some((folder) => path.startsWith(folder)))
        this.#unseen.add(path)
  }

  /** Neither made nor moved since the newest scan of everything. The clock of a file system may be a little behind. */
  #isOld(path: BytePath): boolean {
    const changedAt = statsAt(this.workspace, path)?.ctimeMs
    return this.#scannedAt !== null && changedAt !== undefined && changedAt < this.#scannedAt - CLOCK_SKEW_MS
  }

  async #look(
    { touched, fresh, bare, closed }: Listing,
    before: State | null,
    only: readonly BytePath[] | null,
  ): Promise<Found> {
    const isWhole = bare !== null
    const known = before?.meta.left ?? EMPTY_META.left
    const isTouched = new Set([...touched.map(({ path }) => path), ...this.#young.changed(only)])
    // Files that were left out are looked at again: they may have become smaller, or be gone.
    const again = isWhole ? [...known.keys()].filter((path) => !path.endsWith('/')) : []
    const tracked = isWhole ? this.#own.without(await this.#tracked()) : []
    const paths = new Set([...isTouched, ...fresh, ...tracked, ...again])
    const found = await inspect(this.workspace, [...paths], this.#options.limits.maxFileBytes)
    const remove = found.remove.filter((path) => isTouched.has(path))
    const replaced = found.replaced.filter((path) => isTouched.has(path))
    const left = new Map([...found.left, ...(isWhole ? closedFolders(closed, known) : [])])
    if (!isWhole) return { ...found, remove, replaced, left, tracked, folders: null }
    const folders = new Set([...bareFolders(this.workspace, bare), ...emptiedFolders(this.workspace, remove)])
    return { ...found, remove, replaced, left, tracked, folders }
  }

  async #confirm({ store, bytes }: Found, confirm: ScanOptions['confirm']): Promise<void> {
    const { maxFiles, maxBytes } = this.#options.limits
    if (store.length <= maxFiles && bytes <= maxBytes) return
    const size = { files: store.length, bytes }
    if (!(await confirm?.(size))) throw new TooLarge(size)
  }

  async #keep(tree: string, change: MetaChange, before: State | null): Promise<State> {
    const base = before?.meta ?? { ...EMPTY_META, usual: usualModes(change) }
    const meta = changeMeta(base, change)
    const metaId = await this.writeMeta(meta)
    this.#state = { tree, meta, metaId }
    const temporary = this.#path('state.new')
    await writeFile(temporary, JSON.stringify({ tree, metaId }), { mode: 0o600 })
    await rename(temporary, this.#path('state.json'))
    return this.#state
  }

  /** Resolves with its id in the store. */
  writeMeta(meta: Meta): Promise<string> {
    return this.writer.write('blob', writeMeta(meta))
  }

  /** The newest state, also of an earlier run. After a crash the index may be ahead of it: then both are compared. */
  async load(): Promise<State | null> {
    if (this.#state !== null) return this.#state
    try {
      if (!this.isBegun) throw new Error('Nothing is recorded yet.')
      const saved = JSON.parse(readFileSync(this.#path('state.json'), 'utf8')) as Omit<State, 'meta'>
      const state = { ...saved, meta: readMeta(await this.trees.read(saved.metaId)) }
      const tree = await writeTree({ git: this.git, workspace: this.workspace })
      this.#state = state
      if (tree === state.tree) return state
      const changed = (await this.trees.compare(state.tree, tree)).map(({ path }) => path)
      const { modes, left } = await inspect(this.workspace, changed, this.#options.limits.maxFileBytes)
      return await this.#keep(tree, { modes, left, folders: null }, state)
    } catch {
      // A damaged store records anew from here. Its older records stay, as far as it can be read.
      this.#state = null
      rmSync(this.#path('index'), { force: true })
      return null
    }
  }

  /** Written for each scan of everything: ignore files above the workspace may have changed. */
  #writeRules(): void {
    const path = this.#path('info/exclude')
    const text = inheritedRules(this.workspace, this.#options)
    const old = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (old === text) return
    this.#isLoosened ||= isLoosened(old, text)
    writeFileSync(path, text, { mode: 0o600 })
  }

  async #tracked(): Promise<readonly BytePath[]> {
    const { paths, stamp } = await trackedIgnored(this.git, this.workspace, this.#trackedStamp)
    this.#trackedStamp = stamp
    return paths
  }

  #path(name: string): string {
    return join(this.#options.folder, name)
  }
}

const UNREADABLE: LeftFile = { reason: 'unreadable', size: 0, stamp: '' }

function isUnchanged({ store, remove, left, folders }: Found, { meta }: State): boolean {
  if (store.length + remove.length > 0) return false
  for (const [path, file] of left)
    if (JSON.stringify(file) !== JSON.stringify(meta.left.get(path) ?? null)) return false
  if (folders === null) return true
  return folders.size === meta.folders.size && [...folders].every((folder) => meta.folders.has(folder))
}

/** Folders that cannot be opened, with a slash at the end, and those that can be opened again. */
function closedFolders(closed: readonly BytePath[], known: Meta['left']): [BytePath, LeftFile | null][] {
  const now = new Set(closed.map((path) => `${path.replace(/\/$/, '')}/`))
  const opened = [...known.keys()].filter((path) => path.endsWith('/') && !now.has(path))
  return [
    ...opened.map((path): [BytePath, null] => [path, null]),
    ...[...now].map((path): [BytePath, LeftFile] => [path, UNREADABLE]),
  ]
}
