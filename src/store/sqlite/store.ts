/** The SQLite adapter: one database file. */

import { dirname } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { auditOf } from '../../audit/entry.js'
import {
  type Database,
  inQuickTransaction,
  inTransaction,
  makeDurable,
  openDatabase,
} from '../../lib/sqlite/driver.js'
import { Statements } from '../../lib/sqlite/statements.js'
import { phrasesOf } from '../../lib/text/search-text.js'
import { HubError } from '../../protocol/error.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import { NO_OPTIONS, type StoredOptions } from '../../protocol/option/option-role.js'
import { applyToRequest, type InboxRequest } from '../../protocol/request.js'
import { searchedText } from '../../protocol/search.js'
import type { Session } from '../../protocol/session.js'
import { isStorageProblem } from '../../protocol/storage.js'
import { usageIn } from '../../protocol/usage/usage.js'
import { dataLost, isMissing, storageErrorOf } from '../damage.js'
import { mustReachDisk } from '../durability.js'
import { type FileProblem, FileWitness, setLogAside } from '../file-witness.js'
import { LogBreaks, type SessionPlace } from '../log-break.js'
import { isActive, keyUsed, openName, planAppend } from '../plan.js'
import {
  type AppendGroup,
  type AppendResult,
  CLIENT_WAIT_MS,
  type Counts,
  type EventFilter,
  type EventGap,
  type KnownConversation,
  type ProcessRecord,
  type RequestFilter,
  type SearchFilter,
  type SessionFilter,
  type Storage,
  type Store,
  type StoredEvent,
  type StoredSecret,
  type TranscriptRecord,
  type UsageSum,
} from '../port.js'
import { SessionRemoval } from '../session-removal.js'
import { readSnapshot, rebuildSnapshot } from '../snapshot.js'
import { WaitingWriter } from '../waiting-writer.js'
import { tryWriting, writeFaultIn } from '../write-fault.js'
import { AuditTable } from './audit.js'
import { Checkpoint } from './checkpoint.js'
import { AccessTables } from './credentials.js'
import { migrate, versionOf } from './schema.js'
import { type EventRow, readEvent, readOptions, readRequest, readTranscript } from './stored-row.js'
import { TextIndex } from './text-index.js'
import { UsageRows } from './usage-rows.js'

const DEFAULT_LIMIT = 1_000
const CACHED_SESSIONS = 2_000
/** Busy timeout for locks that are held only for a moment. */
const BUSY_MS = 5
const IDLE_MS = 2_000
/** Number of positions scanned per step. */
const WINDOW = 5_000

export interface SqliteOptions {
  path: string
  newId(): string
  /** Redacts secrets in audit entries. */
  redact?(text: string): string
  /** The home had data before: a missing or empty database is refused instead of created. */
  hadData?: boolean
  /** Idle time after which the log is checkpointed. */
  idleMs?: number
  /** Receives errors of background work. */
  onFault?(error: unknown): void
}

export interface SqliteStorePort extends Store {
  /** The only connection of the process: a second one would have its own locks. */
  readonly database: Database
  readonly writer: WaitingWriter
  /** Whether the files are still those that this process wrote. If not, nothing more is written. */
  checkFiles(): boolean
  /** Call after the write-ahead log was recreated as another file. */
  logRenewed(): void
  /**
   * Marks that the log continues from an older copy: events that clients have seen may be gone. New numbers are greater
   * than `floor`, so that such a client gets a gap.
   */
  breakLog(floor: number): Promise<void>
}

