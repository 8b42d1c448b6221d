/** Rows that are kept out of events because they contain secrets: options of sessions, and known secret values. */

import { type Database, inTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import { HubError } from '../../protocol/error.js'
import { NO_OPTIONS, type StoredOptions } from '../../protocol/option/option-role.js'
import type { StoredSecret } from '../port.js'
import { readOptions } from './stored-row.js'

export interface OptionRowsDeps {
  database: Database
  sql: Statements
  onFault(error: unknown): void
}

export class OptionRows {
  readonly #deps: OptionRowsDeps

  constructor(deps: OptionRowsDeps) {
    this.#deps = deps
  }

  set(sessionId: string, options: StoredOptions): void {
    this.#deps.sql.run(
      'INSERT OR REPLACE INTO session_options VALUES (?, ?)',
      sessionId,
      JSON.stringify(options),
    )
  }

  get(sessionId: string): StoredOptions {
    const row = this.#deps.sql.get<{ options: string }>(
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

  all(): StoredOptions[] {
    const rows = this.#deps.sql.all<{ id: string; options: string }>(
      'SELECT session_id AS id, options FROM session_options',
    )
    const damaged: string[] = []
    const read = rows.flatMap(({ id, options }) => {
      const found = readOptions(options)
      if (!found) damaged.push(id)
      return found ?? []
    })
    if (damaged.length > 0)
      this.#deps.onFault(new Error(`The options of these sessions are damaged: ${damaged.join(', ')}.`))
    return read
  }

  addSecrets(sessionId: string, secrets: readonly string[], source: StoredSecret['source']): void {
    const { database, sql } = this.#deps
    inTransaction(database, () => {
      for (const value of secrets)
        sql.run(
          `INSERT INTO secret (session_id, value, source) VALUES (?, ?, ?)
           ON CONFLICT DO UPDATE SET source = excluded.source WHERE excluded.source = 'configured'`,
          sessionId,
          value,
          source,
        )
    })
  }

  secrets(): StoredSecret[] {
    const rows = this.#deps.sql.all<StoredSecret>(
      'SELECT value, min(source) AS source FROM secret GROUP BY value ORDER BY value',
    )
    return rows.filter(({ value }) => typeof value === 'string').map((row) => ({ ...row }))
  }
}
