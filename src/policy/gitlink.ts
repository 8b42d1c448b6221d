/**
 * Folders that a repository has stored as repositories of their own (gitlinks, mode 160000). `git status` and `git diff`
 * look into them, and then the settings of the inner repository name programs that run.
 */

import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readSmallFileSync } from '../lib/regular-file.js'

const GITLINK_MODE = 0o160000
/** Fixed fields of an entry: times, device, inode, mode, owner, size, hash of 20 bytes, flags. */
const FIXED = 62
const MODE_AT = 24
const FLAGS_AT = 60

/** An index of half a million files. What is larger counts as one that cannot be read. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024
const MAX_NAME_BYTES = 16 * 1024

const known = new Map<string, { stamp: string; links: readonly string[] | null }>()
const MAX_KNOWN = 200

/** Paths below the top of the working tree; null where the index cannot be read completely. */
export function gitlinksOf(workspace: string): readonly string[] | null {
  const index = join(gitFolderOf(workspace), 'index')
  const stat = statSync(index, { bigint: true, throwIfNoEntry: false })
  if (!stat) return []
  const stamp = `${stat.mtimeNs}:${stat.size}:${stat.ino}`
  const found = known.get(index)
  if (found?.stamp === stamp) return found.links
  if (known.size >= MAX_KNOWN) known.clear()
  const links = readIndex(index)
  known.set(index, { stamp, links })
  return links
}

function readIndex(path: string): readonly string[] | null {
  try {
    return readLinks(readSmallFileSync(path, MAX_INDEX_BYTES))
  } catch {
    return null
  }
}

/** In a worktree `.git` is a file that names the folder. */
function gitFolderOf(workspace: string): string {
  const path = join(workspace, '.git')
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return path
  const text = readSmallFileSync(path, MAX_NAME_BYTES).toString('utf8')
  const [, folder = ''] = /^gitdir: (.+)/.exec(text) ?? []
  return resolve(workspace, folder.trimEnd())
}

/** Versions 2 and 3 with SHA-1, which git writes unless it is told otherwise. */
export function readLinks(bytes: Buffer): readonly string[] | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = bytes.readUInt32BE(4)
  if (version !== 2 && version !== 3) return null
  const links: string[] = []
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    if (at + FIXED >= bytes.length) return null
    const isExtended = (bytes.readUInt16BE(at + FLAGS_AT) & 0x4000) !== 0
    const start = at + FIXED + (isExtended ? 2 : 0)
    const end = bytes.indexOf(0, start)
    if (end < 0) return null
    if (bytes.readUInt32BE(at + MODE_AT) === GITLINK_MODE) links.push(bytes.toString('utf8', start, end))
    // Padded with NULs to a multiple of eight, at least one of them.
    at += (end - at + 8) & ~7
  }
  return links
}
