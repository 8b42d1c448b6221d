/** The store in one SQLite file. */

import { setImmediate as turn } from 'node:timers/promises'
import { auditOf } from '../audit/entry.js'
import { phrasesOf } from '../lib/search-text.js'
import type { EventDraft, SessionEvent } from '../protocol/event.js'
import type { SessionOptions } from '../protocol/option.js'
import { NO_OPTIONS, type StoredOptions } from '../protocol/option-role.js'
import { applyToRequest, type Request } from '../protocol/request.js'
import { searchedText } from '../protocol/search.js'
import type { Session } from '../protocol/session.js'
import { usageIn } from '../protocol/usage.js'
import { storageErrorOf } from './damage.js'
import { mustReachDisk } from './durability.js'
import { isActive, keyUsed, openName, planAppend } from './plan.js'
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
} from './port.js'
import { readSnapshot, rebuildSnapshot } from './snapshot.js'
import { AccessTables } from './sqlite-access.js'
import { AuditTable } from './sqlite-audit.js'
import {
  type Database,
  inQuickTransaction,
  inTransaction,
  makeDurable,
  openDatabase,
} from './sqlite-driver.js'
import { migrate } from './sqlite-schema.js'
import { Statements } from './statements.js'
import { TextIndex } from './text-index.js'
import { UsageRows } from './usage-rows.js'
import { isStorageUnavailable, WaitingWriter } from './waiting-writer.js'

const DEFAULT_LIMIT = 1_000
const CACHED_SESSIONS = 2_000
/** For locks that others hold for a moment. */
const BUSY_MS = 5
/** How many events are looked through in one step. */
const WINDOW = 5_000

export interface SqliteOptions {
  path: string
  newId(): string
  /** Takes secrets out of what the audit says. */
  redact?(text: string): string
  /** A fault of work that nobody waits for. */
  onFault?(error: unknown): void
}

export interface SqliteStorePort extends Store {
  /** The one connection of the process: a second one would have locks of its own. */
  readonly database: Database
  readonly writer: WaitingWriter
}

