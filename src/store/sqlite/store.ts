/** The SQLite adapter: one database file. Joins the tables, and decides how long each write may wait. */

import { dirname } from 'node:path'
import { type Database, inTransaction, makeDurable, openDatabase } from '../../lib/sqlite/driver.js'
import { Statements } from '../../lib/sqlite/statements.js'
import { HubError } from '../../protocol/error.js'
import { dataLost, isMissing, storageErrorOf } from '../damage.js'
import { lockHolder, readMarkHolder } from '../lock-holder.js'
import type { AppendGroup, AppendResult } from '../port/append.js'
import { CLIENT_WAIT_MS, type Storage, type Store } from '../port.js'
import { ReadMarkLock } from '../read-mark-lock.js'
import { LogBreaks } from '../sequence-gap.js'
import { SessionRemoval } from '../session-removal.js'
import { WaitingWriter } from '../waiting-writer.js'
import { tryWriting, writeFaultIn } from '../write-fault.js'
import { AuditTable } from './audit.js'
import { Checkpoint } from './checkpoint.js'
import { AccessTables } from './credentials.js'
import { DaemonRows } from './daemon-rows.js'
import { EventAppend } from './event-append.js'
import { EventReads } from './event-reads.js'
import { searchEvents } from './event-search.js'
import { FileGuard } from './file-guard.js'
import { MachineRows } from './machine-rows.js'
import { OptionRows } from './option-rows.js'
import { PromptRows } from './prompt-rows.js'
import { RecordRows } from './record-rows.js'
import { RequestRows } from './request-rows.js'
import { migrate, type OldProcess, oldProcessesOf, versionOf } from './schema.js'
import { SessionCache } from './session-cache.js'
import { SessionList } from './session-list.js'
import { TextIndex } from './text-index.js'
import { UsageTable } from './usage-table.js'

/** Busy timeout for locks that are held only for a moment. */
const BUSY_MS = 5
const IDLE_MS = 2_000

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
  /** Processes that the daemon had recorded here when this start has migrated the database. */
  readonly oldProcesses: readonly OldProcess[]
}

