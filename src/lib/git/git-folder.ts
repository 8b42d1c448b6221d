/** Where git keeps the repository of a folder, found as git finds it: no program is run. */

import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readSmallFileSync } from '../file/regular-file.js'

const MAX_BYTES = 4_096

export interface GitFolder {
  /** The top of the working tree. */
  top: string
  /** The git folder of this working tree: `HEAD` and the index are here. */
  own: string
  /** The git folder of the repository: objects and branches are here. The same unless the working tree is a linked one. */
  common: string
}

/** Null outside of a repository. */
export function findGitFolder(folder: string): GitFolder | null {
  const path = join(folder, '.git')
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return { top: folder, own: path, common: path }
  if (stats?.isFile()) {
    const target = /^gitdir: (.+)/m.exec(readSmallText(path) ?? '')?.[1]
    return target === undefined ? null : linked(folder, resolve(folder, target.trim()))
  }
  const parent = dirname(folder)
  return parent === folder ? null : findGitFolder(parent)
}

/** A linked working tree names the folder of its repository; a submodule has one of its own. */
function linked(top: string, own: string): GitFolder {
  const named = readSmallText(join(own, 'commondir'))?.trim()
  return { top, own, common: named === undefined ? own : resolve(own, named) }
}

/**
 * Whether the repository knows this working tree as its own. A `.git` file or symlink that was put there can name any
 * repository of this machine.
 */
export function isOwnGitFolder({ top, own }: GitFolder): boolean {
  const path = join(top, '.git')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return own === path
  if (!stats?.isFile()) return false
  const back = readSmallText(join(own, 'gitdir'))?.trim()
  if (back !== undefined) return realFolder(resolve(own, back)) === realFolder(path)
  // A submodule is kept in the git folder of the repository around it.
  const modules = own.lastIndexOf('/.git/modules/')
  return modules > 0 && realFolder(top).startsWith(`${realFolder(own.slice(0, modules))}/`)
}

/** Null if it cannot be read, or is large. */
export function readSmallText(path: string, maxBytes = MAX_BYTES): string | null {
  try {
    return readSmallFileSync(path, maxBytes).toString('utf8')
  } catch {
    return null
  }
}

/** The commit that is checked out; null if there is none, or it cannot be read. */
export function readHead({ own, common }: GitFolder): string | null {
  let text = readSmallText(join(own, 'HEAD'))?.trim() ?? ''
  for (let depth = 0; depth < 5; depth += 1) {
    const name = /^ref: (refs\/[^\0\n]+)$/.exec(text)?.[1]
    if (name === undefined) return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : null
    if (name.split('/').includes('..')) return null
    text = readSmallText(join(common, name))?.trim() ?? packedReference(common, name) ?? ''
  }
  return null
}

const MAX_PACKED_BYTES = 64 * 1024 * 1024

function packedReference(common: string, name: string): string | null {
  const lines = readSmallText(join(common, 'packed-refs'), MAX_PACKED_BYTES)?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${name}`))?.split(' ')[0] ?? null
}

/** Whether the ids of its objects are SHA-256. */
export function isSha256({ common }: GitFolder): boolean {
  return /objectformat\s*=\s*sha256/i.test(readSmallText(join(common, 'config'), 1024 * 1024) ?? '')
}

/** The real path of a folder; the same if it is gone. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
