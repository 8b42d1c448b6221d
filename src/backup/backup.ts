/**
 * A copy of a home in one file: the database as of one moment, taken while the daemon works, and the files that belong to
 * it. The admin token and private keys are left out unless they are asked for.
 */

import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '../home.js'
import { refuseLockedFile } from '../lib/locked-file.js'
import { HubError } from '../protocol/error.js'
import { type Database, openDatabase } from '../store/sqlite-driver.js'

/** What a backup holds besides the database. A closed list: a new file of the home is not copied by accident. */
const FILES = ['config.jsonc', 'policy.jsonc', 'audit-seal.json']
const SECRET_FILES = ['token']

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
  reserve(target)
  try {
    const source = await openDatabase(home.database)
    try {
      source.exec('PRAGMA busy_timeout = 5000')
      source.prepare('VACUUM INTO ?').run(target)
    } finally {
      source.close()
    }
    const copy = await openDatabase(target)
    try {
      return fill(copy, options)
    } finally {
      copy.close()
    }
  } catch (error) {
    rmSync(target, { force: true })
    throw error
  }
}

/** Readable by its owner only, before anything is in it. */
function reserve(target: string): void {
  try {
    closeSync(openSync(target, 'wx', 0o600))
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'unknown failure'
    throw new HubError(
      'request_invalid',
      `Cannot create the backup ${target}: ${problem}. Choose a file that does not exist, in a folder that does.`,
      {},
      { cause },
    )
  }
}

function fill(copy: Database, { home, target, hasSecrets, version, now }: BackupOptions): BackupSummary {
  copy.exec(`
    CREATE TABLE backup_info (version TEXT NOT NULL, created_at TEXT NOT NULL);
    CREATE TABLE backup_file (name TEXT PRIMARY KEY, content BLOB NOT NULL);
  `)
  copy.prepare('INSERT INTO backup_info VALUES (?, ?)').run(version, now)
  const files = [...FILES, ...(hasSecrets ? SECRET_FILES : [])].filter((name) => {
    const path = join(home.path, name)
    if (!existsSync(path)) return false
    refuseLockedFile(path)
    copy.prepare('INSERT INTO backup_file VALUES (?, ?)').run(name, readFileSync(path))
    return true
  })
  const count = (table: string) =>
    (copy.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
  return { file: target, sessions: count('session'), events: count('event'), files }
}
