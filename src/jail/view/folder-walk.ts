/**
 * Visits every folder below a workspace, once. An entry that a parent has listed and we cannot stat is never
 * skipped.
 */

import { lstatSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createFolderListings, type Listing } from './folder-listing.js'

/** Something moved while we looked. */
export class Moved extends Error {}
/** Why the workspace cannot be known, in words. */
export class Problem extends Error {}

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
      for (let count = 1; ; count++) {
        const path = pending.pop()
        if (path === undefined) return
        if (count > maxFolders) throw new Problem(`The workspace has more than ${maxFolders} folders.`)
        if (count % FOLDERS_PER_TURN === 0) await nextTurn()
        const listing = look(path)
        if (listing === null) {
          visitClosed(path)
          continue
        }
        if (listing.hasOddName) throw new Problem(`A name in ${path} is not UTF-8.`)
        if (!visit(listing)) continue
        for (const name of listing.folders) {
          const folder = `${path}/${name}`
          if (!skipped.includes(folder) && !roots.includes(folder)) pending.push(folder)
        }
      }
    },
  }
}
