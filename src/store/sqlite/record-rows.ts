/** The table of records. */

import { type Database, inQuickTransaction, inTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import { DEFAULT_LIMIT } from '../port/filter.js'
import type { RecordChange, RecordFilter, SaveOptions, StoredRecord } from '../port/record.js'
import type { AuditTable } from './audit.js'

interface Row {
  id: string
  body: string
}

export class RecordRows {
  readonly #database: Database
  readonly #sql: Statements
  readonly #audit: AuditTable

  constructor(database: Database, sql: Statements, audit: AuditTable) {
    this.#database = database
    this.#sql = sql
    this.#audit = audit
  }

  get(kind: string, id: string): unknown {
    const row = this.#sql.get<Row>('SELECT id, body FROM record WHERE kind = ? AND id = ?', kind, id)
    return (row && read(row)?.body) ?? null
  }

  find(kind: string, filter?: RecordFilter): StoredRecord[] {
    const rows = filter
      ? this.#sql.all<Row>(
          'SELECT id, body FROM record WHERE kind = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3',
          kind,
          filter.before ?? null,
          filter.limit ?? DEFAULT_LIMIT,
        )
      : this.#sql.all<Row>('SELECT id, body FROM record WHERE kind = ? ORDER BY id', kind)
    return rows.flatMap((row) => read(row) ?? [])
  }

  save(
    changes: readonly RecordChange[],
    { audit, isQuick = false }: Omit<SaveOptions, 'isPatient'> = {},
  ): void {
    const write = () => {
      for (const { kind, id, body } of changes) {
        if (body === null) this.#sql.run('DELETE FROM record WHERE kind = ? AND id = ?', kind, id)
        else this.#sql.run('INSERT OR REPLACE INTO record VALUES (?, ?, ?)', kind, id, JSON.stringify(body))
      }
    }
    if (audit) this.#audit.with(audit, write)
    else if (isQuick) inQuickTransaction(this.#database, write)
    else inTransaction(this.#database, write)
  }
}

/** Null for a damaged row. */
function read({ id, body }: Row): StoredRecord | null {
  try {
    const value: unknown = JSON.parse(body)
    return value === null ? null : { id, body: value }
  } catch {
    return null
  }
}
