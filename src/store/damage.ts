/** Why a database cannot be used, in one sentence with the fix: for `start`, for `doctor` and for whoever opens one. */

import { lstatSync, statSync } from 'node:fs'
import { type ErrorCode, HubError } from '../protocol/error.js'
import { type Database, openDatabase } from './sqlite-driver.js'
import { SCHEMA_VERSION } from './sqlite-schema.js'

/** Primary result codes of SQLite: the lowest eight bits. */
const SQLITE = { BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 } as const

/** The same, where the file itself could not be opened or created. */
const SYSTEM: Readonly<Record<string, number>> = {
  EISDIR: SQLITE.CANTOPEN,
  EACCES: SQLITE.CANTOPEN,
  EPERM: SQLITE.CANTOPEN,
  EROFS: SQLITE.READONLY,
  ENOSPC: SQLITE.FULL,
  EDQUOT: SQLITE.FULL,
  EIO: SQLITE.IOERR,
}

/** What opening or migrating the database failed with, as an error for people. Errors of ours pass unchanged. */
export function storageErrorOf(error: unknown, path: string): unknown {
  if (error instanceof HubError) return error
  const { errcode: known, code: systemCode } = error as { errcode?: unknown; code?: unknown }
  const errcode = typeof systemCode === 'string' && systemCode in SYSTEM ? SYSTEM[systemCode] : known
  if (typeof errcode !== 'number') return error
  const [code, sentence] = explain(errcode & 0xff, path, error instanceof Error ? error.message : '')
  return new HubError(code, sentence, { path }, { cause: error })
}

const RESTORE =
  'Restore a backup with "signalbox restore FILE", or move the file away to start with an empty database.'

function explain(primary: number, path: string, message: string): [ErrorCode, string] {
  switch (primary) {
    case SQLITE.CORRUPT:
      return ['storage_damaged', `The database ${path} is damaged. Keep a copy of it. ${RESTORE}`]
    case SQLITE.NOTADB:
      return ['storage_damaged', `${path} is not an SQLite database. ${RESTORE}`]
    case SQLITE.FULL:
      return ['storage_unavailable', `Cannot write to ${path}: the disk is full. Make room and start again.`]
    case SQLITE.BUSY:
      return [
        'storage_unavailable',
        `Cannot use ${path}: another program has locked it. Close that program and start again.`,
      ]
    case SQLITE.READONLY:
      return [
        'storage_unavailable',
        `Cannot write to ${path}: it is read-only. Check its permissions and its disk.`,
      ]
    case SQLITE.CANTOPEN:
      return isDirectory(path)
        ? ['storage_damaged', `${path} is a directory, not a database. Move it away, or restore a backup.`]
        : ['storage_unavailable', `Cannot open ${path}. Check its permissions and its disk.`]
    case SQLITE.IOERR:
      return ['storage_unavailable', `Cannot read or write ${path}: the disk reports an error (${message}).`]
    default:
      return ['storage_damaged', `The database ${path} cannot be used: ${message}. ${RESTORE}`]
  }
}

export interface DatabaseHealth {
  state: 'missing' | 'ok' | 'broken'
  found: string
  fix?: string
}

/** Reads the whole structure of the database and changes nothing. May run beside a daemon, from another process. */
export async function inspectDatabase(path: string): Promise<DatabaseHealth> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return { state: 'missing', found: 'made at the first start' }
  try {
    if (!stat.isDirectory()) return await inspectFile(path)
    throw storageErrorOf({ errcode: SQLITE.CANTOPEN }, path)
  } catch (error) {
    const explained = storageErrorOf(error, path)
    const message = explained instanceof Error ? explained.message : String(explained)
    const [found = message, ...fix] = message.split(/(?<=\.) /)
    return { state: 'broken', found, ...(fix.length > 0 && { fix: fix.join(' ') }) }
  }
}

async function inspectFile(path: string): Promise<DatabaseHealth> {
  const database = await openDatabase(path)
  try {
    database.exec('PRAGMA query_only = ON; PRAGMA busy_timeout = 2000')
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
      user_version: number
    }
    const problem = firstProblem(database)
    if (problem !== null)
      return { state: 'broken', found: `The database is damaged: ${problem}.`, fix: RESTORE }
    if (version === 0) return { state: 'broken', found: `${path} is empty.`, fix: RESTORE }
    if (version > SCHEMA_VERSION) {
      const found = `The database was written by a newer version (schema ${version}, known ${SCHEMA_VERSION}).`
      return { state: 'broken', found, fix: 'Update Signalbox, or use another home.' }
    }
    const { count } = database.prepare('SELECT count(*) AS count FROM session').get() as { count: number }
    const size = (statSync(path).size / 1024 ** 2).toFixed(1)
    return { state: 'ok', found: `intact: ${count} sessions, ${size} MiB, schema ${version}` }
  } finally {
    database.close()
  }
}

function firstProblem(database: Database): string | null {
  const row = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
  return row.quick_check === 'ok' ? null : row.quick_check.slice(0, 120).replaceAll('\n', ' ')
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
