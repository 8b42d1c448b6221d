/**
 * Checkpoints the write-ahead log while the store is idle, so that the database file alone is complete. SQLite alone
 * would do it only after 8,000 pages or on close.
 */

import { randomInt } from 'node:crypto'
import { type Database, inQuickTransaction } from '../../lib/sqlite/driver.js'
import { isStorageProblem } from '../../protocol/storage.js'
import type { FileWitness } from '../file-witness.js'
import type { WaitingWriter } from '../waiting-writer.js'

/** Delay of the next attempt if another program reads an older state, or writes fail. */
const RETRY_MS = 10_000
const FIRST_MS = 200

export interface CheckpointDeps {
  database: Database
  writer: Pick<WaitingWriter, 'attempt'>
  /** Null for an in-memory database. */
  witness: FileWitness | null
  onFault(error: unknown): void
  idleMs: number
}

export class Checkpoint {
  readonly #deps: CheckpointDeps
  #writtenAt = 0
  #timer: NodeJS.Timeout | null = null
  #isRunning = false

  constructor(deps: CheckpointDeps) {
    this.#deps = deps
  }

  /**
   * An early checkpoint writes a stamp, so that an older copy of the file is detected even before the first idle
   * period.
   */
  begin(): void {
    if (this.#deps.witness === null) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (!this.#run()) this.#timer = this.#after(RETRY_MS)
    }, FIRST_MS).unref()
  }

  /** Call after each write. */
  wrote(): void {
    if (this.#isRunning || this.#deps.witness === null) return
    this.#writtenAt = performance.now()
    this.#timer ??= this.#after(this.#deps.idleMs)
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = null
      const left = this.#deps.idleMs - (performance.now() - this.#writtenAt)
      if (left > 0) this.#timer = this.#after(left)
      else if (!this.#run()) this.#timer = this.#after(RETRY_MS)
    }, ms).unref()
  }

  /** True if the whole log was checkpointed. */
  #run(): boolean {
    const { writer, onFault } = this.#deps
    this.#isRunning = true
    try {
      return writer.attempt(() => {
        this.#stamp()
        return this.#fold()
      })
    } catch (error) {
      if (!isStorageProblem(error)) onFault(error)
      return false
    } finally {
      this.#isRunning = false
    }
  }

  /** Keeps the log short during long work, by checkpoints that are too short to block noticeably. */
  foldAfter(pages: number): void {
    const { witness, writer } = this.#deps
    if (witness !== null && witness.frames() >= pages) writer.attempt(() => this.#fold())
  }

  /** A new random value in the header at each checkpoint: an older copy of the file has another one. */
  #stamp(): void {
    const { database, witness } = this.#deps
    const stamp = randomInt(1, 2 ** 31)
    witness?.expectStamp(stamp)
    inQuickTransaction(database, () => database.exec(`PRAGMA application_id = ${stamp}`))
  }

  #fold(): boolean {
    const row = this.#deps.database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as {
      log: number
      checkpointed: number
    }
    return row.checkpointed >= row.log
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }
}
