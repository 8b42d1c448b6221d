/**
 * Detects that another program changed the files of the open database: the database overwritten in place, for example
 * by `cp`, or the write-ahead log truncated. SQLite would not notice, and would lose all data at the next checkpoint or
 * crash.
 */

import { closeSync, copyFileSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs'

/** `replaced`: by a program that uses SQLite, so database and log are consistent. */
export type FileProblem = 'overwritten' | 'replaced' | 'log_cut'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Size of one header of the WAL index, which starts with two copies of it. */
const INDEX_HEADER_BYTES = 48

export class FileWitness {
  readonly #path: string
  // POSIX locks: closing any descriptor of a file drops all locks of the process on it. So these stay open until the
  // database is closed.
  readonly #database: number | null
  #log: number | null = null
  #index: number | null = null
  #seen = ''
  #counter = 0
  /** Stamps that the header may have: that of the last checkpoint, and those written since. */
  #stamps: number[]
  readonly #currentStamp: () => number
  readonly #header = Buffer.alloc(HEADER_BYTES)
  readonly #logHeader = Buffer.alloc(LOG_HEADER_BYTES)
  readonly #indexHeader = Buffer.alloc(2 * INDEX_HEADER_BYTES)

  /** `currentStamp`: the `application_id` of the database as SQLite reads it. */
  constructor(path: string, currentStamp: () => number) {
    this.#path = path
    this.#currentStamp = currentStamp
    this.#database = openForReading(path)
    this.#reopenLog()
    // The file may be older than the log.
    const found = this.#readHeader()
    this.#counter = found?.counter ?? 0
    this.#stamps = [...(found ? [found.stamp] : []), currentStamp()]
  }

  /** Call before writing a new stamp. The file keeps an older one until the next checkpoint. */
  expectStamp(stamp: number): void {
    this.#stamps.push(stamp)
  }

  /** Null if the files are unchanged since SQLite wrote them. Costs a few system calls. */
  check(): FileProblem | null {
    return this.#checkDatabase() ?? (this.#isLogWhole() ? null : 'log_cut')
  }

  /** Only a checkpoint writes to the file. It leaves one of our stamps, and the change counter never decreases. */
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

  /** The log must be at least as long as its index says, and have the same salt. */
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

  /** Number of pages in the log. Also 0 while another program is writing the index header. */
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

  /** Call after the log was recreated as another file. */
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

  /** Call after the database was closed. Idempotent. */
  close(): void {
    this.#closeLog()
    if (this.#database !== null) closeSync(this.#database)
  }
}

/**
 * Copies the write-ahead log and truncates it. The log does not belong to the database file that is there now:
 * replaying it, when the connection closes or at the next start, would corrupt that file too.
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
