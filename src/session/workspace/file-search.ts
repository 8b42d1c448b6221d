/** Searches the files of workspaces by name. An index is made at the first search and kept while it is used. */

import type { Clock } from '../../lib/clock.js'
import { Limit } from '../../lib/limit.js'
import { SlicedWork } from '../../lib/sliced-work.js'
import type { FileMatches } from '../../protocol/compose/workspace-file.js'
import { FileIndex, type FileIndexDeps } from './file-index.js'
import { PathTable } from './path-table.js'

export interface FileSearchDeps extends Omit<FileIndexDeps, 'now' | 'work'> {
  clock: Clock
  onFault(error: unknown): void
}

export interface FileQuery {
  /** The real path of the folder. */
  folder: string
  text: string
  limit: number
}

/** Indexes that are kept, and the names in all of them together. */
const MAX_INDEXES = 6
const MAX_NAMES = 500_000
/** Trees that are looked over at the same time. */
const MAX_REFRESHES = 2
/** After this time without a search the names are dropped. */
const IDLE_MS = 10 * 60_000
/** An index is looked over at most this often, and a large one less often: at most a fifth of the time. */
const FRESH_MS = 1_000
const REST_FACTOR = 4
/** How long a first search waits for the index. */
const WAIT_MS = 400

interface Kept {
  index: FileIndex
  /** Aborts when the index is dropped. */
  dropped: AbortController
  table: PathTable | null
  isWhole: boolean
  /** The look at the tree that is going on. */
  refreshing: Promise<void> | null
  /** When it is to be looked over again. */
  freshUntil: number
  usedAt: number
}

export class FileSearch {
  readonly #deps: FileSearchDeps
  readonly #kept = new Map<string, Kept>()
  readonly #work = new SlicedWork()
  readonly #refreshes = new Limit(MAX_REFRESHES)
  #isClosed = false
  #cancelSweep: (() => void) | null = null

  constructor(deps: FileSearchDeps) {
    this.#deps = deps
  }

  async search({ folder, text, limit }: FileQuery): Promise<FileMatches> {
    if (this.#isClosed) return { files: [], total: 0, state: 'ready', isWhole: true }
    const kept = this.#keep(folder)
    const { clock } = this.#deps
    if (!kept.refreshing && clock.now() >= kept.freshUntil) this.#refresh(kept)
    if (!kept.table && kept.refreshing) await this.#within(WAIT_MS, kept.refreshing)
    const { table, refreshing } = kept
    const state = refreshing ? (table ? 'refreshing' : 'indexing') : 'ready'
    if (!table) return { files: [], total: 0, state, isWhole: true }
    const paths = await this.#work.run(table.search(text, limit))
    return {
      files: paths.map((path) => ({ path, kind: path.endsWith('/') ? 'folder' : 'file' })),
      total: table.paths.length,
      state,
      isWhole: kept.isWhole,
    }
  }

  #keep(folder: string): Kept {
    const { clock } = this.#deps
    const known = this.#kept.get(folder)
    const kept = known ?? {
      index: new FileIndex(folder, { ...this.#deps, work: this.#work, now: () => clock.now() }),
      dropped: new AbortController(),
      table: null,
      isWhole: true,
      refreshing: null,
      freshUntil: Number.NEGATIVE_INFINITY,
      usedAt: 0,
    }
    kept.usedAt = clock.now()
    this.#kept.delete(folder)
    this.#kept.set(folder, kept)
    this.#dropBeyond()
    this.#cancelSweep ??= clock.after(IDLE_MS, () => this.#sweep())
    return kept
  }

  #refresh(kept: Kept): void {
    const { clock } = this.#deps
    const { signal } = kept.dropped
    const refresh = async () => {
      const start = clock.now()
      const found = await kept.index.refresh(signal)
      const end = clock.now()
      kept.freshUntil = end + Math.max(FRESH_MS, REST_FACTOR * (end - start))
      if (!found) return
      kept.table = await this.#work.run(PathTable.make(found.paths))
      kept.isWhole = found.isWhole
      this.#dropBeyond()
    }
    kept.refreshing = this.#refreshes
      .run(refresh)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#deps.onFault(error)
      })
      .finally(() => {
        kept.refreshing = null
      })
  }

  #within(ms: number, work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(ms, resolve)
      void work.finally(() => {
        cancel()
        resolve()
      })
    })
  }

  #sweep(): void {
    const { clock } = this.#deps
    for (const [folder, { usedAt }] of this.#kept) if (clock.now() - usedAt >= IDLE_MS) this.#drop(folder)
    this.#cancelSweep = this.#kept.size > 0 ? clock.after(IDLE_MS, () => this.#sweep()) : null
  }

  /** Drops the least recently used indexes, which are the first of the map. The one in use stays. */
  #dropBeyond(): void {
    let names = 0
    const newestFirst = [...this.#kept].toReversed()
    for (const [index, [folder, { table }]] of newestFirst.entries()) {
      names += table?.paths.length ?? 0
      if (index > 0 && (index >= MAX_INDEXES || names > MAX_NAMES)) this.#drop(folder)
    }
  }

  #drop(folder: string): void {
    this.#kept.get(folder)?.dropped.abort()
    this.#kept.delete(folder)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelSweep?.()
    const refreshing = [...this.#kept.values()].flatMap((kept) => kept.refreshing ?? [])
    for (const folder of this.#kept.keys()) this.#drop(folder)
    await Promise.all(refreshing)
  }
}
