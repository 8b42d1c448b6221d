/** Opens an SQLite database with what this machine has: the packaged driver, or the one built into newer Node versions. */

import { closeSync, openSync } from 'node:fs'
import type {
  backup,
  DatabaseSync,
  DatabaseSyncInstance,
  StatementSyncInstance,
} from '@photostructure/sqlite'
import { noteLockedFile } from '../file/locked-file.js'
import { CORRUPT_VTAB } from './machine-fault.js'

export type Database = DatabaseSyncInstance
export type Statement = StatementSyncInstance

export async function openDatabase(path: string): Promise<Database> {
  const { DatabaseSync: Driver } = await loadDriver()
  if (path === ':memory:') return new Driver(path)
  createPrivateFile(path)
  const database = new Driver(path)
  const release = noteLockedFile(path)
  const close = database.close.bind(database)
  Object.defineProperty(database, 'close', {
    value: () => {
      close()
      release()
    },
  })
  return database
}

/**
 * Creates the file, so that it and its companions are readable by their owner only. A file that exists is never opened
 * here: closing it again would drop the locks that this process may have on it.
 */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
}

/** Copies a database page by page into a file, without looking at what is in them: damaged ones as well. */
export async function copyPages(database: Database, target: string): Promise<void> {
  const { backup } = await loadDriver()
  await backup(database, target, { rate: PAGES_AT_ONCE })
}

/** All in one step: a source that another process writes meanwhile would be begun again and again. */
const PAGES_AT_ONCE = -1

interface Driver {
  DatabaseSync: typeof DatabaseSync
  backup: typeof backup
}

async function loadDriver(): Promise<Driver> {
  try {
    return await import('@photostructure/sqlite')
  } catch (cause) {
    // The name is a value, so that Node 20, which has no such module, does not look for it before it is needed.
    const builtIn = 'node:sqlite'
    try {
      return (await import(builtIn)) as Driver // The packaged driver has the same API.
    } catch {
      throw new Error(
        'No SQLite driver works on this machine. Reinstall with "npm install", or use Node 22.13 or newer.',
        {
          cause,
        },
      )
    }
  }
}

/** SQLite's own words for its result codes, as far as they matter. Those of its full-text search begin with its name. */
const RESULTS: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'out of memory': 7,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'locking protocol': 15,
  'file is not a database': 26,
}

/** The packaged driver (1.2.1) gives no result code for what fails in `all` and `iterate`: it is added from the message. */
export function withResultCode(error: unknown): unknown {
  if (!(error instanceof Error) || 'errcode' in error) return error
  const { message } = error
  const errcode = message.startsWith('fts5: corrupt') ? CORRUPT_VTAB : RESULTS[message]
  return errcode === undefined ? error : Object.assign(error, { errcode })
}

/** From now on a commit is on the disk when it returns. */
export function makeDurable(database: Database): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000')
  // The log of writes is folded into the file in larger steps; that changes the speed, not the safety.
  database.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -16000')
}

/** Runs `work` in one transaction: all of it, or nothing. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** The same, without waiting for the disk: it outlives the process, but a power cut may take it until a durable commit follows. */
export function inQuickTransaction<T>(database: Database, work: () => T): T {
  database.exec('PRAGMA synchronous = NORMAL')
  try {
    return inTransaction(database, work)
  } finally {
    database.exec('PRAGMA synchronous = FULL')
  }
}
