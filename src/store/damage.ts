/**
 * Explains why a database cannot be used, in one sentence with the fix: for `start`, `doctor` and every other caller
 * that opens one.
 */

import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Database, openDatabase, withResultCode } from '../lib/sqlite/driver.js'
import { type ErrorCode, HubError } from '../protocol/error.js'
import { describeHolder, lockHolder } from './lock-holder.js'
import { migrate, SCHEMA_VERSION, versionOf } from './sqlite/schema.js'
import { writeFaultIn } from './write-fault.js'

/** Primary result codes of SQLite: the lowest eight bits. */
const SQLITE = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  NOTADB: 26,
} as const

/** The equivalent errno codes, for a failure to open or create the file itself. */
const SYSTEM: Readonly<Record<string, number>> = {
  EISDIR: SQLITE.CANTOPEN,
  EACCES: SQLITE.CANTOPEN,
  EPERM: SQLITE.CANTOPEN,
  EROFS: SQLITE.READONLY,
  ENOSPC: SQLITE.FULL,
  EDQUOT: SQLITE.FULL,
  EIO: SQLITE.IOERR,
}

/** Translates a failure to open or migrate the database into an error with a fix. A `HubError` passes unchanged. */
export function storageErrorOf(error: unknown, path: string): unknown {
  if (error instanceof HubError) return error
  const { errcode: known, code: systemCode } = withResultCode(error) as { errcode?: unknown; code?: unknown }
  const errcode = typeof systemCode === 'string' && systemCode in SYSTEM ? SYSTEM[systemCode] : known
  if (typeof errcode !== 'number') return error
  const [code, sentence] = explain(
    primaryOf(errcode, path),
    path,
    error instanceof Error ? error.message : '',
  )
  return new HubError(code, sentence, { path }, { cause: error })
}

/** On a full disk SQLite reports an I/O error if it cannot extend the WAL index (`-shm`). */
function primaryOf(errcode: number, path: string): number {
  const primary = errcode & 0xff
  if (primary !== SQLITE.IOERR) return primary
  const fault = writeFaultIn(dirname(path))
  if (fault === 'full') return SQLITE.FULL
  return fault === 'read_only' ? SQLITE.READONLY : primary
}

const RESTORE =
  'Restore a backup with "signalbox restore FILE", or move the file and audit-seal.json away to start with an empty database.'

