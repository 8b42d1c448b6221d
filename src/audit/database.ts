/** Checks the audit in a database file, whether a daemon uses it at the same time or not. Changes nothing. */

import { type Database, openDatabase } from '../lib/sqlite/driver.js'
import { DECISIONS, SEALING_FIELD } from './chain.js'
import { readSeal } from './seal.js'
import { type SuspectRow, type Verification, verifyAudit } from './verify.js'

export async function verifyDatabase(path: string, sealPath: string): Promise<Verification> {
  // Before the rows are read: a daemon may add some in the meantime.
  const sealed = readSeal(sealPath)
  let database: Database | null = null
  try {
    database = await openDatabase(path)
    database.exec('PRAGMA query_only = ON; PRAGMA busy_timeout = 5000; BEGIN')
    const head = database.prepare('SELECT number, hash FROM audit_head').get() as
      | Pick<SuspectRow, 'number' | 'hash'>
      | undefined
    const rows = database.prepare('SELECT number, entry, hash FROM audit ORDER BY number').iterate()
    return verifyAudit(rows as Iterable<SuspectRow>, {
      head: head ?? null,
      sealed,
      needsSeal: needsSeal(database),
    })
  } catch (error) {
    // A table that was dropped or a page that was damaged is a change, too.
    const problem = error instanceof Error ? error.message : String(error)
    return { isIntact: false, rows: 0, brokenAt: 1, problem: `The audit cannot be read: ${problem}.` }
  } finally {
    // A statement that is not collected yet would keep the snapshot, and with it the write-ahead log, beyond the close.
    if (database?.isTransaction) database.exec('ROLLBACK')
    database?.close()
  }
}

/** Databases of older versions do not say. */
function needsSeal(database: Database): boolean {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'audit_state'").get()
  if (!table) return false
  const row = database.prepare('SELECT is_sealed FROM audit_state').get() as
    | { is_sealed: unknown }
    | undefined
  return row?.is_sealed !== 0 || hasSealedEntries(database)
}

/** Whatever the flag says: entries that only a version that seals has written, or decisions without any entry. */
export function hasSealedEntries(database: Database): boolean {
  const entry = database.prepare('SELECT 1 FROM audit WHERE instr(entry, ?) LIMIT 1').get(SEALING_FIELD)
  if (entry) return true
  if (database.prepare('SELECT 1 FROM audit LIMIT 1').get()) return false
  const types = DECISIONS.map(() => '?').join(', ')
  return Boolean(database.prepare(`SELECT 1 FROM event WHERE type IN (${types}) LIMIT 1`).get(...DECISIONS))
}
