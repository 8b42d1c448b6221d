/** Sessions with their rows: cached for appends, read from snapshots, written back after each commit. */

import { type Database, inQuickTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import { searchedText } from '../../protocol/search.js'
import type { Session } from '../../protocol/session.js'
import { isActive } from '../plan.js'
import { readSnapshot, rebuildSnapshot } from '../snapshot.js'
import type { WaitingWriter } from '../waiting-writer.js'
import { EVENTS, type EventRow, readEvent } from './stored-row.js'

const CACHED_SESSIONS = 2_000

/** A session in the cache. `key` is 0 until its row is inserted. */
export interface CachedSession {
  key: number
  session: Session | null
  /** Values of its other columns as last written. */
  columns: readonly unknown[]
}

export interface SessionCacheDeps {
  database: Database
  sql: Statements
  writer: WaitingWriter
}

export class SessionCache {
  readonly #database: Database
  readonly #sql: Statements
  readonly #writer: WaitingWriter
  readonly #cache = new Map<string, CachedSession>()

  constructor({ database, sql, writer }: SessionCacheDeps) {
    this.#database = database
    this.#sql = sql
    this.#writer = writer
  }

  load(id: string): CachedSession {
    const known = this.#cache.get(id)
    if (known) return known
    const row = this.#sql.get<{ key: number; snapshot: string }>(
      'SELECT key, snapshot FROM session WHERE id = ?',
      id,
    )
    const loaded = { key: row?.key ?? 0, session: row ? this.read(row, true) : null, columns: [] }
    if (row) this.#cache.set(id, loaded)
    return loaded
  }

  /** A snapshot of an older version, or a damaged one, is rebuilt from the log and stored. */
  read({ key, snapshot }: { key: number; snapshot: string }, isThorough: boolean): Session | null {
    const known = readSnapshot(snapshot, isThorough)
    if (known) return known
    const events = this.#sql.all<EventRow>(`${EVENTS} WHERE event.session = ? ORDER BY seq`, key)
    const session = rebuildSnapshot(
      snapshot,
      events.map((row) => readEvent(row).event),
    )
    if (session && !this.#database.isTransaction) this.#repair({ key, session, columns: [] })
    return session
  }

  /** If the write fails, the snapshot is rebuilt again at the next read. */
  #repair(cached: CachedSession): void {
    const write = () => inQuickTransaction(this.#database, () => this.write(cached))
    this.#writer.run(write, 0).catch(() => {})
  }

  insert(cached: CachedSession, { id, kind, state, machine, cwd }: Session): void {
    const { lastInsertRowid } = this.#sql.run(
      "INSERT INTO session (id, kind, state, machine, cwd, search, is_active, snapshot) VALUES (?, ?, ?, ?, ?, '', 0, '')",
      id,
      kind,
      state,
      machine,
      cwd,
    )
    cached.key = Number(lastInsertRowid)
    this.#cache.set(id, cached)
  }

  write(cached: CachedSession): void {
    const { key, session } = cached
    if (!session) return
    const snapshot = JSON.stringify(session)
    const { state, cwd, claudeSessionId, externalId, condition, isArchived, tags } = session
    const columns = [
      state,
      cwd,
      searchedText(session),
      Number(isActive(session)),
      claudeSessionId,
      externalId,
      condition,
      Number(isArchived),
      tagColumn(tags),
    ]
    if (columns.every((value, index) => value === cached.columns[index])) {
      // SQLite rewrites the index entry of every column named in an update, even if unchanged.
      this.#sql.run('UPDATE session SET snapshot = ? WHERE key = ?', snapshot, key)
      return
    }
    cached.columns = columns
    this.#sql.run(
      'UPDATE session SET state = ?, cwd = ?, search = ?, is_active = ?, claude_session_id = ?, external_id = ?, condition = ?, is_archived = ?, tags = ?, snapshot = ? WHERE key = ?',
      ...columns,
      snapshot,
      key,
    )
  }

  /** For a deleted session. */
  remove(id: string): void {
    this.#cache.delete(id)
  }

  /** After a rollback the cache may be ahead of the database. */
  clear(): void {
    this.#cache.clear()
  }

  trim(): void {
    for (const id of this.#cache.keys()) {
      if (this.#cache.size <= CACHED_SESSIONS) return
      this.#cache.delete(id)
    }
  }
}

/** Tags on lines of their own, with a line break on both sides of each: a tag never contains one. */
export function tagColumn(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `\n${tags.join('\n')}\n`
}
