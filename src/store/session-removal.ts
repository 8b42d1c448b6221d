/**
 * Deletes the events of sessions in small batches, so that other work is not blocked. A deleted session is first
 * marked: from then on it is invisible, and a deletion interrupted by a crash is finished at the next start.
 */

import { setImmediate as turn } from 'node:timers/promises'
import { type Database, inQuickTransaction, inTransaction } from '../lib/sqlite/driver.js'
import type { Statements } from '../lib/sqlite/statements.js'
import type { Checkpoint } from './sqlite/checkpoint.js'
import type { TextIndex } from './sqlite/text-index.js'
import type { WaitingWriter } from './waiting-writer.js'

const FIRST_STEP = 200
const MIN_STEP = 20
const MAX_STEP = 2_000
/** Target duration of a batch. */
const STEP_MS = 8
/** Checkpoint after this many pages: a single checkpoint at the end would block for long. */
const FOLD_PAGES = 250

export interface RemovalDeps {
  database: Database
  sql: Statements
  writer: WaitingWriter
  textIndex: TextIndex
  checkpoint: Checkpoint
  onFault(error: unknown): void
}

export class SessionRemoval {
  readonly #deps: RemovalDeps
  #running: Promise<void> | null = null
  readonly #steps = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(deps: RemovalDeps) {
    this.#deps = deps
  }

  /**
   * Deletes everything but the events at once, and clears the identifying columns of the session's row. Its usage is kept,
   * by hour, model and folder.
   */
  mark(key: number, id: string): void {
    const { database, sql } = this.#deps
    inTransaction(database, () => {
      sql.run(
        `INSERT OR REPLACE INTO deleted_usage
         SELECT session.id, cwd, hour, model, source, input, output, cache_read, cache_creation, cost
         FROM usage JOIN session ON session.key = usage.session WHERE usage.session = ?`,
        key,
      )
      sql.run(
        `INSERT OR REPLACE INTO deleted_conversation
         SELECT claude_session_id, id, kind,
           coalesce(CASE WHEN json_valid(snapshot) THEN snapshot ->> '$.conversation.kind' END, '') = 'adopted'
         FROM session WHERE key = ? AND claude_session_id IS NOT NULL`,
        key,
      )
      sql.run('DELETE FROM usage WHERE session = ?', key)
      sql.run('DELETE FROM launch_point WHERE session = ?', key)
      for (const table of ['request', 'session_options', 'secret'])
        sql.run(`DELETE FROM ${table} WHERE session_id = ?`, id)
      sql.run('DELETE FROM once WHERE value = ?1 OR scope = ?2', id, `messages:${id}`)
      sql.run(
        `UPDATE session SET id = ?, state = 'deleted', search = '', is_active = 0, claude_session_id = NULL,
           external_id = NULL, snapshot = '{}' WHERE key = ?`,
        `deleted:${key}`,
        key,
      )
    })
  }

  /** See `trim` of the port. Stops between two sessions when the store is closed. */
  async trim(before: string): Promise<number> {
    const { database, sql, writer } = this.#deps
    const sessions = sql.all<{ key: number; id: string }>(
      `SELECT key, id FROM session WHERE state = 'ended' AND is_active = 0
         AND CASE WHEN json_valid(snapshot) THEN json_extract(snapshot, '$.endedAt') < ? END
         AND EXISTS (SELECT 1 FROM event WHERE session = key)`,
      before,
    )
    let gone = 0
    for (const { key, id } of sessions) {
      if (this.#isClosed) break
      writer.attempt(() => inTransaction(database, () => this.#noteTrimmed(key, id)))
      gone += await this.#removeEvents(key)
    }
    return gone
  }

  /** Runs before the deletion: a reader must not see a partly deleted log without a gap. */
  #noteTrimmed(key: number, id: string): void {
    const { sql } = this.#deps
    const last = sql.get<{ position: number | null }>(
      'SELECT max(position) AS position FROM event WHERE session = ?',
      key,
    )
    sql.run('UPDATE trimmed SET position = max(position, ?)', last?.position ?? 0)
    sql.run("DELETE FROM request WHERE session_id = ? AND state = 'resolved'", id)
  }

  /** Deletes all marked sessions in the background, one after the other. */
  start(): void {
    this.#running ??= this.#run()
      .catch(this.#deps.onFault)
      .finally(() => {
        this.#running = null
      })
  }

  async #run(): Promise<void> {
    const { sql, writer } = this.#deps
    for (;;) {
      const next = sql.get<{ key: number }>("SELECT key FROM session WHERE state = 'deleted' LIMIT 1")
      if (!next) return
      await this.#removeEvents(next.key)
      if (this.#isClosed) return
      await writer.run(() => sql.run('DELETE FROM session WHERE key = ?', next.key))
    }
  }

  /** Oldest first. Resolves with the number of deleted events. */
  async #removeEvents(key: number): Promise<number> {
    const { writer, checkpoint } = this.#deps
    let step = FIRST_STEP
    let gone = 0
    while (!this.#isClosed) {
      const from = performance.now()
      const some = await this.#noted(writer.run(() => this.#removeSome(key, step)))
      gone += some
      if (some < step || this.#isClosed) return gone
      checkpoint.foldAfter(FOLD_PAGES)
      const ms = performance.now() - from
      if (ms > STEP_MS) step = Math.max(MIN_STEP, Math.floor(step / 2))
      else if (ms < STEP_MS / 2) step = Math.min(MAX_STEP, step * 2)
      await turn()
    }
    return gone
  }

  async #noted<Result>(step: Promise<Result>): Promise<Result> {
    this.#steps.add(step)
    try {
      return await step
    } finally {
      this.#steps.delete(step)
    }
  }

  /** Not fsynced: after a power cut the newest batches are simply repeated. */
  #removeSome(key: number, count: number): number {
    const { database, sql, textIndex } = this.#deps
    const some = 'SELECT position FROM event WHERE session = ? ORDER BY seq LIMIT ?'
    const positions = sql.all<{ position: number }>(some, key, count).map(({ position }) => position)
    if (positions.length === 0) return 0
    // A separate commit: a damaged search index fails at commit, and must not be mistaken for damaged events.
    textIndex.remove(positions)
    const remove = 'DELETE FROM event WHERE position IN (SELECT value FROM json_each(?))'
    return inQuickTransaction(database, () => sql.run(remove, JSON.stringify(positions)).changes)
  }

  /** Resolves when the running batches are done. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#steps, this.#running])
  }
}
