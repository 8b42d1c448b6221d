/** Cursor of the log in the rows of the stream. */

import type { Clock } from '../../lib/clock.js'
import { type Database, inQuickTransaction, type Statement } from '../../lib/sqlite/driver.js'
import { findOldCursor, forgetOldOffsets } from './old-offset.js'

export interface LogCursorDeps {
  database: Database
  clock: Clock
  write?<Result>(work: () => Result): Result
}

const READER = 'log'

export class LogCursor {
  readonly #deps: LogCursorDeps
  readonly #save: Statement
  #seq: number | null
  #isStored: boolean

  /** Requires the tables. Writes nothing, because a daemon must start on a full disk too. */
  constructor(deps: LogCursorDeps) {
    this.#deps = deps
    const { database } = deps
    const row = database.prepare('select seq from lifecycle_cursors where reader = ?').get(READER)
    this.#isStored = row !== undefined
    this.#seq = row ? (row as { seq: number }).seq : findOldCursor(database)
    this.#save = database.prepare(
      `insert into lifecycle_cursors values (?, ?, ?)
       on conflict (reader) do update set seq = excluded.seq, updated_at_iso = excluded.updated_at_iso`,
    )
  }

  /** The last row that is in the log with all rows before it; null if nothing was ever recorded. */
  get seq(): number | null {
    return this.#seq
  }

  /** No fsync: after a power cut the cursor may be too low, but never ahead of the log. */
  save(seq: number): void {
    const { database, clock, write = (work) => work() } = this.#deps
    const save = () => {
      this.#save.run(READER, seq, new Date(clock.now()).toISOString())
      if (!this.#isStored) forgetOldOffsets(database)
    }
    write(() => inQuickTransaction(database, save))
    this.#seq = seq
    this.#isStored = true
  }
}
