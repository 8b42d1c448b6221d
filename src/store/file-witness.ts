/**
 * Notices that another program has changed the files of the open database underneath: the database overwritten in place, as with
 * `cp`, or the write-ahead log cut. SQLite itself would go on, and lose everything with its next checkpoint or the next crash.
 */

import { closeSync, copyFileSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs'

/** `replaced`: by another program that uses SQLite, so that the files fit each other. */
export type FileProblem = 'overwritten' | 'replaced' | 'log_cut'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The first of two copies of the header of the index, and the second. */
const INDEX_HEADER_BYTES = 48

export class FileWitness {
  readonly #path: string
  // POSIX drops the locks of a process on a file when it closes any descriptor of it, so these stay open until the
  // database itself is closed.
  readonly #database: number | null
  #log: number | null = null
  #index: number | null = null
  #seen = ''
  #counter = 0
  /** What the header may have: the value of the last checkpoint, and those that were written since. */
  #stamps: number[]
  readonly #currentStamp: () => number
  readonly #header = Buffer.alloc(HEADER_BYTES)
  readonly #logHeader = Buffer.alloc(LOG_HEADER_BYTES)
  readonly #indexHeader = Buffer.alloc(2 * INDEX_HEADER_BYTES)

  /** `currentStamp`: the `application_id` of the database, as SQLite sees it. */
  constructor(path: string, currentStamp: () => number) {
    this.#path = path
    this.#currentStamp = currentStamp
    this.#database = openForReading(path)
    this.#reopenLog()
    // The file may be older than what the log holds.
    const found = this.#readHeader()
    this.#counter = found?.counter ?? 0
    this.#stamps = [...(found ? [found.stamp] : []), currentStamp()]
  }

  /** The database is about to get another stamp. Until the next checkpoint the file has an older one. */
  expectStamp(stamp: number): void {
    this.#stamps.push(stamp)
  }

  /** Null while the files are those that SQLite has written. A few system calls. */
  check(): FileProblem | null {
    return this.#checkDatabase() ?? (this.#isLogWhole() ? null : 'log_cut')
  }

  /** Only a checkpoint writes into the file. It leaves a stamp of ours, and its counter never goes back. */
  #checkDatabase(): FileProblem | null {
    if (this.#database === null) return null
    const { size, mtimeMs, ctimeMs } = fstatSync(this.#database)
    const seen = `${size} ${mtimeMs} ${ctimeMs}`
    if (seen === this.#seen) return null
    const header = this.#readHeader()
    if (header === null) return 'overwritten'
    const place = this.#stamps.lastIndexOf(header.stamp)
    if (place < 0) return header.stamp === this.#currentStamp() ? 'replaced' : 'overwritten'
    if (header.counter < this.#counter) return 'overwritten'
    this.#stamps = this.#stamps.slice(place)
    this.#counter = header.counter
    this.#seen = seen
    return null
  }

  #readHeader(): { counter: number; stamp: number } | null {
    if (this.#database === null) return null
    const length = readSync(this.#database, this.#header, 0, HEADER_BYTES, 0)
    if (length < HEADER_BYTES || this.#header.toString('latin1', 0, 16) !== MAGIC) return null
    return { counter: this.#header.readUInt32BE(24), stamp: this.#header.readInt32BE(68) }
  }

  /** The log is as long as its index says, and has the same salt. */
  #isLogWhole(): boolean {
    if (this.#log === null || this.#index === null) {
      this.#reopenLog()
      return true
    }
    const frames = this.frames()
    if (frames === 0) return true
    const length = LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + this.#pageBytes())
    if (fstatSync(this.#log).size < length) return false
    readSync(this.#log, this.#logHeader, 0, LOG_HEADER_BYTES, 0)
    return this.#logHeader.subarray(16, 24).equals(this.#indexHeader.subarray(32, 40))
  }

  /** How many pages the log holds. 0 also while another program changes the index. */
  frames(): number {
    if (this.#index === null) return 0
    const header = this.#indexHeader
    if (readSync(this.#index, header, 0, header.length, 0) < header.length) return 0
    const isSteady = header
      .subarray(0, INDEX_HEADER_BYTES)
      .equals(header.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))
    return isSteady ? header.readUInt32LE(16) : 0
  }

  #pageBytes(): number {
    const size = this.#indexHeader.readUInt16LE(14)
    return size === 1 ? 65_536 : size
  }

  /** After the log was begun anew in another file. */
  logRenewed(): void {
    this.#closeLog()
    this.#reopenLog()
  }

  #reopenLog(): void {
    this.#log ??= openForReading(`${this.#path}-wal`)
    this.#index ??= openForReading(`${this.#path}-shm`)
  }

  #closeLog(): void {
    for (const descriptor of [this.#log, this.#index]) if (descriptor !== null) closeSync(descriptor)
    this.#log = null
    this.#index = null
  }

  /** After the database was closed. May be called twice. */
  close(): void {
    this.#closeLog()
    if (this.#database !== null) closeSync(this.#database)
  }
}

/**
 * Keeps a copy of the write-ahead log and empties it. It does not belong to the database that is there now: applied to it, at the
 * close of the connection or at the next start, it would destroy that one too.
 */
export function setLogAside(path: string, now: string): string {
  const log = `${path}-wal`
  const aside = `${log}.kept-${now.replaceAll(/[:.]/g, '-')}`
  copyFileSync(log, aside)
  truncateSync(log)
  return aside
}

function openForReading(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}
