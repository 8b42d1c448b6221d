/** A settings file on the disk: where it really is, what it holds, and how it is replaced without a moment of half. */

import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isMissingFile, readSmallFileSync } from '../../lib/file/regular-file.js'

export interface SettingsFile {
  /** Where it is when links are followed: the link itself stays. */
  readonly path: string
  /** Null if there is none. */
  readonly bytes: Buffer | null
}

const LINKS = 20
const MAX_BYTES = 16 * 1024 * 1024

export function readSettingsFile(path: string): SettingsFile {
  const real = followLinks(path)
  try {
    return { path: real, bytes: readSmallFileSync(real, MAX_BYTES) }
  } catch (error) {
    if (isMissingFile(error)) return { path: real, bytes: null }
    throw error
  }
}

/** Also where the last link leads to a file that is not there yet. */
function followLinks(path: string): string {
  let real = resolve(path)
  for (let step = 0; step < LINKS; step++) {
    const stats = lstatSync(real, { throwIfNoEntry: false })
    if (!stats?.isSymbolicLink()) return real
    real = resolve(dirname(real), readlinkSync(real))
  }
  throw new Error(`${path} is a link that leads in a circle.`)
}

/** Why the file cannot be replaced; null if it can. */
export function whyNotWritable({ path, bytes }: SettingsFile): string | null {
  if (bytes === null) return null
  const stats = statSync(path)
  if (!stats.isFile()) return 'It is not a file.'
  // The mode, not the right to write: the administrator may write everything.
  if ((stats.mode & 0o222) === 0) return 'It is read-only.'
  return null
}

/**
 * Replaces the file in one step, with its mode and owner. False if somebody has changed it since it was read: Claude Code
 * writes this file itself. With `bytes` null it is removed.
 */
export function replaceSettingsFile(file: SettingsFile, bytes: Buffer | null): boolean {
  const { path } = file
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.signalbox-${process.pid}.tmp`
  try {
    if (bytes !== null) writeDraft(draft, bytes, statSync(path, { throwIfNoEntry: false }) ?? null)
    const now = readSettingsFile(path).bytes
    const isUnchanged = now === null ? file.bytes === null : file.bytes !== null && now.equals(file.bytes)
    if (!isUnchanged) return false
    if (bytes === null) rmSync(path, { force: true })
    else renameSync(draft, path)
    return true
  } finally {
    rmSync(draft, { force: true })
  }
}

function writeDraft(
  draft: string,
  bytes: Buffer,
  like: { mode: number; uid: number; gid: number } | null,
): void {
  const file = openSync(draft, 'wx', like ? like.mode & 0o777 : 0o644)
  try {
    writeSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (!like) return
  chmodSync(draft, like.mode & 0o777)
  try {
    chownSync(draft, like.uid, like.gid)
  } catch {
    // Only the administrator may give files away; for everybody else it is theirs already.
  }
}
