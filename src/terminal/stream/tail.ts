/**
 * Follows a stream: whole lines in order, through rotation by rename or copytruncate, and through deletion and
 * replacement. Never skips a line that still exists. After an unusual change it may deliver lines again, so readers
 * deduplicate events by id.
 */

import { type BigIntStats, fstatSync, statSync } from 'node:fs'
import { type Line, LineReader, type LineReaderOptions } from './line-reader.js'
import {
  closeQuietly,
  type FileIdentity,
  identify,
  isSameInode,
  listSiblings,
  openFile,
  type Sibling,
} from './stream-file.js'

export interface FilePosition extends FileIdentity {
  /** After the last accepted line. */
  readonly offset: number
}

/** Offsets of all files, enough to resume after a restart. */
export interface TailState {
  /** The file at the stream's path. */
  readonly live: FilePosition | null
  /** Older files of the stream next to it. */
  readonly retired: readonly FilePosition[]
}

export interface TailBatch {
  readonly lines: readonly Line[]
  /** The file that contains the lines. */
  readonly file: FileIdentity
  /** The state once these lines are accepted. */
  readonly state: TailState
  readonly accept: () => void
}

interface Live {
  file: number
  position: FilePosition
  /** Size and times of the file when it was read to its end. */
  drained: BigIntStats | null
}

interface Retired {
  position: FilePosition
  /** Null while its path is unknown. */
  path: string | null
  size: bigint
  misses: number
  /** Rotated after the file that is being followed, so it is read after that one. */
  isNewer: boolean
  /** Index among all rotated files, oldest first. */
  rank: number
}

const NOTHING: TailState = { live: null, retired: [] }

export class StreamTail {
  readonly #path: string
  readonly #reader: LineReader
  #stored: TailState
  #isOpen = false
  #live: Live | null = null
  #retired: Retired[] = []
  #waiting: Retired[] = []

  constructor(path: string, options: LineReaderOptions & { state?: TailState }) {
    this.#path = path
    this.#reader = new LineReader(options)
    this.#stored = options.state ?? NOTHING
  }

  get state(): TailState {
    return {
      live: this.#live?.position ?? null,
      retired: this.#retired.map(({ position }) => position),
    }
  }

  /** The next lines, of older files first; null if there are none. Returns the same lines until they are accepted. */
  next(): TailBatch | null {
    if (!this.#isOpen) this.#open()
    for (;;) {
      const batch = this.#readRetired() ?? this.#readLive()
      if (batch) return batch
      if (!this.#followRotation()) return null
    }
  }

  /** Looks for lines written into files after their rotation. */
  lookAround(): void {
    if (!this.#isOpen) return
    const seen = new Set<Retired>()
    const hadMoved = this.#hasMoved()
    const siblings = listSiblings(this.#path)
    // The followed file may have been rotated itself: files after it are newer. If it is gone, all are.
    const isLive = ({ stats }: Sibling) =>
      this.#live !== null && isSameInode(this.#live.position, placeOf(stats))
    const liveRank = siblings.findIndex(isLive)
    const isNewer = (rank: number) => (liveRank < 0 ? hadMoved : rank > liveRank)
    // Of two entries with the same inode the first wins.
    const retired = new Map(this.#retired.toReversed().map((entry) => [inodeKey(entry.position), entry]))
    for (const [rank, { path, stats }] of siblings.entries()) {
      if (rank === liveRank) continue
      const found = retired.get(inodeKey(placeOf(stats)))
      if (found && found.path !== null && found.size === stats.size) {
        found.path = path
        seen.add(found)
      } else if (stats.size > 0n) {
        // It may have been replaced by another entry meanwhile.
        const known = found && this.#retired.includes(found) ? found : undefined
        const entry = this.#meet(path, known)
        if (!entry) continue
        seen.add(entry)
        entry.rank = rank
        // A file that was known before is older, however late it was written.
        if (entry !== known) entry.isNewer = isNewer(rank)
      }
    }
    this.#waiting.sort((one, other) => one.rank - other.rank)
    // Drop after two misses: a directory listing may miss a file that is being renamed.
    this.#retired = this.#retired.filter((entry) => {
      entry.misses = seen.has(entry) ? 0 : entry.misses + 1
      return entry.misses < 2
    })
  }

  /** Handles a rotated file that is new or has changed. */
  #meet(path: string, known: Retired | undefined): Retired | null {
    const opened = openFile(path)
    if (!opened) return null
    const { file, stats } = opened
    try {
      const identity = identify(file, stats)
      const entry = this.#recognise(identity, stats.size, known)
      entry.path = path
      entry.size = stats.size
      if (stats.size > BigInt(entry.position.offset) && !this.#waiting.includes(entry))
        this.#waiting.push(entry)
      return entry
    } finally {
      closeQuietly(file)
    }
  }

  #recognise(identity: FileIdentity, size: bigint, known: Retired | undefined): Retired {
    if (known && isContinued(known.position, identity, size)) {
      known.position = { ...identity, offset: known.position.offset }
      return known
    }
    if (known) this.#forget(known)
    // copytruncate: the copy continues at the offset of the original, which was truncated.
    const original = this.#retired.find(
      ({ path, position }) => path === null && position.head !== null && position.head === identity.head,
    )
    if (original) this.#forget(original)
    const offset = original && size >= BigInt(original.position.offset) ? original.position.offset : 0
    const entry: Retired = {
      position: { ...identity, offset },
      path: null,
      size,
      misses: 0,
      isNewer: false,
      rank: 0,
    }
    this.#retired.push(entry)
    return entry
  }

  #forget(entry: Retired): void {
    this.#retired = this.#retired.filter((other) => other !== entry)
    this.#waiting = this.#waiting.filter((other) => other !== entry)
  }

