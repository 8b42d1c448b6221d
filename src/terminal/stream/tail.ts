/**
 * Follows a stream: whole lines in order, through rotation by rename or copytruncate, and through deletion and
 * replacement. Never skips a line that still exists. After an unusual change it may deliver lines again, so readers
 * deduplicate events by id.
 */

import { type BigIntStats, fstatSync, statSync } from 'node:fs'
import { type Line, LineReader, type LineReaderOptions } from './line-reader.js'
import { type RetiredFile, RetiredFiles } from './retired-files.js'
import {
  closeQuietly,
  type FileIdentity,
  type FilePosition,
  identify,
  isContinued,
  isSameInode,
  openFile,
  placeOf,
} from './stream-file.js'

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

const NOTHING: TailState = { live: null, retired: [] }

export class StreamTail {
  readonly #path: string
  readonly #reader: LineReader
  #stored: TailState
  #isOpen = false
  #live: Live | null = null
  readonly #retired: RetiredFiles

  constructor(path: string, options: LineReaderOptions & { state?: TailState }) {
    this.#path = path
    this.#retired = new RetiredFiles(path)
    this.#reader = new LineReader(options)
    this.#stored = options.state ?? NOTHING
  }

  get state(): TailState {
    return {
      live: this.#live?.position ?? null,
      retired: this.#retired.all.map(({ position }) => position),
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
    if (this.#isOpen) this.#retired.look(this.#live?.position ?? null, this.#hasMoved())
  }

  #open(): void {
    this.#isOpen = true
    const { live, retired } = this.#stored
    for (const position of retired) this.#retired.add(position)
    this.#openLive(live)
    this.lookAround()
  }

  #openLive(stored: FilePosition | null): void {
    const opened = openFile(this.#path)
    if (!opened) {
      if (stored) this.#retired.add(stored)
      return
    }
    const { file, stats } = opened
    const identity = identify(file, stats)
    const isStored =
      stored !== null && isSameInode(stored, identity) && isContinued(stored, identity, stats.size)
    if (stored && !isStored) this.#retired.add(stored)
    this.#live = { file, position: { ...identity, offset: isStored ? stored.offset : 0 }, drained: null }
  }

  #readRetired(): TailBatch | null {
    for (;;) {
      const entry = this.#retired.next
      if (!entry) return null
      const batch = this.#readEntry(entry)
      if (batch) return batch
      this.#retired.drained(entry)
    }
  }

  #readEntry(entry: RetiredFile): TailBatch | null {
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
  #batch(lines: readonly Line[], of: Live | RetiredFile, next: FilePosition): TailBatch {
    const live = this.#live && (this.#live === of ? next : this.#live.position)
    const retired = this.#retired.all.map((entry) => (entry === of ? next : entry.position))
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
    this.#retired.add(live.position)
    live.position = { ...identify(live.file), offset: 0 }
    live.drained = null
    this.lookAround()
  }

  /** Whether the stream's path now leads to another file, or to none. */
  #hasMoved(): boolean {
    const there = this.#live && statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (!this.#live || !there) return this.#live !== null
    return !isSameInode(this.#live.position, placeOf(there))
  }

  /** Switches to the file now at the stream's path. The old one has been read to its end. */
  #followRotation(): boolean {
    const live = this.#live
    if (!live || !this.#hasMoved()) return false
    const isGone = fstatSync(live.file).nlink === 0
    // Rotated, and no new file was written yet: the followed file is still the newest.
    const isNewest = !this.#retired.hasUnread
    if (isNewest && !isGone && !statSync(this.#path, { throwIfNoEntry: false })?.isFile()) return false
    this.#retired.add(live.position)
    closeQuietly(live.file)
    this.#live = null
    this.#openLive(null)
    this.#retired.liveChanged()
    this.lookAround()
    return this.#live !== null || this.#retired.hasUnread
  }

  /** Idempotent. The tail can be used again afterwards, and resumes at its last state. */
  close(): void {
    this.#stored = this.#isOpen ? this.state : this.#stored
    if (this.#live) closeQuietly(this.#live.file)
    this.#live = null
    this.#retired.clear()
    this.#isOpen = false
  }

  /** Continues from another state: another consumer has moved the offset. */
  restart(state: TailState): void {
    this.close()
    this.#stored = state
  }
}
