/** Record of an installation, so that uninstalling restores the settings file exactly: its content before and after. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { digest } from '../../lib/digest.js'

const InstallRecord = z.strictObject({
  settingsPath: z.string(),
  /** The file before the installation; null if there was none. In Base64, because its encoding is unknown. */
  before: z.string().nullable(),
  /** Digest of the file after the installation. While it matches, uninstalling restores `before`. */
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
