/** Cached folder listings, valid for as long as the folder does not change. */

import { type BigIntStats, closeSync, type Dirent, readdirSync, readSync } from 'node:fs'
import { openRegularFileSync } from '../../lib/file/regular-file.js'
import { isProtectedFile } from '../../policy/file/protected.js'

/** One folder as it was listed. A new, renamed or deleted entry changes the time of the folder. */
export interface Listing {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly isRacy: boolean
  readonly folders: readonly string[]
  /** Their paths, made once: most of the time of a walk is spent on folders that have not changed. */
  readonly paths: readonly string[]
  readonly files: readonly string[]
  readonly links: readonly string[]
  /** Sockets, FIFOs, devices, and what the file system does not name. */
  readonly special: readonly string[]
  /** Files and links with a protected name. */
  readonly protected: readonly string[]
  /** A name that is not UTF-8: whatever it names cannot be found again by the text that we have. */
  readonly hasOddName: boolean
}

/** A folder that changed this close to its listing may have changed again within the same tick of the clock. */
const RACY_NS = 100_000_000n
const MAX_LISTINGS = 100_000
/** By which text that is not UTF-8 is replaced when it is read. */
const REPLACEMENT = '\ufffd'

export interface FolderListings {
  /** Throws what `readdir` throws. `stats` are those of the path, as of now. */
  list(path: string, stats: BigIntStats): Listing
  /** Changes whenever a folder was listed anew. */
  readonly generation: number
}

export function createFolderListings(): FolderListings {
  const listings = new Map<string, Listing>()
  let generation = 0
  return {
    get generation() {
      return generation
    },
    list(path, stats) {
      const known = listings.get(path)
      if (known && !known.isRacy && isSame(known, stats)) return known
      const listing = read(path, stats)
      generation++
      if (listings.size >= MAX_LISTINGS) listings.clear()
      listings.set(path, listing)
      return listing
    },
  }
}

function read(path: string, { dev, ino, mtimeNs, ctimeNs }: BigIntStats): Listing {
  const now = BigInt(Date.now()) * 1_000_000n
  const entries = readdirSync(path, { withFileTypes: true })
  const namesOf = (isChosen: (entry: Dirent) => boolean) => entries.filter(isChosen).map(({ name }) => name)
  const folders = namesOf((entry) => entry.isDirectory())
  return {
    path,
    dev,
    ino,
    mtimeNs,
    ctimeNs,
    isRacy: now - mtimeNs < RACY_NS || now - ctimeNs < RACY_NS,
    folders,
    paths: folders.map((name) => `${path}/${name}`),
    files: namesOf((entry) => entry.isFile()),
    links: namesOf((entry) => entry.isSymbolicLink()),
    special: namesOf((entry) => !entry.isDirectory() && !entry.isFile() && !entry.isSymbolicLink()),
    protected: namesOf(
      (entry) =>
        (entry.isFile() || entry.isSymbolicLink()) &&
        isProtectedFile(`${path}/${entry.name}`) &&
        !isReference(`${path}/${entry.name}`),
    ),
    hasOddName: entries.some(({ name }) => name.includes(REPLACEMENT)),
  }
}

function isSame(known: Listing, { dev, ino, mtimeNs, ctimeNs }: BigIntStats): boolean {
  return known.dev === dev && known.ino === ino && known.mtimeNs === mtimeNs && known.ctimeNs === ctimeNs
}

/** A branch may be named like a secret. Its file begins with the name of an object, whatever folder it lies in. */
function isReference(path: string): boolean {
  if (!/\/(?:refs|logs)\//.test(path)) return false
  try {
    const { file } = openRegularFileSync(path)
    try {
      const head = Buffer.alloc(41)
      return /^(?:[0-9a-f]{40}|ref: refs\/)/.test(head.toString('latin1', 0, readSync(file, head)))
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}