export function isMissing(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

export function dataLost(path: string): HubError {
  return new HubError('storage_damaged', `${path} is missing or empty, but this home had data. ${RESTORE}`, {
    path,
  })
}

function explain(primary: number, path: string, message: string): [ErrorCode, string] {
  switch (primary) {
    case SQLITE.CORRUPT:
      return ['storage_damaged', `The database ${path} is damaged. Keep a copy of it. ${RESTORE}`]
    case SQLITE.NOTADB:
      return ['storage_damaged', `${path} is not an SQLite database. ${RESTORE}`]
    case SQLITE.FULL:
      return ['storage_unavailable', `Cannot write to ${path}: the disk is full. Make room and start again.`]
    case SQLITE.BUSY:
    case SQLITE.PROTOCOL:
      return [
        'storage_unavailable',
        `Cannot use ${path}: ${describeHolder(lockHolder(path))} has locked it. Close that program and start again.`,
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
  /** `flawed`: some rows are damaged; the rest can be used. */
  state: 'missing' | 'ok' | 'flawed' | 'broken'
  found: string
  fix?: string
}

/** Checks the whole database without changing it. May run in another process while a daemon runs. */
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
    const version = versionOf(database)
    const isIndexDamaged = hasDamagedIndex(database)
    const whole = isIndexDamaged ? null : firstProblem(database)
    // Rebuilding a damaged search index leaves unused pages behind. They are no damage as long as the tables are
    // intact.
    const problem = isIndexDamaged || isUnusedPage(whole) ? firstTableProblem(database) : whole
    if (problem !== null)
      return { state: 'broken', found: `The database is damaged: ${problem}.`, fix: RESTORE }
    if (version === 0) return { state: 'broken', found: `${path} is empty.`, fix: RESTORE }
    if (version < 0) {
      return { state: 'broken', found: `The database is damaged: it says schema ${version}.`, fix: RESTORE }
    }
    if (version > SCHEMA_VERSION) {
      const found = `The database was written by a newer version (schema ${version}, known ${SCHEMA_VERSION}).`
      return { state: 'broken', found, fix: 'Update Signalbox, or use another home.' }
    }
    const missing = await missingTable(database, version)
    if (missing !== null)
      return { state: 'broken', found: `The database is damaged: ${missing} is missing.`, fix: RESTORE }
    const { count } = database.prepare('SELECT count(*) AS count FROM session').get() as { count: number }
    const size = (statSync(path).size / 1024 ** 2).toFixed(1)
    const content = `${count} sessions, ${size} MiB, schema ${version}`
    const rows = [...damagedRows(database), ...(isIndexDamaged ? ['index of the search'] : [])]
    if (rows.length === 0) return { state: 'ok', found: `intact: ${content}` }
    const fix = isIndexDamaged && rows.length === 1 ? INDEX_ONLY : FLAWED
    return { state: 'flawed', found: `${content}; damaged: ${rows.join(', ')}.`, fix }
  } finally {
    database.close()
  }
}

function firstProblem(database: Database): string | null {
  const row = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
  return row.quick_check === 'ok' ? null : row.quick_check.slice(0, 120).replaceAll('\n', ' ')
}

function isUnusedPage(problem: string | null): boolean {
  return (
    problem !== null &&
    /^Page \d+:? (?:is )?never used$/.test(problem.replace(/^\*{3} in database main \*{3} /, ''))
  )
}

/** The search index is derived from the events, and rebuilt if it is damaged. */
function hasDamagedIndex(database: Database): boolean {
  try {
    const row = database.prepare("PRAGMA quick_check('event_text')").get() as { quick_check: string }
    return row.quick_check !== 'ok'
  } catch {
    return database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'event_text'").get() !== undefined
  }
}

/** First problem of any table except the search index. */
function firstTableProblem(database: Database): string | null {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'event_text'")
    .all() as { name: string }[]
  for (const { name } of tables) {
    const row = database.prepare(`PRAGMA quick_check('${name.replaceAll("'", "''")}')`).get() as {
      quick_check: string
    }
    if (row.quick_check !== 'ok') return row.quick_check.slice(0, 120).replaceAll('\n', ' ')
  }
  return null
}

const INDEX_ONLY =
  'Nothing is lost: the daemon builds the index again when it meets the damage, which the next search or event shows.'
const FLAWED =
  'Everything else can be used. To get the damaged rows back, restore a backup with "signalbox restore FILE".'

/** The first table or index of this schema version that the database lacks. */
async function missingTable(database: Database, version: number): Promise<string | null> {
  const names = (of: Database) =>
    of
      .prepare("SELECT type || ' ' || name AS name FROM sqlite_master WHERE type IN ('table', 'index')")
      .all()
      .map((row) => (row as { name: string }).name)
  const example = await openDatabase(':memory:')
  try {
    migrate(example, version)
    const found = new Set(names(database))
    return names(example).find((name) => !found.has(name)) ?? null
  } finally {
    example.close()
  }
}

const ROWS: readonly [name: string, table: string, column: string][] = [
  ['session', 'session', 'snapshot'],
  ['options of sessions', 'session_options', 'options'],
  ['request', 'request', 'body'],
]

/** Counts unreadable rows per table. Skips events: there are too many to parse each. */
function damagedRows(database: Database): string[] {
  return ROWS.flatMap(([name, table, column]) => {
    const { count } = database
      .prepare(`SELECT count(*) AS count FROM ${table} WHERE NOT json_valid(${column})`)
      .get() as { count: number }
    return count === 0 ? [] : [`${name} (${count})`]
  })
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
