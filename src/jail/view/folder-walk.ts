/**
 * Visits every folder below a workspace, once. An entry that a parent has listed and we cannot stat is never
 * skipped.
 */

import { lstatSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Reason, reason, reasonText } from '../../protocol/reason/reason.js'
import { createFolderListings, type Listing } from './folder-listing.js'

/** Something moved while we looked. */
export class Moved extends Error {}
/** Why the workspace cannot be known. */
export class Problem extends Error {
  readonly reason: Reason

  constructor(why: Reason) {
    super(reasonText([why]))
    this.reason = why
  }
}

export interface Walk {
  roots: readonly string[]
  /** Not looked into. */
  skipped: readonly string[]
  /** Called for each folder; false: what is in it is not looked at. */
  visit(listing: Listing): boolean
  /** A folder that we may not list. Files in it could still be opened by name. */
  visitClosed(path: string): void
}

export interface FolderWalker {
  /** Rejects with `Moved` or `Problem`. */
  walk(walk: Walk): Promise<void>
  /** Changes whenever a folder was listed anew. */
  readonly generation: number
}

/** The event loop gets its turn between this many folders. */
const FOLDERS_PER_TURN = 300

export function createFolderWalker(maxFolders: number): FolderWalker {
  const listings = createFolderListings()

  /** Null: it may not be listed. */
  function look(path: string): Listing | null {
    try {
      const stats = lstatSync(path, { bigint: true })
      if (!stats.isDirectory()) throw new Moved()
      return listings.list(path, stats)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'EPERM') return null
      if (code === 'ENOENT' || code === 'ENOTDIR') throw new Moved()
      throw error
    }
  }

  return {
    get generation() {
      return listings.generation
    },
    async walk({ roots, skipped, visit, visitClosed }) {
      const pending = [...roots]
      const isLeftOut = (folder: string) => skipped.includes(folder) || roots.includes(folder)
      for (let count = 1; ; count++) {
        const path = pending.pop()
        if (path === undefined) return
        if (count > maxFolders)
          throw new Problem(reason('jail.too-many-folders', { count: String(maxFolders) }))
        if (count % FOLDERS_PER_TURN === 0) await nextTurn()
        const listing = look(path)
        if (listing === null) {
          visitClosed(path)
          continue
        }
        if (listing.hasOddName) throw new Problem(reason('jail.odd-name', { path }))
        if (!visit(listing)) continue
        for (const folder of listing.paths) if (!isLeftOut(folder)) pending.push(folder)
      }
    },
  }
}
