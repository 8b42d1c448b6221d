/** Looks at files on disk before they are recorded: what they are, how large, and whether they can be read. */

import { accessSync, constants, lstatSync, type Stats } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { type BytePath, bytesOf, folderOf, isGitPath } from '../byte-path.js'
import type { LeftFile, MetaChange } from './meta.js'

export interface Inspection extends Pick<MetaChange, 'modes' | 'left'> {
  /** Files to record as they are. */
  store: readonly BytePath[]
  /** Paths at which there is no file any more, or none that is recorded. */
  remove: readonly BytePath[]
  /** Those of them at which there is a folder now. Git does not list its files before the file is forgotten. */
  replaced: readonly BytePath[]
  /** Bytes of the files to record. */
  bytes: number
}

/** Files that are looked at between two turns of the event loop. */
const SLICE = 500

/** `paths`: those that may have changed. */
export async function inspect(
  workspace: string,
  paths: readonly BytePath[],
  maxFileBytes: number,
): Promise<Inspection> {
  const store: BytePath[] = []
  const remove: BytePath[] = []
  const replaced: BytePath[] = []
  const modes = new Map<BytePath, { kind: 'file' | 'program' | 'folder'; mode: number } | null>()
  const left = new Map<BytePath, LeftFile | null>()
  const folders = new Set<BytePath>()
  let bytes = 0
  for (const [index, path] of paths.entries()) {
    if (index % SLICE === SLICE - 1) await turn()
    const stats = statsAt(workspace, path)
    const reason = stats === null ? null : reasonToLeave(workspace, path, stats, maxFileBytes)
    const isRecorded = stats !== null && reason === null && (stats.isFile() || stats.isSymbolicLink())
    left.set(path, reason === null || stats === null ? null : leftFile(reason, stats))
    if (!isRecorded) {
      remove.push(path)
      if (stats?.isDirectory()) replaced.push(path)
      modes.set(path, null)
      continue
    }
    store.push(path)
    bytes += stats.isFile() ? stats.size : 0
    modes.set(path, stats.isFile() ? permissions(stats) : null)
    folders.add(folderOf(path))
  }
  for (const folder of folders) {
    const stats = folder === '' ? null : statsAt(workspace, folder)
    if (stats?.isDirectory()) modes.set(folder, { kind: 'folder', mode: stats.mode & 0o7777 })
  }
  return { store, remove, replaced, modes, left, bytes }
}

/** Null: there is nothing by this name. */
export function statsAt(workspace: string, path: BytePath): Stats | null {
  try {
    return lstatSync(absolute(workspace, path))
  } catch {
    return null
  }
}

export function absolute(workspace: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${workspace}/`), bytesOf(path)])
}

function reasonToLeave(
  workspace: string,
  path: BytePath,
  stats: Stats,
  maxFileBytes: number,
): LeftFile['reason'] | null {
  if (stats.isDirectory()) return null
  if (isGitPath(path)) return 'reserved'
  if (stats.isSymbolicLink()) return null
  if (!stats.isFile()) return 'special'
  if (stats.size > maxFileBytes) return 'large'
  return isReadable(workspace, path) ? null : 'unreadable'
}

function isReadable(workspace: string, path: BytePath): boolean {
  try {
    accessSync(absolute(workspace, path), constants.R_OK)
    return true
  } catch {
    return false
  }
}

function leftFile(reason: LeftFile['reason'], { size, mtimeMs, ctimeMs }: Stats): LeftFile {
  return { reason, size, stamp: `${mtimeMs}:${ctimeMs}` }
}

function permissions({ mode }: Stats): { kind: 'file' | 'program'; mode: number } {
  return { kind: (mode & 0o100) === 0 ? 'file' : 'program', mode: mode & 0o7777 }
}
