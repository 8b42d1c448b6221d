/** Walks over a folder of the workspace, level by level, never through a link, in bounded memory. */

import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../file/place.js'
import { FolderEntries } from './folder-entries.js'
import { type IgnoreRules, isIgnored, parseIgnoreRules } from './gitignore.js'

export interface WalkedEntry {
  /** The names that lead to its folder from where the walk began. */
  folder: readonly string[]
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

export interface WalkOptions {
  /** How many levels; null for all. */
  depth: number | null
  /** Patterns as in a `.gitignore` of the folder where the walk begins. */
  excludePatterns: readonly string[]
  signal: AbortSignal
  /** Asked before each folder. */
  mayGoOn(visited: number): boolean
}

/** Counts of omitted entries, reported at the end. */
export interface WalkReport {
  /** Folders that could not be read, as they may not be or vanished meanwhile. */
  unreadable: number
  /** Entries that `.gitignore` and patterns have hidden. */
  hidden: number
  isComplete: boolean
}

/** Folders that wait for their turn. */
const MAX_WAITING = 100_000
const READ_AHEAD = 4

interface Waiting {
  path: string
  names: readonly string[]
  rules: IgnoreRules | null
}

/** Yields entries folder by folder, sorted in each; of a large folder in pieces, in the order of the disk. */
export async function* walk(
  start: Place,
  options: WalkOptions,
  report: WalkReport,
): AsyncGenerator<readonly WalkedEntry[]> {
  const excludes = parseIgnoreRules(options.excludePatterns, start.names.length, null)
  const first = { path: start.path, names: [], rules: await rulesAbove(start) }
  const queue = new Queue(first)
  let visited = 0
  try {
    for (let folder = queue.next(); folder !== null; folder = queue.next()) {
      options.signal.throwIfAborted()
      if (!options.mayGoOn(visited)) {
        report.isComplete = false
        return
      }
      const entries = await folder.opened
      if (entries === null) {
        report.unreadable += 1
        continue
      }
      const { path, names, rules: above } = folder.waiting
      const place = [...start.names, ...names]
      const rules =
        entries.ignoreText === null ? above : parseIgnoreRules(entries.ignoreText, place.length, above)
      for await (const piece of entries.pieces()) {
        visited += piece.length
        const walked: WalkedEntry[] = []
        for (const entry of piece) {
          const { name } = entry
          const kind = kindOf(entry)
          const isFolder = kind === 'folder'
          const isHidden =
            name === '.git' ||
            isIgnored(excludes, place, name, isFolder) ||
            isIgnored(rules, place, name, isFolder)
          if (isHidden) report.hidden += 1
          else walked.push({ folder: names, name, kind })
        }
        walked.sort(byName)
        yield walked
        if (options.depth !== null && names.length + 1 >= options.depth) continue
        for (const entry of walked) {
          if (entry.kind !== 'folder') continue
          const below = { path: join(path, entry.name), names: [...names, entry.name], rules }
          if (!queue.add(below)) report.isComplete = false
        }
      }
      await entries.close()
    }
  } finally {
    await queue.close()
  }
}

/** The rules of the folders between the workspace and the start of the walk. */
async function rulesAbove({ root, names }: Place): Promise<IgnoreRules | null> {
  let rules: IgnoreRules | null = null
  for (let depth = 0; depth < names.length; depth += 1) {
    const entries = await FolderEntries.open(join(root, ...names.slice(0, depth))).catch(() => null)
    if (entries?.ignoreText) rules = parseIgnoreRules(entries.ignoreText, depth, rules)
    await entries?.close()
  }
  return rules
}

interface Opening {
  waiting: Waiting
  /** Null if it cannot be read. */
  opened: Promise<FolderEntries | null>
}

/** Folders in the order in which they were found; the next few are opened ahead of their turn. */
class Queue {
  #waiting: Waiting[]
  #place = 0
  #opening: Opening[] = []
  #current: Opening | null = null

  constructor(first: Waiting) {
    this.#waiting = [first]
  }

  /** False if too many wait already. */
  add(folder: Waiting): boolean {
    if (this.#waiting.length - this.#place >= MAX_WAITING) return false
    this.#waiting.push(folder)
    return true
  }

  next(): Opening | null {
    while (this.#opening.length < READ_AHEAD) {
      const waiting = this.#waiting[this.#place]
      if (!waiting) break
      this.#place += 1
      this.#opening.push({ waiting, opened: FolderEntries.open(waiting.path).catch(() => null) })
    }
    if (this.#place > 10_000) {
      this.#waiting = this.#waiting.slice(this.#place)
      this.#place = 0
    }
    this.#current = this.#opening.shift() ?? null
    return this.#current
  }

  async close(): Promise<void> {
    const opened = [...this.#opening, ...(this.#current ? [this.#current] : [])]
    for (const { opened: folder } of opened) await (await folder)?.close()
  }
}

function kindOf(entry: Dirent): WalkedEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

function byName(a: WalkedEntry, b: WalkedEntry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