export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStorePort> {
  try {
    if (options.hadData && isMissing(options.path)) throw dataLost(options.path)
    const database = await openDatabase(options.path)
    try {
      if (options.hadData && versionOf(database) === 0) throw dataLost(options.path)
      makeDurable(database)
      migrate(database)
      // Short, because waiting inside SQLite blocks the event loop. The writer waits instead.
      database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
      return new SqliteStore(database, options)
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    throw storageErrorOf(error, options.path)
  }
}

/** A session in the append cache. `key` is 0 until its row is inserted. */
interface CachedSession {
  key: number
  session: Session | null
  /** Values of its other columns as last written. */
  columns: readonly unknown[]
}

class SqliteStore implements SqliteStorePort {
  readonly database: Database
  readonly writer: WaitingWriter
  readonly #newId: () => string
  readonly #sql: Statements
  readonly #audit: AuditTable
  readonly #access: AccessTables
  readonly #cache = new Map<string, CachedSession>()
  readonly #textIndex: TextIndex
  readonly #path: string
  readonly #witness: FileWitness | null
  readonly #checkpoint: Checkpoint
  readonly #removal: SessionRemoval
  readonly #breaks: LogBreaks
  readonly #onFault: (error: unknown) => void
  #usageRows: UsageRows

  constructor(
    database: Database,
    { path, newId, idleMs = IDLE_MS, redact = (text) => text, onFault = () => {} }: SqliteOptions,
  ) {
    this.database = database
    this.#path = path
    this.writer = new WaitingWriter({
      probe: () => inTransaction(database, () => this.#sql.run('UPDATE indexed SET position = position')),
      ...(path !== ':memory:' && { tryRoom: () => tryWriting(dirname(path)) }),
      reasonOf: () => writeFaultIn(dirname(path)),
      onWritten: () => this.#checkpoint.wrote(),
    })
    this.#newId = newId
    this.#onFault = onFault
    this.#sql = new Statements(database, (error, again) =>
      database.isOpen ? this.writer.readFailed(error, again) : closed(error),
    )
    this.#audit = new AuditTable(database, this.#sql, redact)
    this.#access = new AccessTables(this.#sql, this.#audit)
    this.#textIndex = new TextIndex({
      database,
      sql: this.#sql,
      writer: this.writer,
      expectOwnFiles: () => this.#refuseChangedFiles(),
      onFault,
    })
    this.#usageRows = new UsageRows(this.#sql)
    this.#breaks = new LogBreaks(this.#sql)
    this.#witness = path === ':memory:' ? null : new FileWitness(path, () => stampOf(database))
    const { writer } = this
    this.#checkpoint = new Checkpoint({ database, writer, witness: this.#witness, idleMs, onFault })
    this.#removal = new SessionRemoval({
      database,
      sql: this.#sql,
      writer,
      textIndex: this.#textIndex,
      checkpoint: this.#checkpoint,
      onFault,
    })
    this.#textIndex.soon()
    this.#checkpoint.begin()
    // Finishes deletions that a crash interrupted.
    this.#removal.start()
  }

  get storage(): Storage {
    return this.writer
  }

  async append(groups: readonly AppendGroup[]): Promise<AppendResult[]> {
    if (!this.database.isOpen) throw closed()
    const isDurable = mustReachDisk(groups)
    const commit = isDurable ? inTransaction : inQuickTransaction
    try {
      // Check before the write: afterwards a truncated log has its old length again, with a hole.
      if (isDurable) this.#refuseChangedFiles()
      const appended = this.writer.attempt(() =>
        commit(this.database, () => {
          const changed = new Set<CachedSession>()
          const results = groups.map((group) => this.#appendGroup(group, changed))
          for (const cached of changed) this.#writeSession(cached)
          this.#audit.writeHead()
          return results
        }),
      )
      if (isDurable) this.#audit.markDurable()
      return appended
    } catch (error) {
      // After a rollback the caches may be ahead of the database.
      this.#cache.clear()
      this.#usageRows = new UsageRows(this.#sql)
      this.#audit.forget()
      throw error
    } finally {
      this.#trimCache()
      this.#textIndex.soon()
    }
  }

  #appendGroup(group: AppendGroup, changed: Set<CachedSession>): AppendResult {
    const { sessionId, once } = group
    if (once) {
      const used = this.#sql.get<{ value: string; digest: string }>(
        'SELECT value, digest FROM once WHERE scope = ? AND key = ?',
        once.scope,
        once.key,
      )
      if (used) return { kind: 'refused', why: keyUsed(used, once) }
    }
    const cached = this.#load(sessionId)
    const before = cached.session
    const plan = planAppend(this.#breaks.raise(before), group, this.#newId, (name) => this.#holderOf(name))
    if (plan.kind === 'refused') return plan
    if (once) {
      const { scope, key, value, digest = '' } = once
      this.#sql.run('INSERT INTO once VALUES (?, ?, ?, ?)', scope, key, value, digest)
    }
    cached.session = plan.session
    if (cached.key === 0) this.#insertSession(cached, plan.session)
    changed.add(cached)
    // Uniqueness: the next group of this commit may use the same external id.
    if (openName(before) !== openName(plan.session)) this.#writeSession(cached)
    const events = plan.events.map((event) => ({ position: this.#insertEvent(cached.key, event), event }))
    for (const { event } of events) {
      for (const audit of auditOf(event, this.#updateRequest(event))) this.#audit.add(audit)
      this.#addUsage(cached.key, plan.session, event)
    }
    return { kind: 'stored', events, session: plan.session }
  }

  #holderOf(externalId: string): string | null {
    const row = this.#sql.get<{ id: string }>(
      "SELECT id FROM session WHERE external_id = ? AND state <> 'ended' LIMIT 1",
      externalId,
    )
    return row?.id ?? null
  }

  #load(id: string): CachedSession {
    const known = this.#cache.get(id)
    if (known) return known
    const row = this.#sql.get<{ key: number; snapshot: string }>(
      'SELECT key, snapshot FROM session WHERE id = ?',
      id,
    )
    const loaded = { key: row?.key ?? 0, session: row ? this.#readSession(row, true) : null, columns: [] }
    if (row) this.#cache.set(id, loaded)
    return loaded
  }

  /** A snapshot of an older version, or a damaged one, is rebuilt from the log and stored. */
  #readSession({ key, snapshot }: { key: number; snapshot: string }, isThorough: boolean): Session | null {
    const known = readSnapshot(snapshot, isThorough)
    if (known) return known
    const events = this.#sql.all<EventRow>(`${EVENTS} WHERE event.session = ? ORDER BY seq`, key)
    const session = rebuildSnapshot(
      snapshot,
      events.map((row) => readEvent(row).event),
    )
    if (session && !this.database.isTransaction) this.#repair({ key, session, columns: [] })
    return session
  }

  /** If the write fails, the snapshot is rebuilt again at the next read. */
  #repair(cached: CachedSession): void {
    const write = () => inQuickTransaction(this.database, () => this.#writeSession(cached))
    this.writer.run(write, 0).catch(() => {})
  }

  #insertSession(cached: CachedSession, { id, kind, state, cwd }: Session): void {
    const { lastInsertRowid } = this.#sql.run(
      "INSERT INTO session (id, kind, state, cwd, search, is_active, snapshot) VALUES (?, ?, ?, ?, '', 0, '')",
      id,
      kind,
      state,
      cwd,
    )
    cached.key = Number(lastInsertRowid)
    this.#cache.set(id, cached)
  }

  #writeSession(cached: CachedSession): void {
    const { key, session } = cached
    if (!session) return
    const snapshot = JSON.stringify(session)
    const { state, cwd, claudeSessionId, externalId } = session
    const columns = [
      state,
      cwd,
      searchedText(session),
      Number(isActive(session)),
      claudeSessionId,
      externalId,
    ]
    if (columns.every((value, index) => value === cached.columns[index])) {
      // SQLite rewrites the index entry of every column named in an update, even if unchanged.
      this.#sql.run('UPDATE session SET snapshot = ? WHERE key = ?', snapshot, key)
      return
    }
    cached.columns = columns
    this.#sql.run(
      'UPDATE session SET state = ?, cwd = ?, search = ?, is_active = ?, claude_session_id = ?, external_id = ?, snapshot = ? WHERE key = ?',
      ...columns,
      snapshot,
      key,
    )
  }

  #insertEvent(key: number, { seq, id, at, type, data }: SessionEvent): number {
    const { lastInsertRowid } = this.#sql.run(
      'INSERT INTO event (session, seq, id, at, type, data) VALUES (?, ?, ?, ?, ?, ?)',
      key,
      seq,
      id,
      Date.parse(at),
      type,
      JSON.stringify(data),
    )
    return Number(lastInsertRowid)
  }

  /** Updates the request that the event refers to, and returns it. */
  #updateRequest(event: SessionEvent): InboxRequest | null {
    if (!('requestId' in event.data)) return null
    const request = applyToRequest(this.#request(event.data.requestId), event)
    if (!request) return null
    const { id, sessionId, state, toolUseId } = request
    this.#sql.run(
      `INSERT INTO request (id, session_id, state, body, tool_use_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
         SET state = excluded.state, body = excluded.body, tool_use_id = excluded.tool_use_id`,
      id,
      sessionId,
      state,
      JSON.stringify(request),
      toolUseId,
    )
    return request
  }

  #addUsage(key: number, { id: sessionId, cwd }: Session, event: SessionEvent): void {
    const hour = hourOf(event.at)
    for (const { model, source, usage } of usageIn(event)) {
      this.#usageRows.add(key, { hour, sessionId, cwd, model, source, ...usage })
      this.#sql.run(
        `INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
           input = input + excluded.input, output = output + excluded.output,
           cache_read = cache_read + excluded.cache_read, cache_creation = cache_creation + excluded.cache_creation,
           cost = cost + excluded.cost`,
        key,
        hour,
        model,
        source,
        usage.inputTokens,
        usage.outputTokens,
        usage.cacheReadInputTokens,
        usage.cacheCreationInputTokens,
        usage.costUsd,
      )
    }
  }

  #trimCache(): void {
    for (const id of this.#cache.keys()) {
      if (this.#cache.size <= CACHED_SESSIONS) return
      this.#cache.delete(id)
    }
  }

  async readSession(sessionId: string, filter: EventFilter = {}): Promise<StoredEvent[]> {
    const { after } = this.#placeIn(sessionId, filter.after ?? 0)
    return this.#select('WHERE session.id = ? AND event.seq > ?', 'event.seq', [sessionId, after], filter)
  }

  async readAll(filter: EventFilter = {}): Promise<StoredEvent[]> {
    const { after = 0, types, limit = DEFAULT_LIMIT, maxBytes } = filter
    if (!types) return this.#select('WHERE event.position > ?', 'event.position', [after], filter)
    // Matches may be rare: yields to the event loop between windows.
    const found: StoredEvent[] = []
    for (let behind = after; found.length < limit; behind += WINDOW) {
      // Skips gaps in the positions.
      const next = this.#sql.get<{ position: number | null }>(NEXT_POSITION, behind)?.position ?? null
      if (next === null) break
      const from = Math.max(behind, next - 1)
      behind = from
      const range = 'WHERE event.position > ? AND event.position <= ?'
      const left = { types, limit: limit - found.length, ...(maxBytes !== undefined && { maxBytes }) }
      const some = this.#select(range, 'event.position', [from, from + WINDOW], left)
      found.push(...some)
      // The window may contain more matches; they come with the next page.
      if (maxBytes !== undefined && some.length > 0) break
      await turn()
    }
    return found
  }

  #select(
    where: string,
    order: string,
    values: (string | number)[],
    { types, limit, maxBytes = Number.POSITIVE_INFINITY }: EventFilter,
  ): StoredEvent[] {
    const ofType = types ? `AND type IN (${types.map(() => '?').join(', ')})` : ''
    const rows = this.#sql.upTo<EventRow>(
      maxBytes,
      ({ data }) => data.length,
      `${EVENTS} ${where} ${ofType} ORDER BY ${order} LIMIT ?`,
      ...values,
      ...(types ?? []),
      limit ?? DEFAULT_LIMIT,
    )
    return rows.map(readEvent)
  }

  async lastPosition(): Promise<number> {
    return this.#lastPosition()
  }

  #lastPosition(): number {
    // Includes deleted events: positions are never reused.
    const row = this.#sql.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
    return row?.seq ?? 0
  }

  async recoveredUpTo(): Promise<number> {
    return this.#sql.get<{ position: number }>('SELECT position FROM recovered')?.position ?? 0
  }

  async setRecovered(position: number): Promise<void> {
    await this.writer.run(() => this.#sql.run('UPDATE recovered SET position = ?', position))
  }

  async state(key: string): Promise<string | null> {
    return this.#sql.get<{ value: string }>('SELECT value FROM state WHERE key = ?', key)?.value ?? null
  }

  async setState(key: string, value: string | null): Promise<void> {
    const write = () => {
      if (value === null) this.#sql.run('DELETE FROM state WHERE key = ?', key)
      else this.#sql.run('INSERT OR REPLACE INTO state VALUES (?, ?)', key, value)
    }
    await this.#write(() => inQuickTransaction(this.database, write))
  }

  async states(prefix: string): Promise<{ key: string; value: string }[]> {
    const rows = this.#sql.all<{ key: string; value: string }>(
      'SELECT key, value FROM state WHERE substr(key, 1, ?) = ? ORDER BY key',
      prefix.length,
      prefix,
    )
    return rows.map((row) => ({ ...row }))
  }

  async trim(before: string): Promise<number> {
    const sessions = this.#sql.all<{ key: number; id: string }>(
      `SELECT key, id FROM session WHERE state = 'ended' AND is_active = 0
         AND CASE WHEN json_valid(snapshot) THEN json_extract(snapshot, '$.endedAt') < ? END
         AND EXISTS (SELECT 1 FROM event WHERE session = key)`,
      before,
    )
    let gone = 0
    for (const { key, id } of sessions) {
      if (this.#removal.isClosed) break
      this.writer.attempt(() => inTransaction(this.database, () => this.#trimSession(key, id)))
      gone += await this.#removal.removeEvents(key)
    }
    return gone
  }

  /** Runs before the deletion: a reader must not see a partly deleted log without a gap. */
  #trimSession(key: number, id: string): void {
    const last = this.#sql.get<{ position: number | null }>(
      'SELECT max(position) AS position FROM event WHERE session = ?',
      key,
    )
    this.#sql.run('UPDATE trimmed SET position = max(position, ?)', last?.position ?? 0)
    this.#sql.run("DELETE FROM request WHERE session_id = ? AND state = 'resolved'", id)
  }

  async gapBehind(sessionId: string | undefined, after: number): Promise<EventGap | null> {
    if (sessionId !== undefined) return this.#gapInSession(sessionId, after)
    const next = this.#nextPosition(after)
    return next > after + 1 ? { after, next } : null
  }

  #gapInSession(sessionId: string, after: number): EventGap | null {
    const { key, session } = this.#load(sessionId)
    const place = this.#placeIn(sessionId, after)
    const first = this.#sql.get<{ seq: number | null }>(
      'SELECT min(seq) AS seq FROM event WHERE session = ? AND seq > ?',
      key,
      place.isLost ? after : 0,
    )
    const next = first?.seq ?? (this.#breaks.raise(session)?.lastSeq ?? 0) + 1
    return place.isLost || next > place.after + 1 ? { after, next } : null
  }

  #placeIn(id: string, after: number): SessionPlace {
    if (this.#breaks.isEmpty) return { after, isLost: false }
    return this.#breaks.placeIn({ key: this.#load(id).key, id }, after)
  }

  /**
   * A jump in positions is not a loss in itself. A gap is reported for trimmed events, and for those lost at a log
   * break.
   */
  #nextPosition(after: number): number {
    const trimmed = this.#sql.get<{ position: number }>('SELECT position FROM trimmed')?.position ?? 0
    if (after >= trimmed && !this.#breaks.isLostPosition(after)) return after
    const next = this.#sql.get<{ position: number | null }>(NEXT_POSITION, after)
    return next?.position ?? this.#lastPosition() + 1
  }

  async breakLog(floor: number): Promise<void> {
    await this.#write(() => inTransaction(this.database, () => this.#breaks.add(floor)))
    this.#breaks.added()
  }

  checkFiles(): boolean {
    const problem = this.writer.isCondemned ? null : (this.#witness?.check() ?? null)
    if (problem !== null) this.#condemn(problem)
    return !this.writer.isCondemned
  }

  #refuseChangedFiles(): void {
    // Throws the problem that blocks the writer.
    if (!this.checkFiles()) this.writer.attempt(() => {})
  }

  #condemn(problem: FileProblem): void {
    const since = new Date().toISOString()
    // If another program replaced the content through SQLite, the log belongs to the new content and stays.
    const kept = problem === 'replaced' ? '' : ` Its log is kept in ${setLogAside(this.#path, since)}.`
    this.writer.block({ kind: 'damaged', message: `${CHANGES[problem]}${kept}`, since })
  }

  logRenewed(): void {
    this.#witness?.logRenewed()
  }

  async session(id: string): Promise<Session | null> {
    return this.#load(id).session
  }

  async sessions(filter: SessionFilter = {}): Promise<Session[]> {
    const { state, kind, cwd, claudeSessionId, externalId, text, before, limit } = filter
    // Only given filters are in the query, so that SQLite can use an index.
    const { where, values } = conditions([
      ['state = ?', state],
      ['kind = ?', kind],
      ['cwd = ?', cwd],
      ['claude_session_id = ?', claudeSessionId],
      ['external_id = ?', externalId],
      ['instr(search, ?)', text?.toLowerCase()],
      ['id < ?', before],
    ])
    const active = filter.isActive === undefined ? '' : `AND is_active = ${filter.isActive ? 1 : 0}`
    const rows = this.#sql.all<{ key: number; snapshot: string }>(
      `SELECT key, snapshot FROM session WHERE ${where} ${active} AND state <> 'deleted' ORDER BY id DESC LIMIT ?`,
      ...values,
      limit ?? DEFAULT_LIMIT,
    )
    return rows.flatMap((row) => this.#readSession(row, false) ?? [])
  }

  async activeSessions(): Promise<string[]> {
    const rows = this.#sql.all<{ id: string }>(
      "SELECT id FROM session WHERE kind = 'managed' AND is_active = 1 AND state <> 'deleted' ORDER BY id DESC",
    )
    return rows.map(({ id }) => id)
  }

  async deleteSession(id: string): Promise<boolean> {
    const { key } = this.#load(id)
    if (key === 0) return false
    await this.#write(() => this.#removal.mark(key, id))
    this.#cache.delete(id)
    this.#usageRows.remove(key)
    this.#removal.start()
    return true
  }

  /** A write with the timeout for clients. */
  #write<Result>(work: () => Result): Promise<Result> {
    return this.writer.run(work, CLIENT_WAIT_MS)
  }

  async forgetKeys(scope: string, before: string): Promise<void> {
    this.writer.attempt(() => this.#sql.run('DELETE FROM once WHERE scope = ? AND key < ?', scope, before))
  }

  async counts(): Promise<Counts> {
    const states = this.#sql.all<{ state: string; number: number }>(
      "SELECT state, count(*) AS number FROM session WHERE state <> 'deleted' GROUP BY state",
    )
    const pending = this.#sql.get<{ number: number }>(
      "SELECT count(*) AS number FROM request WHERE state = 'pending'",
    )
    return {
      sessions: Object.fromEntries(states.map(({ state, number }) => [state, number])),
      pendingRequests: pending?.number ?? 0,
      events: this.#lastPosition() - this.#breaks.skipped(),
    }
  }

  async usage(since?: string): Promise<UsageSum[]> {
    const from = since === undefined ? 0 : hourOf(since)
    for (;;) {
      const rows = this.#usageRows
      const found = await rows.since(from)
      if (rows === this.#usageRows) return found
    }
  }

  async transcripts(): Promise<TranscriptRecord[]> {
    const rows = this.#sql.all<{ record: string }>('SELECT record FROM transcript')
    // A damaged record is rebuilt from its file.
    return rows.flatMap(({ record }) => readTranscript(record) ?? [])
  }

  async saveTranscripts(records: readonly TranscriptRecord[]): Promise<void> {
    // Not fsynced: derived from files that can be read again after a power cut.
    this.writer.attempt(() =>
      inQuickTransaction(this.database, () => {
        for (const record of records)
          this.#sql.run(
            'INSERT OR REPLACE INTO transcript VALUES (?, ?)',
            record.path,
            JSON.stringify(record),
          )
      }),
    )
  }

  async knownConversations(claudeSessionIds: readonly string[]): Promise<KnownConversation[]> {
    return claudeSessionIds.flatMap((claudeSessionId) => {
      const row = this.#sql.get<{ id: string; kind: Session['kind']; origin: string }>(
        `SELECT id, kind, CASE WHEN json_valid(snapshot) THEN snapshot ->> '$.conversation.kind' END AS origin
         FROM session WHERE claude_session_id = ? ORDER BY id LIMIT 1`,
        claudeSessionId,
      )
      if (!row) return []
      return [{ claudeSessionId, sessionId: row.id, kind: row.kind, isAdopted: row.origin === 'adopted' }]
    })
  }

  async search(filter: SearchFilter): Promise<StoredEvent[]> {
    const { text, sessionId, before, limit, maxBytes = Number.POSITIVE_INFINITY } = filter
    const phrases = phrasesOf(text)
    if (phrases.length === 0) return []
    const match = phrases.map((words) => `"${words.join(' ')}"*`).join(' AND ')
    const find = (upTo: Statements['upTo']) =>
      upTo<EventRow>(
        maxBytes,
        ({ data }) => data.length,
        `SELECT position, session.id AS sessionId, seq, event.id AS id, at, type, data
         FROM event_text JOIN event ON event.position = event_text.rowid
           JOIN session ON session.key = event.session AND session.state <> 'deleted'
         WHERE event_text MATCH ?1 AND (?2 IS NULL OR event_text.rowid < ?2) AND (?3 IS NULL OR session.id = ?3)
         ORDER BY event_text.rowid DESC LIMIT ?4`,
        match,
        before ?? null,
        sessionId ?? null,
        limit ?? DEFAULT_LIMIT,
      )
    return (await this.#textIndex.search(match, find)).map(readEvent)
  }

  async request(id: string): Promise<InboxRequest | null> {
    return this.#request(id)
  }

  #request(id: string): InboxRequest | null {
    const row = this.#sql.get<{ body: string }>('SELECT body FROM request WHERE id = ?', id)
    return row ? readRequest(id, row.body) : null
  }

  async requests(filter: RequestFilter = {}): Promise<InboxRequest[]> {
    const { state, sessionId, toolUseId, after, limit, maxBytes = Number.POSITIVE_INFINITY } = filter
    const { where, values } = conditions([
      ['tool_use_id = ?', toolUseId],
      ['state = ?', state],
      ['session_id = ?', sessionId],
      ['id > ?', after],
    ])
    const rows = this.#sql.upTo<{ id: string; body: string }>(
      maxBytes,
      ({ body }) => body.length,
      `SELECT id, body FROM request WHERE ${where} ORDER BY id LIMIT ?`,
      ...values,
      limit ?? DEFAULT_LIMIT,
    )
    return rows.flatMap((row) => readRequest(row.id, row.body) ?? [])
  }

  async externalIds(): Promise<Map<string, string>> {
    const rows = this.#sql.all<{ id: string; name: string }>(
      'SELECT id, external_id AS name FROM session WHERE external_id IS NOT NULL',
    )
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  async setOptions(sessionId: string, options: StoredOptions): Promise<void> {
    const text = JSON.stringify(options)
    await this.#write(() =>
      this.#sql.run('INSERT OR REPLACE INTO session_options VALUES (?, ?)', sessionId, text),
    )
  }

  async options(sessionId: string): Promise<StoredOptions> {
    const row = this.#sql.get<{ options: string }>(
      'SELECT options FROM session_options WHERE session_id = ?',
      sessionId,
    )
    if (!row) return NO_OPTIONS
    const options = readOptions(row.options)
    if (options) return options
    // Fail closed: the lost options may have restricted the agent, so the session does not run without them.
    throw new HubError(
      'storage_damaged',
      `The options of session ${sessionId} are damaged in the database. An admin can set them anew (PATCH /sessions/${sessionId}).`,
      { sessionId },
    )
  }

  async allOptions(): Promise<StoredOptions[]> {
    const rows = this.#sql.all<{ id: string; options: string }>(
      'SELECT session_id AS id, options FROM session_options',
    )
    const damaged: string[] = []
    const read = rows.flatMap(({ id, options }) => {
      const found = readOptions(options)
      if (!found) damaged.push(id)
      return found ?? []
    })
    if (damaged.length > 0)
      this.#onFault(new Error(`The options of these sessions are damaged: ${damaged.join(', ')}.`))
    return read
  }

  addSecrets: Store['addSecrets'] = async (sessionId, secrets, source) => {
    const write = () => {
      for (const value of secrets)
        this.#sql.run(
          `INSERT INTO secret (session_id, value, source) VALUES (?, ?, ?)
           ON CONFLICT DO UPDATE SET source = excluded.source WHERE excluded.source = 'configured'`,
          sessionId,
          value,
          source,
        )
    }
    await this.writer.run(() => inTransaction(this.database, write))
  }

  async secrets(): Promise<StoredSecret[]> {
    const rows = this.#sql.all<StoredSecret>(
      'SELECT value, min(source) AS source FROM secret GROUP BY value ORDER BY value',
    )
    return rows.filter(({ value }) => typeof value === 'string').map((row) => ({ ...row }))
  }

  trust: Store['trust'] = (workspace, audit) => this.#write(() => this.#access.trust(workspace, audit))
  distrust: Store['distrust'] = (path, audit) => this.#write(() => this.#access.distrust(path, audit))
  trustedWorkspaces: Store['trustedWorkspaces'] = async () => this.#access.trustedWorkspaces()
  addCredential: Store['addCredential'] = (credential, audit) =>
    this.#write(() => this.#access.addCredential(credential, audit))
  credentials: Store['credentials'] = async (now) => this.#access.credentials(now)
  removeCredential: Store['removeCredential'] = (id, audit) =>
    this.#write(() => this.#access.removeCredential(id, audit))
  pruneCredentials: Store['pruneCredentials'] = (now) => this.#write(() => this.#access.pruneCredentials(now))
  credential: Store['credential'] = async (digest, now) => this.#access.credential(digest, now)

  addProcess({ pid, startToken, sessionId }: ProcessRecord): void {
    this.#writeAtOnce(() =>
      this.#sql.run('INSERT OR REPLACE INTO process VALUES (?, ?, ?)', pid, startToken, sessionId),
    )
  }

  removeProcess(pid: number): void {
    this.#writeAtOnce(() => this.#sql.run('DELETE FROM process WHERE pid = ?', pid))
  }

  /** Writes synchronously if possible, otherwise as soon as the store can write. */
  #writeAtOnce(work: () => void): void {
    try {
      this.writer.attempt(work)
    } catch (error) {
      if (!isStorageProblem(error)) throw error
      this.writer.run(work).catch(this.#onFault)
    }
  }

  async processes(): Promise<ProcessRecord[]> {
    return this.#sql.all<ProcessRecord>(
      'SELECT pid, start_token AS startToken, session_id AS sessionId FROM process',
    )
  }

  addAudit: Store['addAudit'] = (entry) => this.#write(() => this.#audit.with(entry, () => {}))
  audit: Store['audit'] = async (filter) => this.#audit.rows(filter)
  auditHead: Store['auditHead'] = async () => this.#audit.durableHead()
  isAuditSealed: Store['isAuditSealed'] = async () => this.#audit.isSealed()
  setAuditSealed: Store['setAuditSealed'] = () => this.#write(() => this.#audit.setSealed())

  async close(): Promise<void> {
    if (!this.database.isOpen) return
    this.#textIndex.close()
    this.#checkpoint.close()
    const removed = this.#removal.close()
    this.writer.close()
    await removed
    if (!this.database.isOpen) return
    this.#sql.clear()
    // A log that does not belong to the database must not be checkpointed into it.
    if (this.checkFiles()) this.#foldLog()
    this.database.close()
    this.#witness?.close()
  }

  #foldLog(): void {
    try {
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      this.#onFault(error) // Harmless: the data is durable in the write-ahead log.
    }
  }
}

