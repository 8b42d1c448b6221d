/**
 * The lock of a home: one process at a time. It is an uncommitted write transaction on a small database, so the
 * operating system releases it whenever the process ends. The holder is also recorded in the main database: deleting
 * the lock file does not let a second process in.
 */

import { rmSync, statSync } from 'node:fs'
import { type Database, inTransaction, openDatabase } from '../lib/sqlite/driver.js'
import { startTokenOf } from '../lib/start-token.js'
import { HubError } from '../protocol/error.js'

/** Primary result codes of SQLite. */
const BUSY = 5
const DAMAGED: ReadonlySet<number> = new Set([11, 26])
const ATTEMPTS = 5

export interface LockFile {
  /** Whether the locked file is still at the path. */
  isInPlace(): boolean
  /** Locks the file at the path, or a new one. Throws if that fails. */
  retake(): Promise<void>
  /** Idempotent. */
  release(): void
}

/** Another process holds the lock. */
export class AlreadyLocked extends Error {}

export async function lockFile(path: string): Promise<LockFile> {
  let held = await take(path)
  return {
    isInPlace: () => identityOf(path) === held.identity,
    async retake() {
      const next = await take(path)
      held.database.close()
      held = next
    },
    release: () => {
      if (held.database.isOpen) held.database.close()
    },
  }
}

async function take(path: string): Promise<{ database: Database; identity: string | null }> {
  for (let attempt = 1; ; attempt++) {
    let database: Database | null = null
    try {
      database = await openDatabase(path)
      const identity = identityOf(path)
      database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
      // Race: the file may have been replaced between open and lock.
      if (identityOf(path) === identity) return { database, identity }
      database.close()
    } catch (cause) {
      database?.close()
      const code = resultOf(cause)
      if (code === BUSY) throw new AlreadyLocked('The lock is held.', { cause })
      if (!DAMAGED.has(code)) throw unusable(path, cause)
      // A file that is not a database cannot be a held lock.
      rmSync(path, { force: true })
    }
    if (attempt === ATTEMPTS) throw unusable(path, new Error('it is replaced again and again'))
  }
}

function unusable(path: string, cause: unknown): HubError {
  const problem = cause instanceof Error ? cause.message : 'unknown failure'
  return new HubError('home_unusable', `Cannot lock the home with ${path}: ${problem}.`, { path }, { cause })
}

/** Databases claimed by this process. */
const claimed = new Set<string>()

/** A claim on a database. */
export interface DatabaseClaim {
  /**
   * Removes the row, so that another process may claim the database while this one is alive. Throws if the write fails.
   */
  remove(): void
  /** Lets this process claim the database again, even if `remove` failed. */
  forget(): void
}

/** Claims the database. Throws `AlreadyLocked` if another process, or this one, already has. */
export function claimDatabase(database: Database, path: string): DatabaseClaim {
  const identity = identityOf(path) ?? ''
  const token = startTokenOf(process.pid) ?? ''
  if (claimed.has(identity)) throw new AlreadyLocked('This process uses the database already.')
  inTransaction(database, () => {
    if (holderOf(database, identity) !== null) throw new AlreadyLocked('Another process uses the database.')
    database.exec('DELETE FROM holder')
    database.prepare('INSERT INTO holder VALUES (?, ?, ?)').run(process.pid, token, identity)
  })
  claimed.add(identity)
  return {
    remove: () =>
      inTransaction(database, () => {
        database.prepare('DELETE FROM holder WHERE pid = ? AND start_token = ?').run(process.pid, token)
      }),
    forget: () => void claimed.delete(identity),
  }
}

/** PID of the live process that claimed the database; null if there is none, or it is this one. */
export async function findHolder(path: string): Promise<number | null> {
  const identity = identityOf(path)
  if (identity === null) return null
  try {
    const database = await openDatabase(path)
    try {
      database.exec('PRAGMA busy_timeout = 200; PRAGMA query_only = ON')
      return holderOf(database, identity)
    } finally {
      database.close()
    }
  } catch {
    return null // Opening the database reports the problem.
  }
}

function holderOf(database: Database, identity: string): number | null {
  const row = database.prepare('SELECT pid, start_token AS token, file FROM holder').get() as
    | { pid: number; token: string; file: string }
    | undefined
  // Copies, such as backups, keep the row but have another file identity.
  if (!row || row.file !== identity || row.pid === process.pid) return null
  return startTokenOf(row.pid) === row.token ? row.pid : null
}

export function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

function resultOf(error: unknown): number {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : -1
}
