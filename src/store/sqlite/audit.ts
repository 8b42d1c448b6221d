/** The table of the audit log: a hash chain of rows, and its head. */

import { type AuditHead, type AuditRow, nextRow, recordOf } from '../../audit/chain.js'
import { hasSealedEntries } from '../../audit/database.js'
import { redactedEntry } from '../../audit/entry.js'
import { type Database, inTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { AuditEntry } from '../../protocol/audit.js'
import { type AuditFilter, matchesAudit } from '../../protocol/audit-filter.js'
import { HubError } from '../../protocol/error.js'
import { type AuditRowFilter, DEFAULT_LIMIT } from '../port/filter.js'

const HEADLESS =
  'The database does not say where its audit ends. Keep a copy of it, then restore a backup with "signalbox restore FILE".'

export class AuditTable {
  readonly #database: Database
  readonly #sql: Statements
  /** Redacts secrets in entries. */
  readonly #redact: (text: string) => string
  #head: AuditHead | null = null
  #durable: AuditHead | null = null
  #hasNew = false

  constructor(database: Database, sql: Statements, redact: (text: string) => string) {
    this.#database = database
    this.#sql = sql
    this.#redact = redact
  }

  rows({ before, after, limit = DEFAULT_LIMIT, ...filter }: AuditRowFilter = {}): AuditRow[] {
    const { terms, values } = termsOf(filter)
    const matches = (row: AuditRow) => matchesAudit(recordOf(row), filter)
    const rows = this.#sql.upTo<AuditRow>(
      limit,
      (row) => (matches(row) ? 1 : 0),
      `SELECT number, entry, hash FROM audit WHERE ${['number < ?', 'number > ?', ...terms].join(' AND ')} ORDER BY number DESC`,
      before ?? Number.MAX_SAFE_INTEGER,
      after ?? 0,
      ...values,
    )
    return rows.filter(matches).map((row) => ({ ...row }))
  }

  head(): AuditHead {
    this.#head ??= this.#sql.get<AuditHead>('SELECT number, hash FROM audit_head') ?? null
    if (!this.#head) throw new HubError('storage_damaged', HEADLESS)
    return { ...this.#head }
  }

  /** The head as of the last fsync. The seal outside the database must never be ahead of it, even after a power cut. */
  durableHead(): AuditHead {
    return { ...(this.#durable ??= this.head()) }
  }

  /** Call after a commit that was fsynced. */
  markDurable(): void {
    this.#durable = this.#head
  }

  isSealed(): boolean {
    const flag = this.#sql.get<{ is_sealed: number }>('SELECT is_sealed FROM audit_state')
    // Fail closed: every version writes the flag, so a missing one means tampering.
    return flag?.is_sealed !== 0 || hasSealedEntries(this.#database)
  }

  setSealed(): void {
    inTransaction(this.#database, () => {
      this.#sql.run('DELETE FROM audit_state')
      this.#sql.run('INSERT INTO audit_state VALUES (1)')
    })
  }

  /** Runs a change and adds its entry in one transaction. */
  with<Result>(entry: AuditEntry | undefined, work: () => Result): Result {
    if (!entry) return work()
    try {
      const result = inTransaction(this.#database, () => {
        const done = work()
        this.add(entry)
        this.writeHead()
        return done
      })
      this.markDurable()
      return result
    } catch (error) {
      this.forget()
      throw error
    }
  }

  /** For use inside a transaction, which calls `writeHead` at its end. */
  add(entry: AuditEntry): void {
    const { number, entry: text, hash } = nextRow(this.head(), redactedEntry(entry, this.#redact))
    this.#sql.run('INSERT INTO audit VALUES (?, ?, ?)', number, text, hash)
    this.#head = { number, hash }
    this.#hasNew = true
  }

  /** Once per transaction, for all its rows. */
  writeHead(): void {
    if (!this.#hasNew) return
    const { number, hash } = this.head()
    this.#sql.run('UPDATE audit_head SET number = ?, hash = ?', number, hash)
    this.#hasNew = false
  }

  /** After a rollback the cached head may be ahead of the table. */
  forget(): void {
    this.#head = null
  }
}

/** As in the partial index of the schema: decisions of users are found without a look at all others. */
const BY_PERSON = `instr(entry, '"by":"person"') > 0`

/**
 * Leaves out rows that cannot match, before they are parsed. Matches the stored text of an entry: a row that was
 * tampered with may not be valid JSON. Cannot match inside a string of an entry, where quotes are escaped.
 */
function termsOf({ sessionId, kind, by, verdict }: AuditFilter): { terms: string[]; values: string[] } {
  const pairs = { sessionId, verdict, ...(by !== 'person' && { by }) }
  const values = Object.entries(pairs).flatMap(([name, value]) =>
    value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`],
  )
  const kinds = kind?.map((name) => `"kind":"${name}"`) ?? []
  const ofKind = kinds.map(() => 'instr(entry, ?) > 0').join(' OR ')
  return {
    terms: [
      ...(by === 'person' ? [BY_PERSON] : []),
      ...values.map(() => 'instr(entry, ?) > 0'),
      ...(kinds.length > 0 ? [`(${ofKind})`] : []),
    ],
    values: [...values, ...kinds],
  }
}
