/** The index of words, kept up a little behind the events: in their own commit it would cost as much as they do themselves. */

import { setImmediate as turn } from 'node:timers/promises'
import { splitWords } from '../lib/search-text.js'
import type { SessionEvent } from '../protocol/event.js'
import { textIn } from '../protocol/event-text.js'
import { type Database, inQuickTransaction, type Statement } from './sqlite-driver.js'
import { isStorageUnavailable, type WaitingWriter } from './waiting-writer.js'

const DELAY_MS = 500
/** The next step after a full one: events may come faster than one step in each delay can take. */
const BEHIND_MS = 100
const RETRY_MS = 5_000
/** How many events are read in one step, so that nothing else waits for long. */
const STEP = 200
const STEP_BYTES = 512 * 1024

interface IndexedRow {
  position: number
  type: string
  data: string
}

export class TextIndex {
  readonly #database: Database
  readonly #next: Statement
  readonly #add: Statement
  readonly #move: Statement
  readonly #writer: WaitingWriter
  readonly #onFault: (error: unknown) => void
  #timer: NodeJS.Timeout | null = null
  #hasReported = false

  constructor(database: Database, writer: WaitingWriter, onFault: (error: unknown) => void) {
    this.#database = database
    this.#writer = writer
    this.#onFault = onFault
    this.#next = database.prepare(
      'SELECT position, type, data FROM event WHERE position > (SELECT position FROM indexed) ORDER BY position LIMIT ?',
    )
    this.#add = database.prepare('INSERT INTO event_text (rowid, text) VALUES (?, ?)')
    this.#move = database.prepare('UPDATE indexed SET position = ?')
  }

  /** Something was stored. */
  soon(delayMs = DELAY_MS): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#run()
    }, delayMs).unref()
  }

  /** An index that cannot be written is behind; nothing else suffers. */
  #run(): void {
    try {
      if (this.#step()) this.soon(BEHIND_MS)
      this.#hasReported = false
    } catch (error) {
      this.soon(RETRY_MS)
      if (this.#hasReported || isStorageUnavailable(error)) return
      this.#hasReported = true
      this.#onFault(error)
    }
  }

  /** Afterwards everything that was stored before can be found, unless nothing can be written now. Others have their turn meanwhile. */
  async catchUp(): Promise<void> {
    try {
      while (this.#step()) await turn()
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error
    }
  }

  /** Whether there may be more. */
  #step(): boolean {
    const rows: IndexedRow[] = []
    let bytes = 0
    for (const row of this.#next.iterate(STEP) as Iterable<IndexedRow>) {
      rows.push(row)
      bytes += row.data.length
      if (bytes >= STEP_BYTES) break
    }
    const last = rows.at(-1)
    if (!last) return false
    const write = () => {
      for (const { position, type, data } of rows) {
        const text = textIn({ type, data: JSON.parse(data) } as SessionEvent) // As it was stored.
        if (text) this.#add.run(position, splitWords(text))
      }
      this.#move.run(last.position)
    }
    this.#writer.attempt(() => inQuickTransaction(this.#database, write))
    return rows.length === STEP || bytes >= STEP_BYTES
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }
}
