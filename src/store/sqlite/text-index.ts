/** The full-text index. Updated in the background: in the commit of the events it would double their cost. */

import { setImmediate as turn } from 'node:timers/promises'
import { type Database, inQuickTransaction, withResultCode } from '../../lib/sqlite/driver.js'
import { CORRUPT_VTAB } from '../../lib/sqlite/machine-fault.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import { splitWords } from '../../lib/text/search-text.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import { textIn } from '../../protocol/event/event-text.js'
import { isStorageProblem } from '../../protocol/storage.js'
import type { WaitingWriter } from '../waiting-writer.js'
import { replaceIndex } from './replace-index.js'
import { type EventRow, parse } from './stored-row.js'

const DELAY_MS = 500
/** Delay after a full step, to catch up when events arrive faster than one step per delay. */
const BEHIND_MS = 100
const RETRY_MS = 5_000
const ADD = 'INSERT INTO event_text (rowid, text) VALUES (?, ?)'
const REMOVE = 'DELETE FROM event_text WHERE rowid IN (SELECT value FROM json_each(?))'
const NEXT =
  'SELECT position, type, data FROM event WHERE position > (SELECT position FROM indexed) ORDER BY position LIMIT ?'
/** Number of events per step, so that other work is not blocked. */
const STEP = 200
const STEP_BYTES = 512 * 1024

interface IndexedRow {
  position: number
  type: string
  data: string
}

/** Null also for a damaged event. */
function textOf(type: string, data: string): string | null {
  try {
    return textIn({ type, data: parse(data) } as SessionEvent)
  } catch {
    return null
  }
}

function isDamaged(error: unknown): boolean {
  return (error as { errcode?: unknown }).errcode === CORRUPT_VTAB
}

/**
 * Primary result codes of SQLite that a damaged index causes: unknown format, out of memory because of absurd lengths,
 * corrupt pages, duplicate rows.
 */
const OF_DAMAGE: ReadonlySet<number> = new Set([1, 7, 11, 19, 20])

/** Runs work that touches only the index table: these errors then mean a damaged index, not a fault of the machine. */
function inIndex<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const cause = withResultCode(error)
    const { errcode } = cause as { errcode?: unknown }
    if (typeof errcode !== 'number' || !OF_DAMAGE.has(errcode & 0xff)) throw cause
    throw Object.assign(new Error('The index of the search is damaged.', { cause }), {
      errcode: CORRUPT_VTAB,
    })
  }
}

export interface TextIndexDeps {
  database: Database
  sql: Statements
  writer: WaitingWriter
  expectOwnFiles(): void
  onFault(error: unknown): void
}

export class TextIndex {
  readonly #database: Database
  readonly #sql: Statements
  readonly #writer: WaitingWriter
  readonly #onFault: (error: unknown) => void
  /** Throws if the files are no longer those that this process wrote. */
  readonly #expectOwnFiles: () => void
  #timer: NodeJS.Timeout | null = null
  #hasReported = false

  constructor({ database, sql, writer, expectOwnFiles, onFault }: TextIndexDeps) {
    this.#database = database
    this.#sql = sql
    this.#writer = writer
    this.#expectOwnFiles = expectOwnFiles
    this.#onFault = onFault
  }

  /** Call after events were stored. */
  soon(delayMs = DELAY_MS): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#run()
    }, delayMs).unref()
  }

  /** If the index cannot be written, it lags behind; nothing else is affected. */
  #run(): void {
    try {
      if (this.#whileSound(() => this.#step())) this.soon(BEHIND_MS)
      this.#hasReported = false
    } catch (error) {
      this.soon(RETRY_MS)
      if (this.#hasReported || isStorageProblem(error)) return
      this.#hasReported = true
      this.#onFault(error)
    }
  }

  /**
   * Finds everything stored before the call, unless the index cannot be written now. Yields to the event loop while
   * catching up.
   */
  async search(match: string, find: (upTo: Statements['upTo']) => EventRow[]): Promise<EventRow[]> {
    await this.#catchUp()
    try {
      return find((...query) => this.#sql.tryUpTo(...query))
    } catch {
      if (this.#canMatch(match)) return find((...query) => this.#sql.upTo(...query))
    }
    this.#rebuild()
    await this.#catchUp()
    return find((...query) => this.#sql.upTo(...query))
  }

  /** Queries the index without the events, whose table may be the damaged one. */
  #canMatch(match: string): boolean {
    try {
      inIndex(() =>
        this.#sql.tryUpTo(
          1,
          () => 1,
          'SELECT count(*) FROM (SELECT rowid FROM event_text WHERE event_text MATCH ? ORDER BY rowid DESC)',
          match,
        ),
      )
      return true
    } catch (error) {
      return !isDamaged(error)
    }
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#whileSound(() => this.#step())) await turn()
    } catch (error) {
      if (!isStorageProblem(error)) throw error
    }
  }

  /** Runs work on the index. If the index is damaged, rebuilds it and runs the work again. */
  #whileSound<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      if (!isDamaged(error)) throw error
    }
    this.#rebuild()
    try {
      return work()
    } catch (error) {
      // A new index cannot be damaged, so something else is: the writer reports it.
      throw isDamaged(error) && error instanceof Error ? (error.cause ?? error) : error
    }
  }

  /** Nothing is lost: the index is derived from the events. */
  #rebuild(): void {
    // Another program may have replaced the files, which must then not be written.
    this.#expectOwnFiles()
    this.#onFault(new Error('The index of the search was damaged. It is being built again.'))
    this.#writer.attempt(() => replaceIndex(this.#database))
    this.soon()
  }

  /** Call before deleting events. Positions that are not in the index are ignored. */
  remove(positions: readonly number[]): void {
    const write = () => this.#sql.run(REMOVE, JSON.stringify(positions))
    this.#whileSound(() => inIndex(() => inQuickTransaction(this.#database, write)))
  }

  /** Returns whether there may be more. */
  #step(): boolean {
    const rows = this.#sql.upTo<IndexedRow>(STEP_BYTES, ({ data }) => data.length, NEXT, STEP)
    const bytes = rows.reduce((sum, { data }) => sum + data.length, 0)
    const last = rows.at(-1)
    if (!last) return false
    const write = () => {
      for (const { position, type, data } of rows) {
        const text = textOf(type, data)
        if (text) this.#sql.run(ADD, position, splitWords(text))
      }
      this.#sql.run('UPDATE indexed SET position = ?', last.position)
    }
    // FTS5 writes its pages at commit, so `inIndex` must enclose the transaction.
    this.#writer.attempt(() => inIndex(() => inQuickTransaction(this.#database, write)))
    return rows.length === STEP || bytes >= STEP_BYTES
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }
}
