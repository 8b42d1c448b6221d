/** Reads the index of a repository: the tracked files, and the folders that are repositories of their own. */

export interface IndexFile {
  /** Tracked files, as paths below the top of the working tree. */
  names: readonly string[]
  /** Of each tracked file: the stat data that git cached for it. */
  stamps: readonly Stamp[]
  /** Gitlinks: `git status` and `git diff` enter these repositories, whose settings name programs to run. */
  links: readonly string[]
}

export interface Stamp {
  mtimeNs: bigint
  size: number
  /** Id of the staged content. */
  id: string
}

const FOLDER_MODE = 0o040000
const GITLINK_MODE = 0o160000
const KIND_OF_MODE = 0o170000
/** Fixed fields of an entry: times, device, inode, mode, owner, size, hash of 20 bytes, flags. */
const FIXED = 62
const MTIME_AT = 8
const MODE_AT = 24
const SIZE_AT = 36
const ID_AT = 40
const FLAGS_AT = 60
const HASH_BYTES = 20

/** Versions 2 to 4 with SHA-1. Null if it cannot be read to the last byte, or is only a part of the index. */
export function readIndexFile(bytes: Buffer): IndexFile | null {
  const names: string[] = []
  const stamps: Stamp[] = []
  const links: string[] = []
  const entries = readEntries(bytes)
  for (;;) {
    const { done, value } = entries.next()
    if (done) return value ? { names, stamps, links } : null
    const name = value.name.toString('utf8')
    if (value.isLink) links.push(name)
    else {
      names.push(name)
      stamps.push(stampAt(bytes, value.at))
    }
  }
}

export interface IndexEntry {
  name: Buffer
  /** Where its fixed fields are. */
  at: number
  isLink: boolean
}

/** One by one, for callers that must not take the event loop. Returns whether the whole index could be read. */
export function* readEntries(bytes: Buffer): Generator<IndexEntry, boolean> {
  if (bytes.length < 12 + HASH_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC') return false
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return false
  let at = 12
  let before: Buffer = Buffer.alloc(0)
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const entry = readEntry(bytes, at, version, before)
    if (entry === null) return false
    const kind = bytes.readUInt32BE(at + MODE_AT) & KIND_OF_MODE
    // A sparse index: a folder stands for all files below it.
    if (kind === FOLDER_MODE) return false
    yield { name: entry.name, at, isLink: kind === GITLINK_MODE }
    before = entry.name
    at = entry.end
  }
  return hasOnlyOptionalExtensions(bytes, at)
}

function stampAt(bytes: Buffer, at: number): Stamp {
  const seconds = BigInt(bytes.readUInt32BE(at + MTIME_AT))
  const nanoseconds = BigInt(bytes.readUInt32BE(at + MTIME_AT + 4))
  return {
    mtimeNs: seconds * 1_000_000_000n + nanoseconds,
    size: bytes.readUInt32BE(at + SIZE_AT),
    id: bytes.toString('hex', at + ID_AT, at + ID_AT + HASH_BYTES),
  }
}

function readEntry(
  bytes: Buffer,
  at: number,
  version: number,
  before: Buffer,
): { name: Buffer; end: number } | null {
  if (at + FIXED >= bytes.length) return null
  const isExtended = (bytes.readUInt16BE(at + FLAGS_AT) & 0x4000) !== 0
  let start = at + FIXED + (isExtended ? 2 : 0)
  let kept: Buffer = Buffer.alloc(0)
  if (version === 4) {
    // Version 4 compresses prefixes: first the number of bytes to drop from the previous name, then the new suffix.
    let removed = (bytes[start] ?? 0) & 0x7f
    while (((bytes[start++] ?? 0) & 0x80) !== 0) removed = ((removed + 1) << 7) | ((bytes[start] ?? 0) & 0x7f)
    if (removed > before.length) return null
    kept = before.subarray(0, before.length - removed)
  }
  const end = bytes.indexOf(0, start)
  if (end < 0) return null
  const name = Buffer.concat([kept, bytes.subarray(start, end)])
  // Up to version 3, padded with at least one NUL to a multiple of eight.
  return { name, end: version === 4 ? end + 1 : at + ((end - at + 8) & ~7) }
}

/** Extensions in lower case change the meaning of the entries: a split index keeps some of them in another file. */
function hasOnlyOptionalExtensions(bytes: Buffer, start: number): boolean {
  const end = bytes.length - HASH_BYTES
  let at = start
  while (at + 8 <= end) {
    if (!/^[A-Z]/.test(bytes.toString('latin1', at, at + 1))) return false
    at += 8 + bytes.readUInt32BE(at + 4)
  }
  return at === end
}