export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStorePort> {
  try {
    if (options.hadData && isMissing(options.path)) throw dataLost(options.path)
    const database = await openDatabase(options.path)
    try {
      if (options.hadData && versionOf(database) === 0) throw dataLost(options.path)
      makeDurable(database)
      const oldProcesses = oldProcessesOf(database)
      migrate(database)
      // Short, because waiting inside SQLite blocks the event loop. The writer waits instead.
      database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
      return new SqliteStore(database, options, oldProcesses)
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    throw storageErrorOf(error, options.path)
  }
}

class SqliteStore implements SqliteStorePort {
  readonly database: Database
  readonly oldProcesses: readonly OldProcess[]
  readonly writer: WaitingWriter
  readonly #sql: Statements
  readonly #audit: AuditTable
  readonly #access: AccessTables
  readonly #breaks: LogBreaks
  readonly #files: FileGuard
  readonly #checkpoint: Checkpoint
  readonly #textIndex: TextIndex
  readonly #cache: SessionCache
  readonly #list: SessionList
  readonly #requests: RequestRows
  readonly #usage: UsageTable
  readonly #append: EventAppend
  readonly #reads: EventReads
  readonly #removal: SessionRemoval
  readonly #optionRows: OptionRows
  readonly #daemon: DaemonRows
  readonly #machines: MachineRows
  readonly #prompts: PromptRows
  readonly #records: RecordRows
  readonly #onFault: (error: unknown) => void

  constructor(
    database: Database,
    { path, newId, idleMs = IDLE_MS, redact = (text) => text, onFault = () => {} }: SqliteOptions,
    oldProcesses: readonly OldProcess[],
  ) {
    this.database = database
    this.oldProcesses = oldProcesses
    this.#onFault = onFault
    const writer = new WaitingWriter({
      probe: () => inTransaction(database, () => this.#sql.run('UPDATE indexed SET position = position')),
      ...(path !== ':memory:' && { tryRoom: () => tryWriting(dirname(path)) }),
      reasonOf: () => writeFaultIn(dirname(path)),
      holder: () => lockHolder(path),
      readMarks: new ReadMarkLock(() => readMarkHolder(path)),
      onWritten: () => this.#checkpoint.wrote(),
    })
    this.writer = writer
    const sql = new Statements(database, {
      before: () => writer.expectReadable(),
      failed: (error, again) => (database.isOpen ? writer.readFailed(error, again) : closed(error)),
    })
    this.#sql = sql
    const audit = new AuditTable(database, sql, redact)
    this.#audit = audit
    this.#access = new AccessTables(sql, audit)
    const usage = new UsageTable(sql)
    this.#usage = usage
    const breaks = new LogBreaks(sql)
    this.#breaks = breaks
    const files = new FileGuard({ database, path, writer })
    this.#files = files
    const checkpoint = new Checkpoint({ database, writer, witness: files.witness, idleMs, onFault })
    this.#checkpoint = checkpoint
    const expectOwnFiles = () => files.refuseChanged()
    const textIndex = new TextIndex({ database, sql, writer, expectOwnFiles, onFault })
    this.#textIndex = textIndex
    const cache = new SessionCache({ database, sql, writer })
    this.#cache = cache
    const list = new SessionList(sql, cache)
    this.#list = list
    const requests = new RequestRows(sql)
    this.#requests = requests
    const tables = { database, sql, writer, files, breaks, cache, list, requests, usage, audit }
    const machines = new MachineRows(database, sql)
    this.#machines = machines
    this.#append = new EventAppend({ ...tables, machines, newId })
    this.#reads = new EventReads({ sql, cache, breaks })
    this.#optionRows = new OptionRows({ database, sql, onFault })
    this.#daemon = new DaemonRows(database, sql)
    this.#prompts = new PromptRows(database, sql)
    this.#records = new RecordRows(database, sql, audit)
    this.#removal = new SessionRemoval({ database, sql, writer, textIndex, checkpoint, onFault })
    textIndex.soon()
    checkpoint.begin()
    // Finishes deletions that a crash interrupted.
    this.#removal.start()
  }

  get storage(): Storage {
    return this.writer
  }

  /** A write with the timeout for clients. */
  #write<Result>(work: () => Result): Promise<Result> {
    return this.writer.run(work, CLIENT_WAIT_MS)
  }

  async append(groups: readonly AppendGroup[]): Promise<AppendResult[]> {
    if (!this.database.isOpen) throw closed()
    try {
      return this.#append.append(groups)
    } finally {
      this.#textIndex.soon()
    }
  }

  joinMachine: Store['joinMachine'] = (machine, spool) =>
    this.writer.run(() => this.#machines.join(machine, spool))
  forgetKeys: Store['forgetKeys'] = async (scope, before) => this.#append.forgetKeys(scope, before)
  readSession: Store['readSession'] = async (id, filter) => this.#reads.ofSession(id, filter)
  readAll: Store['readAll'] = (filter) => this.#reads.ofAll(filter)
  resumePoints: Store['resumePoints'] = async () => this.#reads.resumePoints()
  lastPosition: Store['lastPosition'] = async () => this.#reads.lastPosition()
  gapBehind: Store['gapBehind'] = async (sessionId, after) => this.#reads.gapBehind(sessionId, after)
  search: Store['search'] = (filter) => searchEvents(this.#textIndex, filter)
  trim: Store['trim'] = (before) => this.#removal.trim(before)

  session: Store['session'] = async (id) => this.#cache.load(id).session
  sessions: Store['sessions'] = async (filter) => this.#list.find(filter)
  activeSessions: Store['activeSessions'] = async (machine) => this.#list.active(machine)
  externalIds: Store['externalIds'] = async () => this.#list.externalIds()
  knownConversations: Store['knownConversations'] = async (ids) => this.#list.conversations(ids)
  request: Store['request'] = async (id) => this.#requests.get(id)
  requests: Store['requests'] = async (filter) => this.#requests.find(filter)
  usage: Store['usage'] = (since) => this.#usage.since(since)
  counts: Store['counts'] = async () => ({
    sessions: this.#list.countByState(),
    pendingRequests: this.#requests.countPending(),
    events: this.#reads.count(),
  })

  async deleteSession(id: string): Promise<boolean> {
    const { key } = this.#cache.load(id)
    if (key === 0) return false
    await this.#write(() => this.#removal.mark(key, id))
    this.#cache.remove(id)
    this.#usage.forget()
    this.#removal.start()
    return true
  }

  setOptions: Store['setOptions'] = (id, options) => this.#write(() => this.#optionRows.set(id, options))
  options: Store['options'] = async (id) => this.#optionRows.get(id)
  allOptions: Store['allOptions'] = async () => this.#optionRows.all()
  addSecrets: Store['addSecrets'] = (id, secrets, source) =>
    this.writer.run(() => this.#optionRows.addSecrets(id, secrets, source))
  secrets: Store['secrets'] = async () => this.#optionRows.secrets()

  trust: Store['trust'] = (workspace, audit) => this.#write(() => this.#access.trust(workspace, audit))
  distrust: Store['distrust'] = (workspace, audit) =>
    this.#write(() => this.#access.distrust(workspace, audit))
  trustedWorkspaces: Store['trustedWorkspaces'] = async (machine) => this.#access.trustedWorkspaces(machine)
  addCredential: Store['addCredential'] = (credential, audit) =>
    this.#write(() => this.#access.addCredential(credential, audit))
  credentials: Store['credentials'] = async (now) => this.#access.credentials(now)
  removeCredential: Store['removeCredential'] = (id, audit) =>
    this.#write(() => this.#access.removeCredential(id, audit))
  pruneCredentials: Store['pruneCredentials'] = (now) => this.#write(() => this.#access.pruneCredentials(now))
  credential: Store['credential'] = async (digest, now) => this.#access.credential(digest, now)

  prompts: Store['prompts'] = async () => this.#prompts.all()
  changePrompt: Store['changePrompt'] = (name, change) =>
    this.#write(() => this.#prompts.change(name, change))

  addAudit: Store['addAudit'] = (entry) => this.#write(() => this.#audit.with(entry, () => {}))
  audit: Store['audit'] = async (filter) => this.#audit.rows(filter)
  auditHead: Store['auditHead'] = async () => this.#audit.durableHead()
  isAuditSealed: Store['isAuditSealed'] = async () => this.#audit.isSealed()
  setAuditSealed: Store['setAuditSealed'] = () => this.#write(() => this.#audit.setSealed())

  recoveredUpTo: Store['recoveredUpTo'] = async () => this.#daemon.recoveredUpTo()
  setRecovered: Store['setRecovered'] = (position) =>
    this.writer.run(() => this.#daemon.setRecovered(position))
  state: Store['state'] = async (key) => this.#daemon.state(key)
  setState: Store['setState'] = (key, value) => this.#write(() => this.#daemon.setState(key, value))
  record: Store['record'] = async (kind, id) => this.#records.get(kind, id)
  records: Store['records'] = async (kind, filter) => this.#records.find(kind, filter)
  saveRecords: Store['saveRecords'] = (changes, { isPatient, ...options } = {}) =>
    this.writer.run(() => this.#records.save(changes, options), isPatient ? undefined : CLIENT_WAIT_MS)
  states: Store['states'] = async (prefix) => this.#daemon.states(prefix)
  transcripts: Store['transcripts'] = async () => this.#daemon.transcripts()
  saveTranscripts: Store['saveTranscripts'] = async (records) =>
    this.writer.attempt(() => this.#daemon.saveTranscripts(records))
  checkFiles(): boolean {
    return this.#files.check()
  }

  logRenewed(): void {
    this.#files.witness?.logRenewed()
  }

  async breakLog(floor: number): Promise<void> {
    await this.#write(() => inTransaction(this.database, () => this.#breaks.add(floor)))
    this.#breaks.added()
  }

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
    this.#files.witness?.close()
  }

  #foldLog(): void {
    try {
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      this.#onFault(error) // Harmless: the data is durable in the write-ahead log.
    }
  }
}

/** For a program that uses the library after `close()`. */
function closed(cause?: unknown): HubError {
  return new HubError('session_not_driven', 'This Signalbox is closed. Create a new one.', {}, { cause })
}
