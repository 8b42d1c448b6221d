/** Checks the audit in a database file, whether a daemon uses it at the same time or not. Changes nothing. */

import { openDatabase } from '../store/sqlite-driver.js'
import { readSeal } from './seal.js'
import { type SuspectRow, type Verification, verifyAudit } from './verify.js'

export async function verifyDatabase(path: string, sealPath: string): Promise<Verification> {
  // Before the rows are read: a daemon may add some in the meantime.
  const sealed = readSeal(sealPath)
  const database = await openDatabase(path)
  try {
    database.exec('PRAGMA query_only = ON; PRAGMA busy_timeout = 5000; BEGIN')
    const head = database.prepare('SELECT number, hash FROM audit_head').get() as
      | Pick<SuspectRow, 'number' | 'hash'>
      | undefined
    const rows = database.prepare('SELECT number, entry, hash FROM audit ORDER BY number').iterate()
    return verifyAudit(rows as Iterable<SuspectRow>, { head: head ?? null, sealed })
  } finally {
    // A statement that is not collected yet would keep the snapshot, and with it the write-ahead log, beyond the close.
    if (database.isTransaction) database.exec('ROLLBACK')
    database.close()
  }
}