export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStorePort> {
  try {
    const database = await openDatabase(options.path)
    try {
      makeDurable(database)
      migrate(database)
      // Waiting happens in the writer: in here it would stop the event loop.
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

/** A session as the store needs it for appending. Its row has the key 0 before it is written. */
interface CachedSession {
  key: number
  session: Session | null
  /** What its other columns hold. */
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
  readonly #onFault: (error: unknown) => void
  #usageRows: UsageRows

  constructor(database: Database, { newId, redact = (text) => text, onFault = () => {} }: SqliteOptions) {
    this.database = database
    this.writer = new WaitingWriter(() =>
      inTransaction(database, () => this.#sql.run('UPDATE indexed SET position = position')),
    )
    this.#newId = newId
    this.#onFault = onFault
    this.#sql = new Statements(database)
    this.#audit = new AuditTable(database, this.#sql, redact)
    this.#access = new AccessTables(this.#sql, this.#audit)
    this.#textIndex = new TextIndex(database, this.writer, onFault)
    this.#usageRows = new UsageRows(database)
    this.#textIndex.soon()
  }

  get storage(): Storage {
    return this.writer
  }

  async append(groups: readonly AppendGroup[]): Promise<AppendResult[]> {
    const isDurable = mustReachDisk(groups)
    const commit = isDurable ? inTransaction : inQuickTransaction
    try {
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
      // They may be ahead of what was rolled back.
      this.#cache.clear()
      this.#usageRows = new UsageRows(this.database)
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
    const plan = planAppend(before, group, this.#newId, (name) => this.#holderOf(name))
    if (plan.kind === 'refused') return plan
    if (once) {
      const { scope, key, value, digest = '' } = once
      this.#sql.run('INSERT INTO once VALUES (?, ?, ?, ?)', scope, key, value, digest)
    }
    cached.session = plan.session
    if (cached.key === 0) this.#insertSession(cached, plan.session)
    changed.add(cached)
    // The next group of this commit may want the same external id.
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

  /** One that does not fit is made anew from the log, and is right from then on. */
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

  /** Where that cannot be stored now, it is rebuilt again next time. */
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
      // What is named in an update is taken out of its index and put back, changed or not.
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

  /** The request that the event is about, as it is now. */
  #updateRequest(event: SessionEvent): Request | null {
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
    return this.#select(
      'WHERE session.id = ? AND event.seq > ?',
      'event.seq',
      [sessionId, filter.after ?? 0],
      filter,
    )
  }

  async readAll(filter: EventFilter = {}): Promise<StoredEvent[]> {
    const { after = 0, types, limit = DEFAULT_LIMIT, maxBytes } = filter
    if (!types) return this.#select('WHERE event.position > ?', 'event.position', [after], filter)
    // What is wanted may be rare, or not there at all: others have their turn while it is looked for.
    const found: StoredEvent[] = []
    const last = await this.lastPosition()
    for (let from = after; from < last && found.length < limit; from += WINDOW) {
      const range = 'WHERE event.position > ? AND event.position <= ?'
      const left = { types, limit: limit - found.length, ...(maxBytes !== undefined && { maxBytes }) }
      const some = this.#select(range, 'event.position', [from, from + WINDOW], left)
      found.push(...some)
      // The window may hold more: what was left out comes with the next page.
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
    // Of all that there ever were: positions never come again.
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
         AND json_extract(snapshot, '$.endedAt') < ? AND EXISTS (SELECT 1 FROM event WHERE session = key)`,
      before,
    )
    let gone = 0
    for (const { key, id } of sessions) {
      gone += this.writer.attempt(() => inTransaction(this.database, () => this.#trimSession(key, id)))
      await turn()
    }
    return gone
  }

  #trimSession(key: number, id: string): number {
    const last = this.#sql.get<{ position: number | null }>(
      'SELECT max(position) AS position FROM event WHERE session = ?',
      key,
    )
    this.#sql.run('UPDATE trimmed SET position = max(position, ?)', last?.position ?? 0)
    this.#sql.run('DELETE FROM event_text WHERE rowid IN (SELECT position FROM event WHERE session = ?)', key)
    this.#sql.run("DELETE FROM request WHERE session_id = ? AND state = 'resolved'", id)
    return this.#sql.run('DELETE FROM event WHERE session = ?', key).changes
  }

  async gapBehind(sessionId: string | undefined, after: number): Promise<EventGap | null> {
    const next = sessionId === undefined ? this.#nextPosition(after) : this.#firstSeq(sessionId)
    return next > after + 1 ? { after, next } : null
  }

  #firstSeq(sessionId: string): number {
    const { key, session } = this.#load(sessionId)
    const first = this.#sql.get<{ seq: number | null }>(
      'SELECT min(seq) AS seq FROM event WHERE session = ?',
      key,
    )
    return first?.seq ?? (session?.lastSeq ?? 0) + 1
  }

  /** Positions skip numbers by themselves; only what was trimmed is a gap. */
  #nextPosition(after: number): number {
    const trimmed = this.#sql.get<{ position: number }>('SELECT position FROM trimmed')?.position ?? 0
    if (after >= trimmed) return after
    const next = this.#sql.get<{ position: number | null }>(
      'SELECT min(position) AS position FROM event WHERE position > ?',
      after,
    )
    return next?.position ?? trimmed + 1
  }

  async session(id: string): Promise<Session | null> {
    return this.#load(id).session
  }

  async sessions(filter: SessionFilter = {}): Promise<Session[]> {
    const { state, kind, cwd, claudeSessionId, externalId, text, before, limit } = filter
    // Only what is asked for is in the question, so that its index is used.
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
      `SELECT key, snapshot FROM session WHERE ${where} ${active} ORDER BY id DESC LIMIT ?`,
      ...values,
      limit ?? DEFAULT_LIMIT,
    )
    return rows.flatMap((row) => this.#readSession(row, false) ?? [])
  }

  async deleteSession(id: string): Promise<boolean> {
    const { key } = this.#load(id)
    if (key === 0) return false
    await this.#write(() => this.#deleteSession(key, id))
    this.#cache.delete(id)
    this.#usageRows.remove(key)
    return true
  }

  /** A write that a client waits for. */
  #write<Result>(work: () => Result): Promise<Result> {
    return this.writer.run(work, CLIENT_WAIT_MS)
  }

  #deleteSession(key: number, id: string): void {
    inTransaction(this.database, () => {
      this.#sql.run(
        'DELETE FROM event_text WHERE rowid IN (SELECT position FROM event WHERE session = ?)',
        key,
      )
      for (const table of ['event', 'usage']) this.#sql.run(`DELETE FROM ${table} WHERE session = ?`, key)
      for (const table of ['request', 'session_options', 'secret'])
        this.#sql.run(`DELETE FROM ${table} WHERE session_id = ?`, id)
      this.#sql.run('DELETE FROM once WHERE value = ?1 OR scope = ?2', id, `messages:${id}`)
      this.#sql.run('DELETE FROM session WHERE key = ?', key)
    })
  }

  async forgetKeys(scope: string, before: string): Promise<void> {
    this.writer.attempt(() => this.#sql.run('DELETE FROM once WHERE scope = ? AND key < ?', scope, before))
  }

  async counts(): Promise<Counts> {
    const states = this.#sql.all<{ state: string; number: number }>(
      'SELECT state, count(*) AS number FROM session GROUP BY state',
    )
    const pending = this.#sql.get<{ number: number }>(
      "SELECT count(*) AS number FROM request WHERE state = 'pending'",
    )
    return {
      sessions: Object.fromEntries(states.map(({ state, number }) => [state, number])),
      pendingRequests: pending?.number ?? 0,
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
    return rows.map(({ record }) => JSON.parse(record) as TranscriptRecord) // As it was stored.
  }

  async saveTranscripts(records: readonly TranscriptRecord[]): Promise<void> {
    // Derived from files that are still there: after a power cut they are read again.
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
        "SELECT id, kind, snapshot ->> '$.conversation.kind' AS origin FROM session WHERE claude_session_id = ? ORDER BY id LIMIT 1",
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
    await this.#textIndex.catchUp()
    const match = phrases.map((words) => `"${words.join(' ')}"*`).join(' AND ')
    const rows = this.#sql.upTo<EventRow>(
      maxBytes,
      ({ data }) => data.length,
      `SELECT position, session.id AS sessionId, seq, event.id AS id, at, type, data
       FROM event_text JOIN event ON event.position = event_text.rowid JOIN session ON session.key = event.session
       WHERE event_text MATCH ?1 AND (?2 IS NULL OR event_text.rowid < ?2) AND (?3 IS NULL OR session.id = ?3)
       ORDER BY event_text.rowid DESC LIMIT ?4`,
      match,
      before ?? null,
      sessionId ?? null,
      limit ?? DEFAULT_LIMIT,
    )
    return rows.map(readEvent)
  }

  async request(id: string): Promise<Request | null> {
    return this.#request(id)
  }

  #request(id: string): Request | null {
    const row = this.#sql.get<{ body: string }>('SELECT body FROM request WHERE id = ?', id)
    return row ? parseRequest(id, row.body) : null
  }

  async requests(filter: RequestFilter = {}): Promise<Request[]> {
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
    return rows.flatMap((row) => parseRequest(row.id, row.body) ?? [])
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
    return row ? storedOptions(row.options) : NO_OPTIONS
  }

  async allOptions(): Promise<StoredOptions[]> {
    const rows = this.#sql.all<{ options: string }>('SELECT options FROM session_options')
    return rows.map(({ options }) => storedOptions(options))
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
    return rows.map((row) => ({ ...row }))
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

  /** Now if that is possible, or else as soon as it is. */
  #writeAtOnce(work: () => void): void {
    try {
      this.writer.attempt(work)
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error
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
  setAuditSealed: Store['setAuditSealed'] = () => this.writer.run(() => this.#audit.setSealed())

  async close(): Promise<void> {
    if (!this.database.isOpen) return
    this.#textIndex.close()
    this.writer.close()
    this.#sql.clear()
    try {
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      this.#onFault(error) // What is in the write-ahead log is stored as well.
    }
    this.database.close()
  }
}

/** All that are wanted of these, in their order. */
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

/** Hours since 1970. */
function hourOf(at: string): number {
  return Math.floor(Date.parse(at) / 3_600_000)
}

const EVENTS = `SELECT position, session.id AS sessionId, seq, event.id AS id, at, type, data
  FROM event JOIN session ON session.key = event.session`

interface EventRow {
  position: number
  sessionId: string
  seq: number
  id: string
  at: number
  type: string
  data: string
}

// What this file has written was checked before it was written.

function readEvent({ position, sessionId, seq, id, at, type, data }: EventRow): StoredEvent {
  const draft = { type, data: parse(data) } as EventDraft
  const stored = { seq, id, sessionId, at: new Date(at).toISOString() }
  // One damaged row does not take its session, or a whole page, with it.
  return {
    position,
    event: draft.data === undefined ? { ...stored, ...UNREADABLE } : { ...stored, ...draft },
  }
}

const UNREADABLE: EventDraft = {
  type: 'error.raised',
  data: { code: 'storage_damaged', message: 'This event is damaged in the database.' },
}

/** Null for a damaged row. */
function parseRequest(id: string, text: string): Request | null {
  const request = parse(text) as Request | undefined
  return request?.id === id ? request : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Earlier versions stored the options alone: with whose authority they were given is not known then. */
function storedOptions(text: string): StoredOptions {
  const value = JSON.parse(text) as StoredOptions | SessionOptions // Written here, in one of the two forms.
  return 'givenBy' in value ? value : { options: value, givenBy: {} }
}
