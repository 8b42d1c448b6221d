/** Takes a backup apart: a copy of its database, checked, and the files that it holds. */

import { copyFileSync, statSync, writeFileSync } from 'node:fs'
import { refuseLockedFile } from '../lib/file/locked-file.js'
import { type Database, openDatabase } from '../lib/sqlite/driver.js'
import { machineFaultOf } from '../lib/sqlite/machine-fault.js'
import { HubError } from '../protocol/error.js'

export interface BackupContent {
  version: string
  createdAt: string
  /** Without the seal of its audit: the restore is an entry itself, so another one is made. */
  files: { name: string; content: Uint8Array }[]
}

const KNOWN_FILES: ReadonlySet<string> = new Set(['config.jsonc', 'policy.jsonc', 'audit-seal.json', 'token'])

/** Signalbox has no triggers: they would run with its next writes. Its views are those of the lifecycle tables. */
const FOREIGN = `SELECT name FROM sqlite_master WHERE type = 'trigger'
  OR (type = 'view' AND name NOT IN ('lifecycle_session_states', 'lifecycle_skill_states'))`

/** The target must not exist, and nothing with its name and a further ending. */
export async function copyBackup(source: string, target: string): Promise<BackupContent> {
  const found = statSync(source, { throwIfNoEntry: false })
  if (!found) throw new HubError('request_invalid', `There is no file ${source}.`)
  if (!found.isFile())
    throw new HubError(
      'request_invalid',
      `${source} is not a file. Name a file that "signalbox backup" wrote.`,
    )
  refuseLockedFile(source)
  writeFileSync(target, '', { mode: 0o600 })
  copyFileSync(source, target)
  try {
    const database = await openDatabase(target)
    try {
      return takeApart(database)
    } finally {
      database.close()
    }
  } catch (cause) {
    const fault = machineFaultOf(cause)
    // No room for the copy, for example: that says nothing about the backup.
    if (fault !== null && fault !== 'damaged') throw cause
    throw new HubError(
      'storage_damaged',
      `${source} is not a backup of Signalbox, or it is damaged. Nothing was changed.`,
      {},
      { cause },
    )
  }
}

function takeApart(database: Database): BackupContent {
  const check = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string }
  if (check.integrity_check !== 'ok') throw new Error(check.integrity_check)
  const foreign = database.prepare(FOREIGN).get() as { name: string } | undefined
  if (foreign) throw new Error(`unknown part ${foreign.name}`)
  const info = database.prepare('SELECT version, created_at AS createdAt FROM backup_info').get() as
    | { version: string; createdAt: string }
    | undefined
  if (!info) throw new Error('no backup_info')
  const files = database.prepare('SELECT name, content FROM backup_file').all() as {
    name: string
    content: Uint8Array
  }[]
  const unknown = files.find(({ name }) => !KNOWN_FILES.has(name))
  if (unknown) throw new Error(`unknown file ${unknown.name}`)
  database.exec('DROP TABLE backup_info; DROP TABLE backup_file')
  return { ...info, files: files.filter(({ name }) => name !== 'audit-seal.json') }
}