/** Joins the conditions that have a value, in order. */
function conditions(all: readonly [condition: string, value: string | undefined][]): {
  where: string
  values: string[]
} {
  const wanted = all.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  return {
    where: ['1', ...wanted.map(({ condition }) => condition)].join(' AND '),
    values: wanted.map(({ value }) => value),
  }
}

/** The stamp that `Checkpoint` writes to the header. */
function stampOf(database: Database): number {
  const row = database.prepare('PRAGMA application_id').get() as { application_id: number }
  return row.application_id
}

/** For a program that uses the library after `close()`. */
function closed(cause?: unknown): HubError {
  return new HubError('session_not_driven', 'This Signalbox is closed. Create a new one.', {}, { cause })
}

const RESTART =
  'Nothing more is stored. Stop Signalbox, then restore a backup, or start again with the file that is there.'

/** Messages for changes by other programs. */
const CHANGES: Readonly<Record<FileProblem, string>> = {
  overwritten: `The database was overwritten while Signalbox runs. ${RESTART}`,
  replaced: `Another program has replaced the content of the database while Signalbox runs. ${RESTART}`,
  log_cut: `Another program has cut the write-ahead log of the database, so the newest events are lost. ${RESTART}`,
}

const NEXT_POSITION = 'SELECT min(position) AS position FROM event WHERE position > ?'

function hourOf(at: string): number {
  return Math.floor(Date.parse(at) / 3_600_000)
}

/** Excludes sessions that are being deleted. */
const EVENTS = `SELECT position, session.id AS sessionId, seq, event.id AS id, at, type, data
  FROM event JOIN session ON session.key = event.session AND session.state <> 'deleted'`
