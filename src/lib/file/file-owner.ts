/**
 * Finds users besides this one who could change the file at a path. A file that controls the daemon, or is
 * run by it, must belong to its user or to root, and so must every folder above it: a user with write access
 * to a folder can replace the files in it.
 */

import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

export interface ForeignFile {
  found: string
  fix: string
}

const OTHERS_MAY_WRITE = 0o022
const EVERYBODY_MAY_WRITE = 0o002
const GROUP_MAY_WRITE = 0o020
/** In such a folder a user can rename or delete only their own files. */
const STICKY = 0o1000
/** On macOS, where package managers let it write: its members may become root anyway. */
const MACOS_ADMIN = 80

/** Null if no other user could, if there is no such file, and where files have no owners. */
export function findForeignFile(path: string): ForeignFile | null {
  return statOf(path) === undefined ? null : (findForeignEntry(path) ?? findForeignAbove(path))
}

/** The same without the folders above. */
export function findForeignEntry(path: string): ForeignFile | null {
  const own = process.geteuid?.()
  const entry = own === undefined ? undefined : statOf(path)
  if (own === undefined || entry === undefined) return null
  if (entry.uid !== own && entry.uid !== 0)
    return {
      found: `${path} belongs to another user (uid ${entry.uid}).`,
      fix: `check what is in it, then run "chown ${own} ${path}", or delete it.`,
    }
  const isOpen = entry.isDirectory() ? mayOthersReplace(entry) : (entry.mode & OTHERS_MAY_WRITE) !== 0
  if (!isOpen) return null
  return {
    found: `Other users of this machine may change ${path}.`,
    fix: `check what is in it, then run "chmod go-w ${path}".`,
  }
}

/** The same for the folders above a path, by each of its names. */
export function findForeignAbove(path: string): ForeignFile | null {
  const own = process.geteuid?.()
  if (own === undefined) return null
  for (const name of namesOf(resolve(path))) {
    const foreign = findForeignFolder(dirname(name), own)
    if (foreign) return foreign
  }
  return null
}

function findForeignFolder(folder: string, own: number): ForeignFile | null {
  const entry = statOf(folder)
  if (entry && entry.uid !== own && entry.uid !== 0)
    return {
      found: `The folder ${folder} belongs to another user (uid ${entry.uid}), who can replace what is in it.`,
      fix: 'use a folder that belongs to you, in folders that belong to you or to root.',
    }
  if (entry && mayOthersReplace(entry))
    return {
      found: `Other users of this machine may replace files in ${folder}.`,
      fix: `check what is in it, then run "chmod go-w ${folder}".`,
    }
  const above = dirname(folder)
  return above === folder ? null : findForeignFolder(above, own)
}

function mayOthersReplace({ mode, gid }: Stats): boolean {
  if ((mode & STICKY) !== 0) return false
  if ((mode & EVERYBODY_MAY_WRITE) !== 0) return true
  if ((mode & GROUP_MAY_WRITE) === 0) return false
  // Many systems give each user a group of their own, and let it write.
  const isOwnGroup = gid === 0 || gid === process.getegid?.()
  return !isOwnGroup && !(process.platform === 'darwin' && gid === MACOS_ADMIN)
}

/** As it was given, each link on the way, and where it leads to in the end. */
function namesOf(path: string): Set<string> {
  const names = new Set([path])
  for (let name = path; names.size < 40; ) {
    const target = linkOf(name)
    if (target === null) break
    name = resolve(dirname(name), target)
    names.add(name)
  }
  try {
    names.add(realpathSync(path))
  } catch {
    // It is not there, or cannot be reached: then nothing is read from it.
  }
  return names
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
