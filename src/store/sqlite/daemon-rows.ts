/** Notes of the daemon for its next run: transcripts it has read, recovery, and small pairs of state. */

import { type Database, inQuickTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { TranscriptRecord } from '../port.js'
import { readTranscript } from './stored-row.js'

export class DaemonRows {
  readonly #database: Database
  readonly #sql: Statements

  constructor(database: Database, sql: Statements) {
    this.#database = database
    this.#sql = sql
  }

  recoveredUpTo(): number {
    return this.#sql.get<{ position: number }>('SELECT position FROM recovered')?.position ?? 0
  }

  setRecovered(position: number): void {
    this.#sql.run('UPDATE recovered SET position = ?', position)
  }

  state(key: string): string | null {
    return this.#sql.get<{ value: string }>('SELECT value FROM state WHERE key = ?', key)?.value ?? null
  }

  setState(key: string, value: string | null): void {
    inQuickTransaction(this.#database, () => {
      if (value === null) this.#sql.run('DELETE FROM state WHERE key = ?', key)
      else this.#sql.run('INSERT OR REPLACE INTO state VALUES (?, ?)', key, value)
    })
  }

  states(prefix: string): { key: string; value: string }[] {
    const rows = this.#sql.all<{ key: string; value: string }>(
      'SELECT key, value FROM state WHERE substr(key, 1, ?) = ? ORDER BY key',
      prefix.length,
      prefix,
    )
    return rows.map((row) => ({ ...row }))
  }

  transcripts(): TranscriptRecord[] {
    const rows = this.#sql.all<{ record: string }>('SELECT record FROM transcript')
    // A damaged record is rebuilt from its file.
    return rows.flatMap(({ record }) => readTranscript(record) ?? [])
  }

  /** Not fsynced: derived from files that can be read again after a power cut. */
  saveTranscripts(records: readonly TranscriptRecord[]): void {
    inQuickTransaction(this.#database, () => {
      for (const record of records)
        this.#sql.run('INSERT OR REPLACE INTO transcript VALUES (?, ?)', record.path, JSON.stringify(record))
    })
  }
}
