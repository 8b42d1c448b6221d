/**
 * Puts a backup in the place of a home's data. Nothing is deleted: what was there is moved into a folder beside it. A
 * marker file is there from the first rename to the last, so that a restore that was cut off is never taken for an empty home.
 */

import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditHead } from '../audit/chain.js'
import { auditEntry } from '../audit/entry.js'
import { writeSeal } from '../audit/seal.js'
import { type Home, lockHome, RESTORE_MARKER } from '../home.js'
import { createIdSource } from '../lib/id.js'
import { refuseLockedFile } from '../lib/locked-file.js'
import { HubError } from '../protocol/error.js'
import { openSqliteStore } from '../store/sqlite.js'
import { type Database, openDatabase } from '../store/sqlite-driver.js'
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
  /** Who restores, for the audit. */
  who: string
  now: string
  /** Brings back tokens, logins, trust and grants as they are in the backup, also those that were revoked since. */
  isKeepingTokens?: boolean
}

export interface RestoreSummary {
  createdAt: string
  version: string
  files: string[]
  /** What of the rights in the backup was not brought back; null if all of it was. */
  rights: RestoredRights | null
  /** Where the data that was there before is now; null if there was none. */
  replaced: string | null
}

const DATABASE_FILES = ['signalbox.db', 'signalbox.db-wal', 'signalbox.db-shm']

export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { home, source, now, isKeepingTokens = false } = options
  const lock = await lockHome(home)
  try {
    const staged = join(home.path, 'signalbox.db.restoring')
    rmSync(staged, { force: true })
    const content = await stage(source, staged)
    // The token of the home may have been replaced because somebody else had it.
    const isTokenKept = !isKeepingTokens && existsSync(join(home.path, 'token'))
    const files = content.files.filter(({ name }) => name !== 'token' || !isTokenKept)
    const present = isKeepingTokens ? null : await readPresentRights(home.database)
    const { seal, rights } = await recordRestore(staged, options, content, present)
    const replaced = swap(home, staged, files, now)
    writeSeal(home.auditSeal, seal)
    rmSync(join(home.path, RESTORE_MARKER), { force: true })
    const { version, createdAt } = content
    return { version, createdAt, files: files.map(({ name }) => name), rights, replaced }
  } finally {
    lock.release()
  }
}

interface BackupContent {
  version: string
  createdAt: string
  files: { name: string; content: Uint8Array }[]
}

/** Copies the backup, checks the copy, and takes out what only a backup has. */
async function stage(source: string, staged: string): Promise<BackupContent> {
  if (!existsSync(source)) throw new HubError('request_invalid', `There is no file ${source}.`)
  refuseLockedFile(source)
  refuseLockedFile(staged)
  writeFileSync(staged, '', { mode: 0o600 })
  copyFileSync(source, staged)
  try {
    const database = await openDatabase(staged)
    try {
      return readContent(database)
    } finally {
      database.close()
    }
  } catch (cause) {
    rmSync(staged, { force: true })
    throw new HubError(
      'storage_damaged',
      `${source} is not a backup of Signalbox, or it is damaged. Nothing was changed.`,
      {},
      { cause },
    )
  }
}

function readContent(database: Database): BackupContent {
  const check = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string }
  if (check.integrity_check !== 'ok') throw new Error(check.integrity_check)
  const info = database.prepare('SELECT version, created_at AS createdAt FROM backup_info').get() as
    | { version: string; createdAt: string }
    | undefined
  if (!info) throw new Error('no backup_info')
  const files = database.prepare('SELECT name, content FROM backup_file').all() as {
    name: string
    content: Uint8Array
  }[]
  const known = new Set(['config.jsonc', 'policy.jsonc', 'audit-seal.json', 'token'])
  const unknown = files.find(({ name }) => !known.has(name))
  if (unknown) throw new Error(`unknown file ${unknown.name}`)
  database.exec('DROP TABLE backup_info; DROP TABLE backup_file')
  return { ...info, files: files.filter(({ name }) => name !== 'audit-seal.json') }
}

/** Migrates the copy and writes the restore into its audit. */
async function recordRestore(
  staged: string,
  { source, who, now, isKeepingTokens = false }: RestoreOptions,
  { createdAt }: BackupContent,
  present: PresentRights | null,
): Promise<{ seal: AuditHead; rights: RestoredRights | null }> {
  const ids = createIdSource()
  const store = await openSqliteStore({ path: staged, newId: () => ids.next('evt') })
  try {
    const rights = isKeepingTokens
      ? null
      : await applyRights(store, present, { who, now, newId: () => ids.next('evt') })
    const told = rights
      ? describeRights(rights)
      : ' Tokens, logins, trust and grants are those of the backup.'
    const reason = `Restored from ${source}, taken at ${createdAt}.${told}`
    const row = { who, via: 'cli' as const, by: 'person', subject: 'database', verdict: 'restored', reason }
    await store.addAudit(auditEntry({ at: now, kind: 'storage.restored', ...row }))
    return { seal: await store.auditHead(), rights }
  } finally {
    await store.close()
  }
}

function swap(home: Home, staged: string, files: BackupContent['files'], now: string): string | null {
  const folder = join(home.path, `replaced-${now.replaceAll(/[:.]/g, '-')}`)
  writeFileSync(join(home.path, RESTORE_MARKER), `${now}\n`, { mode: 0o600 })
  const names = [...DATABASE_FILES, 'audit-seal.json', ...files.map(({ name }) => name)]
  const present = names.filter((name) => existsSync(join(home.path, name)))
  if (present.length > 0) mkdirSync(folder, { mode: 0o700 })
  for (const name of present) renameSync(join(home.path, name), join(folder, name))
  renameSync(staged, join(home.path, 'signalbox.db'))
  for (const { name, content } of files) writeFileSync(join(home.path, name), content, { mode: 0o600 })
  return present.length > 0 ? folder : null
}
