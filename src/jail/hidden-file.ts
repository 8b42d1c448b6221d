/** What of a workspace is hidden in the jail: protected files and their hard links, sockets, FIFOs and devices. */

import { type BigIntStats, type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isProtectedFile } from '../policy/protected.js'

export type Hidden = { files: string[]; folders: string[] } | { problem: string }

export interface HiddenFilesLimits {
  /** Folders that are looked at for one command. */
  maxFolders: number
  /** Files that are hidden from one command. */
  maxFiles: number
  /** Files whose links are counted, where a protected file has more than one name. */
  maxTwins: number
}

const LIMITS: HiddenFilesLimits = { maxFolders: 20_000, maxFiles: 300, maxTwins: 100_000 }
/** The event loop gets its turn between this many folders. */
const FOLDERS_PER_TURN = 300
/** A folder that changed this close to its listing may have changed again within the same tick of the clock. */
const RACY_NS = 100_000_000n
const MAX_LISTINGS = 100_000

/** One folder as it was listed. A new, renamed or deleted entry changes the time of the folder. */
interface Listing {
  dev: bigint
  ino: bigint
  mtimeNs: bigint
  ctimeNs: bigint
  isRacy: boolean
  folders: readonly string[]
  /** Sockets, FIFOs, devices, and what the file system does not name. */
  special: readonly string[]
  protected: readonly string[]
  files: readonly string[]
}

/** Inside a git folder names are those of branches, tags and objects. */
const NAMED_BY_GIT = /\/\.git\/(?:objects|refs|logs|modules|worktrees|lfs)(?:\/|$)/

export interface HiddenFiles {
  /**
   * What must be hidden below `roots`, as of now. `secrets` are files elsewhere whose hard links count as well;
   * `ownFolders` are hidden as a whole.
   */
  find(roots: readonly string[], secrets: readonly string[], ownFolders: readonly string[]): Promise<Hidden>
}

export function createHiddenFiles(limits: HiddenFilesLimits = LIMITS): HiddenFiles {
  const listings = new Map<string, Listing>()

  function list(path: string, stats: BigIntStats): Listing {
    const known = listings.get(path)
    if (known && !known.isRacy && isSame(known, stats)) return known
    const now = BigInt(Date.now()) * 1_000_000n
    const isNamedByGit = NAMED_BY_GIT.test(`${path}/`)
    const entries = readdirSync(path, { withFileTypes: true })
    const isProtected = (entry: Dirent) => !isNamedByGit && isProtectedFile(join(path, entry.name))
    const names = (chosen: readonly Dirent[]) => chosen.map(({ name }) => name)
    const plain = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink())
    const listing: Listing = {
      dev: stats.dev,
      ino: stats.ino,
      mtimeNs: stats.mtimeNs,
      ctimeNs: stats.ctimeNs,
      isRacy: now - stats.mtimeNs < RACY_NS || now - stats.ctimeNs < RACY_NS,
      folders: names(entries.filter((entry) => entry.isDirectory())),
      special: names(
        entries.filter((entry) => !entry.isDirectory() && !entry.isFile() && !entry.isSymbolicLink()),
      ),
      protected: names(plain.filter(isProtected)),
      files: names(entries.filter((entry) => entry.isFile())),
    }
    if (listings.size >= MAX_LISTINGS) listings.clear()
    listings.set(path, listing)
    return listing
  }

  /** Every folder below the roots, once. Null: there are too many. */
  async function walk(
    roots: readonly string[],
    ownFolders: readonly string[],
    visit: (path: string, listing: Listing) => void,
  ): Promise<boolean> {
    const pending = [...roots]
    const seen = new Set(roots)
    for (let count = 1; ; count++) {
      const path = pending.pop()
      if (path === undefined) return true
      if (count > limits.maxFolders) return false
      if (count % FOLDERS_PER_TURN === 0) await nextTurn()
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (!stats?.isDirectory()) continue
      const listing = listIfReadable(path, stats)
      if (listing === null) continue
      visit(path, listing)
      for (const name of listing.folders) {
        const folder = join(path, name)
        if (ownFolders.includes(folder) || seen.has(folder)) continue
        pending.push(folder)
      }
    }
  }

  /** What we cannot list, the command in the jail cannot either: it runs as the same user with fewer rights. */
  function listIfReadable(path: string, stats: BigIntStats): Listing | null {
    try {
      return list(path, stats)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'ENOENT' || code === 'ENOTDIR') return null
      throw error
    }
  }

  async function find(
    roots: readonly string[],
    secrets: readonly string[],
    ownFolders: readonly string[],
  ): Promise<Hidden> {
    const files = new Set<string>()
    const repositories: string[] = []
    const isInside = (path: string) => roots.some((root) => path.startsWith(`${root}/`))
    const isWhole = await walk(roots, ownFolders, (path, listing) => {
      for (const name of listing.special) files.add(join(path, name))
      if (isNestedRepository(path, listing, roots)) repositories.push(join(path, 'objects'))
      for (const name of listing.protected) {
        const real = realOf(join(path, name))
        // A link that leads out of the workspace leads nowhere in the jail.
        if (real !== null && isInside(real)) files.add(real)
      }
    })
    if (!isWhole) return { problem: `The workspace has more than ${limits.maxFolders} folders.` }
    const linked = [...files, ...secrets].flatMap(linkedFile)
    if (linked.length > 0) {
      const twins = await twinsOf(new Set(linked), roots, ownFolders)
      if (twins === null)
        return { problem: 'A protected file has hard links, and there are too many files to find them.' }
      for (const twin of twins) files.add(twin)
    }
    if (files.size > limits.maxFiles)
      return { problem: `The workspace has more than ${limits.maxFiles} protected or special files.` }
    const folders = [...ownFolders.filter((own) => isInside(own) && isThere(own)), ...repositories]
    return {
      files: [...files].filter((file) => !folders.some((folder) => file.startsWith(`${folder}/`))),
      folders,
    }
  }

  /** All names of these files below the roots. Every file must be looked at, so it is done only where there is a link. */
  async function twinsOf(
    wanted: ReadonlySet<string>,
    roots: readonly string[],
    ownFolders: readonly string[],
  ): Promise<string[] | null> {
    const paths: string[] = []
    const isWhole = await walk(roots, ownFolders, (path, { files }) => {
      if (paths.length <= limits.maxTwins) paths.push(...files.map((name) => join(path, name)))
    })
    if (!isWhole || paths.length > limits.maxTwins) return null
    return paths.filter((path) => linkedFile(path).some((id) => wanted.has(id)))
  }

  return { find }
}

/** A repository within the workspace: its history is not looked through, so its objects are hidden. */
function isNestedRepository(path: string, { folders, files }: Listing, roots: readonly string[]): boolean {
  const isOwn = roots.some((root) => path === root || path === join(root, '.git'))
  return !isOwn && folders.includes('objects') && folders.includes('refs') && files.includes('HEAD')
}

function isSame(known: Listing, { dev, ino, mtimeNs, ctimeNs }: BigIntStats): boolean {
  return known.dev === dev && known.ino === ino && known.mtimeNs === mtimeNs && known.ctimeNs === ctimeNs
}

/** The identity of a file that has more than one name. */
function linkedFile(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() && stats.nlink > 1 ? [`${stats.dev}:${stats.ino}`] : []
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
