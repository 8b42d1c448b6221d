/**
 * Folds the write-ahead log into the database while nothing is written, so that the database file alone holds everything then.
 * SQLite does it too, but only after 8,000 pages or when the database is closed.
 */

import { randomInt } from 'node:crypto'
import { type Database, inQuickTransaction } from '../../lib/sqlite/driver.js'
import { isStorageProblem } from '../../protocol/storage.js'
import type { FileWitness } from '../file-witness.js'
import type { WaitingWriter } from '../waiting-writer.js'

/** Another program reads an older state, or nothing can be written now. */
const RETRY_MS = 10_000
const FIRST_MS = 200

export interface CheckpointDeps {
  database: Database
  writer: Pick<WaitingWriter, 'attempt'>
  /** Null for a database in memory. */
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

  /** Soon after the start, so that an older copy of the file is recognised before anything is idle for the first time. */
  begin(): void {
    if (this.#deps.witness === null) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (!this.#run()) this.#timer = this.#after(RETRY_MS)
    }, FIRST_MS).unref()
  }

  /** Something was written. */
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

  /** Whether everything is in the database file. */
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

  /** Keeps the log short during a long piece of work, in steps that nobody notices. */
  foldAfter(pages: number): void {
    const { witness, writer } = this.#deps
    if (witness !== null && witness.frames() >= pages) writer.attempt(() => this.#fold())
  }

  /** Another value in the header each time: an older copy of the file is recognised by it. */
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
