/** Files of a stream and their identity. A path is not enough, because rotation renames files. */

import { type BigIntStats, closeSync, fstatSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { digest } from '../../lib/digest.js'
import { openRegularFileSync } from '../../lib/file/regular-file.js'

/** Identity of a file. Inodes are reused, so it includes a digest of its beginning. */
export interface FileIdentity {
  readonly device: string
  readonly inode: string
  /** Digest of the first line, or of its first 1,024 bytes. Null while there is no whole line. */
  readonly head: string | null
}

export interface FilePosition extends FileIdentity {
  /** After the last accepted line. */
  readonly offset: number
}

const HEAD_BYTES = 1_024
const LINE_END = 10

export function identify(file: number, stats: BigIntStats = fstatSync(file, { bigint: true })): FileIdentity {
  return { device: String(stats.dev), inode: String(stats.ino), head: readHead(file) }
}

function readHead(file: number): string | null {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES)
  let got = 0
  while (got < HEAD_BYTES) {
    const read = readSync(file, bytes, got, HEAD_BYTES - got, got)
    if (read === 0) break
    got += read
  }
  const end = bytes.subarray(0, got).indexOf(LINE_END)
  if (end < 0 && got < HEAD_BYTES) return null
  return digest(bytes.toString('latin1', 0, end < 0 ? got : end)).slice(0, 32)
}

export function isSameInode(one: FileIdentity, other: FileIdentity): boolean {
  return one.device === other.device && one.inode === other.inode
}

/** Whether the part that was read is still at its place in the file. */
export function isContinued(position: FilePosition, found: FileIdentity, size: bigint): boolean {
  if (position.offset === 0) return true
  return position.head === found.head && size >= BigInt(position.offset)
}

/** The identity of a file that was not opened. */
export function placeOf(stats: BigIntStats): FileIdentity {
  return { device: String(stats.dev), inode: String(stats.ino), head: null }
}

/** Opens for reading; null if there is no such regular file. */
export function openFile(path: string): { file: number; stats: BigIntStats } | null {
  let file: number
  try {
    file = openRegularFileSync(path).file
  } catch {
    return null
  }
  return { file, stats: fstatSync(file, { bigint: true }) }
}

export interface Sibling {
  readonly path: string
  readonly stats: BigIntStats
}

const NOT_LINES = /\.(?:gz|zst|xz|bz2|lz4|zip|tmp|lock|swp)$|~$/

/** Rotated files next to a stream, oldest first. */
export function listSiblings(path: string): Sibling[] {
  const folder = dirname(path)
  const name = basename(path)
  const found: Sibling[] = []
  for (const entry of readNames(folder)) {
    if (!entry.startsWith(name) || !/^[.-]/.test(entry.slice(name.length)) || NOT_LINES.test(entry)) continue
    const stats = statSync(join(folder, entry), { bigint: true, throwIfNoEntry: false })
    if (stats?.isFile()) found.push({ path: join(folder, entry), stats })
  }
  return found.toSorted(
    (one, other) => Number(one.stats.mtimeNs - other.stats.mtimeNs) || compareNames(one.path, other.path),
  )
}

/** Tie-break for equal modification times: by the timestamp in the name, or by number, the highest first. */
function compareNames(one: string, other: string): number {
  const [first, second] = [one, other].map((path) => /\.(\d{1,4})$/.exec(path)?.[1])
  if (first !== undefined && second !== undefined) return Number(second) - Number(first)
  return one < other ? -1 : 1
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export function closeQuietly(file: number): void {
  try {
    closeSync(file)
  } catch {
    // Already closed.
  }
}
