/** Saved prompts. */

import { type Database, inTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { SavedPrompt } from '../../protocol/compose/prompt.js'
import type { PromptChange } from '../port.js'

const COLUMNS = 'name, text, saved_at AS savedAt, saved_by AS savedBy, role'

export class PromptRows {
  readonly #database: Database
  readonly #sql: Statements

  constructor(database: Database, sql: Statements) {
    this.#database = database
    this.#sql = sql
  }

  all(): SavedPrompt[] {
    const rows = this.#sql.all<SavedPrompt>(`SELECT ${COLUMNS} FROM prompt ORDER BY name`)
    return rows.map((row) => ({ ...row }))
  }

  change(name: string, change: PromptChange): SavedPrompt | null {
    return inTransaction(this.#database, () => {
      const row = this.#sql.get<SavedPrompt>(`SELECT ${COLUMNS} FROM prompt WHERE name = ?`, name)
      const count = this.#sql.get<{ count: number }>('SELECT count(*) AS count FROM prompt')?.count ?? 0
      const before = row ? { ...row } : null
      const after = change(before, count)
      if (!after) this.#sql.run('DELETE FROM prompt WHERE name = ?', name)
      else {
        const { text, savedAt, savedBy, role } = after
        this.#sql.run(
          'INSERT OR REPLACE INTO prompt VALUES (?, ?, ?, ?, ?)',
          name,
          text,
          savedAt,
          savedBy,
          role,
        )
      }
      return before
    })
  }
}