  #open(): void {
    this.#isOpen = true
    const { live, retired } = this.#stored
    for (const position of retired) this.#setAside(position)
    this.#openLive(live)
    this.lookAround()
  }

  #openLive(stored: FilePosition | null): void {
    const opened = openFile(this.#path)
    if (!opened) {
      if (stored) this.#setAside(stored)
      return
    }
    const { file, stats } = opened
    const identity = identify(file, stats)
    const isStored =
      stored !== null && isSameInode(stored, identity) && isContinued(stored, identity, stats.size)
    if (stored && !isStored) this.#setAside(stored)
    this.#live = { file, position: { ...identity, offset: isStored ? stored.offset : 0 }, drained: null }
  }

  #setAside(position: FilePosition): void {
    if (position.offset === 0) return
    this.#retired.push({ position, path: null, size: -1n, misses: 0, isNewer: false, rank: 0 })
  }

  #readRetired(): TailBatch | null {
    for (;;) {
      const entry = this.#waiting.find((one) => !one.isNewer)
      if (!entry) return null
      const batch = this.#readEntry(entry)
      if (batch) return batch
      this.#waiting = this.#waiting.filter((other) => other !== entry)
    }
  }

  #readEntry(entry: Retired): TailBatch | null {
    const opened = entry.path === null ? null : openFile(entry.path)
    if (!opened) return null
    const { file, stats } = opened
    try {
      const identity = identify(file, stats)
      if (!isContinued(entry.position, identity, stats.size)) return null
      const read = this.#reader.read(file, entry.position.offset, Number(stats.size))
      return read && this.#batch(read.lines, entry, { ...identity, offset: read.nextOffset })
    } finally {
      closeQuietly(file)
    }
  }

  #readLive(): TailBatch | null {
    if (!this.#live) this.#openLive(null)
    const live = this.#live
    if (!live) return null
    const stats = fstatSync(live.file, { bigint: true })
    if (live.drained && live.drained.size === stats.size && live.drained.mtimeNs === stats.mtimeNs)
      return null
    const identity = identify(live.file, stats)
    if (!isContinued(live.position, identity, stats.size)) {
      this.#startAgain(live)
      return this.#readRetired() ?? this.#readLive()
    }
    const read = this.#reader.read(live.file, live.position.offset, Number(stats.size))
    live.drained = read ? null : stats
    return read && this.#batch(read.lines, live, { ...identity, offset: read.nextOffset })
  }

  /** A batch of lines of one file. Its state has that file at `next`, and all others unchanged. */
  #batch(lines: readonly Line[], of: Live | Retired, next: FilePosition): TailBatch {
    const live = this.#live && (this.#live === of ? next : this.#live.position)
    const retired = this.#retired.map((entry) => (entry === of ? next : entry.position))
    return {
      lines,
      file: next,
      state: { live, retired },
      accept: () => {
        of.position = next
      },
    }
  }

  /** The file was truncated, and perhaps refilled. A copy may contain the unread lines. */
  #startAgain(live: Live): void {
    this.#setAside(live.position)
    live.position = { ...identify(live.file), offset: 0 }
    live.drained = null
    this.lookAround()
  }

  /** Whether the stream's path now leads to another file, or to none. */
  #hasMoved(): boolean {
    const there = this.#live && statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (!this.#live || !there) return this.#live !== null
    return !isSameInode(this.#live.position, {
      device: String(there.dev),
      inode: String(there.ino),
      head: null,
    })
  }

  /** Switches to the file now at the stream's path. The old one has been read to its end. */
  #followRotation(): boolean {
    const live = this.#live
    if (!live || !this.#hasMoved()) return false
    const isGone = fstatSync(live.file).nlink === 0
    // Rotated, and no new file was written yet: the followed file is still the newest.
    const isNewest = this.#waiting.length === 0
    if (isNewest && !isGone && !statSync(this.#path, { throwIfNoEntry: false })?.isFile()) return false
    this.#setAside(live.position)
    closeQuietly(live.file)
    this.#live = null
    this.#openLive(null)
    for (const entry of this.#waiting) entry.isNewer = false
    this.lookAround()
    return this.#live !== null || this.#waiting.length > 0
  }

  /** Idempotent. The tail can be used again afterwards, and resumes at its last state. */
  close(): void {
    this.#stored = this.#isOpen ? this.state : this.#stored
    if (this.#live) closeQuietly(this.#live.file)
    this.#live = null
    this.#retired = []
    this.#waiting = []
    this.#isOpen = false
  }

  /** Continues from another state: another consumer has moved the offset. */
  restart(state: TailState): void {
    this.close()
    this.#stored = state
  }
}

function inodeKey({ device, inode }: FileIdentity): string {
  return `${device} ${inode}`
}

function placeOf(stats: BigIntStats): FileIdentity {
  return { device: String(stats.dev), inode: String(stats.ino), head: null }
}

/** Whether the part that was read is still at its place in the file. */
function isContinued(position: FilePosition, found: FileIdentity, size: bigint): boolean {
  if (position.offset === 0) return true
  return position.head === found.head && size >= BigInt(position.offset)
}
