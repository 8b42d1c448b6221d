/** Runners in processes of their own: how far what each has numbered is stored, in the same commit as that. */

import { type Database, inTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { AppendGroup, Refusal } from '../port/append.js'

interface MachineRow {
  spool: string
  epoch: number
  lastN: number
}

export class MachineRows {
  readonly #database: Database
  readonly #sql: Statements

  constructor(database: Database, sql: Statements) {
    this.#database = database
    this.#sql = sql
  }

  #row(machine: string): MachineRow | undefined {
    return this.#sql.get('SELECT spool, epoch, last_n AS lastN FROM machine WHERE id = ?', machine)
  }

  join(machine: string, spool: string): { epoch: number; lastN: number } {
    return inTransaction(this.#database, () => {
      const known = this.#row(machine)
      if (known?.spool === spool) return { epoch: known.epoch, lastN: known.lastN }
      const epoch = (known?.epoch ?? 0) + 1
      this.#sql.run('INSERT OR REPLACE INTO machine VALUES (?, ?, ?, 0)', machine, spool, epoch)
      return { epoch, lastN: 0 }
    })
  }

  /** Counts the group as taken, within the commit that stores or refuses it. */
  take({ machine, epoch, n }: NonNullable<AppendGroup['from']>): Refusal | null {
    const known = this.#row(machine)
    if (known?.epoch !== epoch) return { kind: 'fenced' }
    if (n <= known.lastN) return { kind: 'repeated' }
    this.#sql.run('UPDATE machine SET last_n = ? WHERE id = ?', n, machine)
    return null
  }
}
