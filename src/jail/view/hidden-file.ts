/**
 * Finds the paths of a workspace to hide in the jail: protected files and their hard links, sockets, FIFOs
 * and devices.
 */

import { type Reason, reason } from '../../protocol/reason/reason.js'
import type { Listing } from './folder-listing.js'
import { createFolderWalker, Moved, Problem } from './folder-walk.js'
import { createTwins } from './hard-link.js'
import { Finding } from './hidden-finding.js'

export interface Hidden {
  files: readonly string[]
  /** Empty in the jail. */
  folders: readonly string[]
  /** Folders that we may not list. They are closed in the jail too: a file in them could still be opened by name. */
  closed: readonly string[]
  /** The own object stores and the folders below them. */
  stores: ReadonlyMap<string, readonly Listing[]>
  /** Folders named `.claude`, wherever they are. */
  claudeFolders: readonly string[]
  /** Configuration files of git that contain a password or token. */
  gitConfigs: readonly string[]
  /** A file is hidden under an ordinary name, as the target of a protected link or as a hard link. */
  hasBorrowedName: boolean
  /** Folders to watch for protected names that come and go: first those that have one. */
  watchable: readonly string[]
  /** Where each of them is and which file that is: another after it was created, replaced or moved. */
  identities: readonly string[]
}

export interface HiddenFilesLimits {
  /** Folders that are looked at for one command. */
  maxFolders: number
  /** Files that are hidden from one command. */
  maxFiles: number
  /** Files whose links are counted, where a protected file has more than one name. */
  maxTwins: number
}

const LIMITS: HiddenFilesLimits = { maxFolders: 20_000, maxFiles: 300, maxTwins: 100_000 }
const MAX_WALKS = 3

export interface Search {
  /** The workspace first. Everything below them is looked at. */
  roots: readonly string[]
  /** Files elsewhere whose hard links count as well. */
  secrets: readonly string[]
  /** Hidden as a whole. */
  ownFolders: readonly string[]
  /** Object stores of git whose content is known otherwise; every other one is hidden. */
  ownStores: readonly string[]
}

export interface HiddenFiles {
  /** The paths to hide below the roots, as of now, or why they cannot be determined. */
  find(search: Search): Promise<Hidden | { problem: Reason }>
  /** A folder and those below it, as they are now. Rejects if one of them cannot be listed. */
  list(root: string): Promise<readonly Listing[]>
}

export function createHiddenFiles(limits: HiddenFilesLimits = LIMITS): HiddenFiles {
  const walker = createFolderWalker(limits.maxFolders)
  const twins = createTwins(limits.maxTwins)

  async function findOnce(search: Search): Promise<Hidden> {
    const found = new Finding(search)
    await walker.walk({
      roots: search.roots,
      skipped: search.ownFolders,
      visit: (listing) => found.visit(listing),
      visitClosed: (path) => found.closed.add(path),
    })
    found.followAliases()
    const linked = await twins.find([...found.files], search.secrets, found.listings, walker.generation)
    if (linked === null) throw new Problem(reason('jail.hard-links'))
    for (const twin of linked) found.hide(twin)
    return found.result(limits.maxFiles)
  }

  return {
    async list(root) {
      const listings: Listing[] = []
      await walker.walk({
        roots: [root],
        skipped: [],
        visit: (listing) => listings.push(listing) > 0,
        visitClosed: (path) => {
          throw new Problem(reason('jail.folder-closed', { path }))
        },
      })
      return listings
    },
    async find(search) {
      for (let count = 1; ; count++) {
        try {
          return await findOnce(search)
        } catch (error) {
          if (error instanceof Problem) return { problem: error.reason }
          if (!(error instanceof Moved)) throw error
          if (count === MAX_WALKS) return { problem: reason('jail.workspace-changes') }
        }
      }
    },
  }
}
