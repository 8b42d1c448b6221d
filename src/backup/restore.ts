/**
 * Puts a backup in the place of a home's data. Nothing is deleted: what was there is moved into a folder beside it. A
 * marker file is there from the first rename to the last, so that a restore that was cut off never looks like an empty home.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { verifyDatabase } from '../audit/database.js'
import { auditEntry } from '../audit/entry.js'
import { writeSeal } from '../audit/seal.js'
import type { Verification } from '../audit/verify.js'
import { type Home, homeAt, lockHome, RESTORE_MARKER } from '../home.js'
import { createIdSource } from '../lib/id.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import { HubError } from '../protocol/error.js'
import { openSqliteStore } from '../store/sqlite/store.js'
import { type BackupContent, copyBackup } from './backup-content.js'
import {
  applyRights,
  describeRights,
  type PresentRights,
  type RestoredRights,
  readPresentRights,
} from './present-right.js'

export interface RestoreOptions {
  home: Home
  source: string
  /** The user who restores, for the audit. */
  who: string
  now: string
  /** Brings back tokens, logins, trust and grants as they are in the backup, also those that were revoked since. */
  isKeepingTokens?: boolean
}

export interface RestoreSummary {
  createdAt: string
  version: string
  files: string[]
  /** Rights of the backup that were not restored; null if all of them were. */
  rights: RestoredRights | null
  /** Where the data that was there before is now; null if there was none. */
  replaced: string | null
}

const DATABASE_FILES = ['', '-wal', '-shm', '-journal'].map((ending) => `signalbox.db${ending}`)
/** Events of a runner in a process of its own: they belong to the data that is replaced. */
const SPOOL = 'spool.jsonl'
const STAGING = 'restoring-'
/** A name that older versions used for the same. */
const OLD_STAGING = 'signalbox.db.restoring'

export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { home, source, now, isKeepingTokens = false } = options
  const lock = await lockHome(home)
  try {
    removeStaging(home)
    // A folder of its own: what an interrupted restore has left of a write-ahead log must not meet another database.
    const staged = homeAt(join(home.path, `${STAGING}${createIdSource().next('res')}`))
    mkdirSync(staged.path, { mode: 0o700 })
    const content = await copyBackup(source, staged.database)
    // The token of the home may have been rotated because it had leaked.
    const isTokenKept = !isKeepingTokens && existsSync(join(home.path, 'token'))
    const files = content.files.filter(({ name }) => name !== 'token' || !isTokenKept)
    const present = isKeepingTokens ? null : await readPresentRights(home.database)
    const rights = await recordRestore(staged, options, content, present)
    for (const { name, content: bytes } of files)
      writeFileSync(join(staged.path, name), bytes, { mode: 0o600, flush: true })
    // The audit of a backup may have had a problem before; that does not keep its data from being restored.
    const audit = await verifyDatabase(staged.database, staged.auditSeal)
    const replaced = swap(home, staged, files, now)
    putAwaySpool(home, replaced)
    await checkResult(home, audit)
    rmSync(join(home.path, RESTORE_MARKER), { force: true })
    const { version, createdAt } = content
    return { version, createdAt, files: files.map(({ name }) => name), rights, replaced }
  } finally {
    removeStaging(home)
    lock.release()
  }
}

/** Also what a restore that was cut off has left. */
function removeStaging({ path }: Home): void {
  for (const name of readdirSync(path))
    if (name.startsWith(STAGING) || name.startsWith(OLD_STAGING))
      rmSync(join(path, name), { recursive: true, force: true })
}

/** Of the data that is replaced; 0 where that cannot be read. */
async function lastPositionIn(path: string): Promise<number> {
  if (!existsSync(path)) return 0
  try {
    const database = await openDatabase(path)
    try {
      database.exec('PRAGMA query_only = ON')
      const row = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'event'").get() as
        | { seq: unknown }
        | undefined
      return typeof row?.seq === 'number' ? row.seq : 0
    } finally {
      database.close()
    }
  } catch {
    return 0
  }
}

/** Migrates the copy, writes the restore into its audit, and keeps numbers of lost events from coming again. */
async function recordRestore(
  { database: path, auditSeal }: Home,
  { home, source, who, now, isKeepingTokens = false }: RestoreOptions,
  { createdAt }: BackupContent,
  present: PresentRights | null,
): Promise<RestoredRights | null> {
  const ids = createIdSource()
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  try {
    await store.breakLog(Math.max(Date.parse(now), (await lastPositionIn(home.database)) + 1))
    const rights = isKeepingTokens
      ? null
      : await applyRights(store, present, { who, now, newId: () => ids.next('evt') })
    const told = rights
      ? describeRights(rights)
      : ' Tokens, logins, trust and grants are those of the backup.'
    const reason = `Restored from ${source}, taken at ${createdAt}.${told}`
    const row = { who, via: 'cli' as const, by: 'person', subject: 'database', verdict: 'restored', reason }
    await store.addAudit(auditEntry({ at: now, kind: 'storage.restored', ...row }))
    if (!(await store.isAuditSealed())) await store.setAuditSealed()
    writeSeal(auditSeal, await store.auditHead())
    return rights
  } finally {
    await store.close()
  }
}

function swap(home: Home, staged: Home, files: BackupContent['files'], now: string): string | null {
  const folder = join(home.path, `replaced-${now.replaceAll(/[:.]/g, '-')}`)
  writeFileSync(join(home.path, RESTORE_MARKER), `${now}\n`, { mode: 0o600, flush: true })
  const restored = ['signalbox.db', 'audit-seal.json', ...files.map(({ name }) => name)]
  const present = [...new Set([...DATABASE_FILES, ...restored])].filter((name) =>
    existsSync(join(home.path, name)),
  )
  if (present.length > 0) mkdirSync(folder, { mode: 0o700 })
  for (const name of present) renameSync(join(home.path, name), join(folder, name))
  for (const name of restored) renameSync(join(staged.path, name), join(home.path, name))
  return present.length > 0 ? folder : null
}

/** Its entries would be stored once more, in a log that does not know them. */
function putAwaySpool({ path }: Home, replaced: string | null): void {
  const spool = join(path, 'run', SPOOL)
  if (!existsSync(spool)) return
  if (replaced === null) rmSync(spool)
  else renameSync(spool, join(replaced, SPOOL))
}

/** As it is in place: the marker stays if it is not what was staged, and no daemon starts on it. */
async function checkResult({ database: path, auditSeal }: Home, expected: Verification): Promise<void> {
  const found = await verifyDatabase(path, auditSeal)
  const problem =
    (await quickCheck(path)) ?? (isDeepStrictEqual(found, expected) ? null : 'its audit differs')
  if (problem === null) return
  throw new HubError(
    'storage_damaged',
    `The restored data is not what is in the backup: ${problem}. Run the restore again; the data from before it is in the folders "replaced-…".`,
  )
}

async function quickCheck(path: string): Promise<string | null> {
  const database = await openDatabase(path)
  try {
    const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
    return found === 'ok' ? null : found
  } finally {
    database.close()
  }
}
