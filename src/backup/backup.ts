/**
 * A copy of a home in one file: the database as of one moment, taken while the daemon works, and the files that belong to
 * it. The admin token and private keys are left out unless they are asked for.
 */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Home } from '../home.js'
import { refuseLockedFile } from '../lib/file/locked-file.js'
import {
  copyPages,
  type Database,
  inTransaction,
  openDatabase,
  withResultCode,
} from '../lib/sqlite/driver.js'
import { machineFaultOf } from '../lib/sqlite/machine-fault.js'
import { HubError } from '../protocol/error.js'
import { replaceIndex } from '../store/sqlite/replace-index.js'

/** Files in a backup besides the database. A whitelist: a new file of the home is not copied by accident. */
const FILES = ['config.jsonc', 'policy.jsonc', 'audit-seal.json']
const SECRET_FILES = ['token']
/** The ending of a copy that still has the index of the search. */
const WHOLE = '-whole'
/** A database, and the files that SQLite makes beside it. */
const COMPANIONS = ['', '-journal', '-wal', '-shm']

export interface BackupOptions {
  home: Home
  /** Must not exist yet. */
  target: string
  hasSecrets: boolean
  version: string
  now: string
}

export interface BackupSummary {
  file: string
  sessions: number
  events: number
  files: string[]
}

export async function writeBackup(options: BackupOptions): Promise<BackupSummary> {
  const { home, target } = options
  if (!existsSync(home.database))
    throw new HubError(
      'home_unusable',
      `There is no database in ${home.path}, so there is nothing to back up.`,
    )
  if (lstatSync(target, { throwIfNoEntry: false })) throw notCreated(target, 'it exists')
  // Atomic: it gets its own name only when it is complete, so that a kill or a crash never leaves a partial
  // backup.
  const part = `${target}.part-${randomBytes(4).toString('hex')}`
  try {
    reserve(part, target)
    await copyDatabase(home.database, part)
    const summary = await complete(part, options)
    publish(part, target)
    return summary
  } finally {
    for (const ending of COMPANIONS) rmSync(`${part}${ending}`, { force: true })
  }
}

/** Readable by its owner only, before anything is in it. */
function reserve(part: string, target: string): void {
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (cause) {
    throw notCreated(target, cause instanceof Error ? cause.message : 'unknown failure', cause)
  }
}

function notCreated(target: string, problem: string, cause?: unknown): HubError {
  return new HubError(
    'request_invalid',
    `Cannot create the backup ${target}: ${problem}. Choose a file that does not exist, in a folder that does.`,
    {},
    { cause },
  )
}

async function copyDatabase(path: string, part: string): Promise<void> {
  try {
    await vacuumInto(path, part, 'NORMAL')
    if (await isIndexWhole(part)) return
  } catch (cause) {
    const error = withResultCode(cause)
    const fault = machineFaultOf(error)
    if (fault === 'locked') throw error
    truncateSync(part)
    // Damaged pages of the index are met in several ways, of which some have no result code or that of too little memory.
    if (fault === null || fault === 'damaged' || fault === 'memory') {
      await copyWithoutIndex(path, part).catch(() => {
        throw error
      })
      return
    }
    // On a full disk there is no room for the index of the write-ahead log. Alone with the database, SQLite needs none.
    await vacuumInto(path, part, 'EXCLUSIVE').catch(() => {
      throw error
    })
    return
  }
  truncateSync(part)
  await copyWithoutIndex(path, part)
}

/** A backup with a damaged index could not be restored: the restore checks all of it. */
async function isIndexWhole(path: string): Promise<boolean> {
  const copy = await openDatabase(path)
  try {
    // A home of an older version may have none.
    if (!copy.prepare("SELECT 1 FROM sqlite_master WHERE name = 'event_text'").get()) return true
    copy.exec("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
    return true
  } catch {
    return false
  } finally {
    copy.close()
  }
}

/**
 * Copies the pages as they are, then leaves the index of the search out: nothing is in it that is not in the events, and the
 * next start builds it again. Rejects if more than the index is damaged.
 */
async function copyWithoutIndex(path: string, part: string): Promise<void> {
  const whole = `${part}${WHOLE}`
  try {
    closeSync(openSync(whole, 'wx', 0o600))
    const source = await openDatabase(path)
    try {
      source.exec('PRAGMA busy_timeout = 5000')
      await copyPages(source, whole)
    } finally {
      source.close()
    }
    const copy = await openDatabase(whole)
    try {
      replaceIndex(copy)
    } finally {
      copy.close()
    }
    await vacuumInto(whole, part, 'NORMAL')
  } finally {
    for (const ending of COMPANIONS) rmSync(`${whole}${ending}`, { force: true })
  }
}

async function vacuumInto(path: string, part: string, locking: 'NORMAL' | 'EXCLUSIVE'): Promise<void> {
  const source = await openDatabase(path)
  try {
    source.exec(`PRAGMA locking_mode = ${locking}; PRAGMA busy_timeout = 5000`)
    source.prepare('VACUUM INTO ?').run(part)
  } finally {
    source.close()
  }
}

/** Adds what is no part of the database, all of it or nothing. */
async function complete(part: string, options: BackupOptions): Promise<BackupSummary> {
  const copy = await openDatabase(part)
  try {
    return inTransaction(copy, () => fill(copy, options))
  } finally {
    copy.close()
  }
}

function fill(copy: Database, { home, target, hasSecrets, version, now }: BackupOptions): BackupSummary {
  copy.exec(`
    CREATE TABLE backup_info (version TEXT NOT NULL, created_at TEXT NOT NULL);
    CREATE TABLE backup_file (name TEXT PRIMARY KEY, content BLOB NOT NULL);
  `)
  const files = [...FILES, ...(hasSecrets ? SECRET_FILES : [])].filter((name) => {
    const path = join(home.path, name)
    if (!existsSync(path)) return false
    refuseLockedFile(path)
    copy.prepare('INSERT INTO backup_file VALUES (?, ?)').run(name, readFileSync(path))
    return true
  })
  copy.prepare('INSERT INTO backup_info VALUES (?, ?)').run(version, now)
  const count = (table: string) =>
    (copy.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
  return { file: target, sessions: count('session'), events: count('event'), files }
}

/** Never over a file that was created in the meantime, where the file system has hard links. */
function publish(part: string, target: string): void {
  const descriptor = openSync(part, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  try {
    linkSync(part, target)
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'EEXIST') throw notCreated(target, 'it exists', cause)
    renameSync(part, target)
  }
}
