/** What an installation remembers, so that it can be taken back exactly: the file as it was, and as it was left. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { digest } from '../../lib/digest.js'

const InstallRecord = z.strictObject({
  settingsPath: z.string(),
  /** The file before we came; null if there was none. In base 64, because it may be any bytes. */
  before: z.string().nullable(),
  /** Digest of the file as we left it: while it is so, `before` can simply be put back. */
  after: z.string(),
  installedAt: z.string(),
})
export type InstallRecord = z.infer<typeof InstallRecord>

const folderOf = (home: string) => join(home, 'hook', 'installed')
const fileOf = (home: string, settingsPath: string) =>
  join(folderOf(home), `${digest(settingsPath).slice(0, 16)}.json`)

export function readRecord(home: string, settingsPath: string): InstallRecord | null {
  try {
    return InstallRecord.parse(JSON.parse(readFileSync(fileOf(home, settingsPath), 'utf8')))
  } catch {
    return null
  }
}

export function writeRecord(home: string, record: InstallRecord): void {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
  writeFileSync(fileOf(home, record.settingsPath), `${JSON.stringify(record)}\n`, { mode: 0o600 })
}

export function removeRecord(home: string, settingsPath: string): void {
  rmSync(fileOf(home, settingsPath), { force: true })
}

export function hasRecords(home: string): boolean {
  return existsSync(folderOf(home)) && readdirSync(folderOf(home)).length > 0
}

export function digestOfBytes(bytes: Buffer): string {
  return digest(bytes.toString('latin1'))
}
