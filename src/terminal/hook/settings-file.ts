/** A settings file on disk: resolves symlinks, reads it, and replaces it atomically. */

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
  /** The path with symlinks resolved, so that replacing the file keeps the symlink. */
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

/** Also resolves a symlink whose target does not exist yet. */
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
  // Checks the mode instead of access rights: root may write everything.
  if ((stats.mode & 0o222) === 0) return 'It is read-only.'
  return null
}

/**
 * Replaces the file atomically, keeping mode and owner. Race: false if another program, such as Claude Code, changed it
 * since it was read. `bytes` null removes it.
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
    // Only root may change the owner. Any other user already owns the file.
  }
}
