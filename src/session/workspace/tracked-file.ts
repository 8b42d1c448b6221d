/** Files that git tracks although its rules ignore them, from the index of the repository. Git itself is not run. */

import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readSmallFile } from '../../lib/file/regular-file.js'
import type { SlicedWork, Steps } from '../../lib/sliced-work.js'
import { readEntries } from '../../policy/git/index-file.js'
import type { FolderRecord } from './folder-record.js'
import type { IgnoreSource } from './ignore-source.js'
import { isInside, isShown, type ListedNames } from './listed-name.js'

const MAX_INDEX_BYTES = 64 * 1024 * 1024
/** Each is looked at on the disk. */
const MAX_TRACKED = 2_000
/** Entries between two yields. */
const STEP = 500

/** The identity of the index; empty if there is none. */
export async function indexStamp({ gitFolder }: IgnoreSource): Promise<string> {
  if (gitFolder === null) return ''
  const stats = await stat(join(gitFolder, 'index')).catch(() => null)
  return stats === null ? '' : `${stats.ino}:${stats.mtimeMs}:${stats.size}`
}

/** Paths below the workspace that are in the index and not among the entries of the folders that were read. */
export async function trackedBesides(
  { gitFolder, names }: IgnoreSource,
  folders: ReadonlyMap<string, FolderRecord>,
  work: SlicedWork,
): Promise<string[]> {
  if (gitFolder === null) return []
  const bytes = await readSmallFile(join(gitFolder, 'index'), MAX_INDEX_BYTES).catch(() => null)
  const prefix = names.map((name) => `${name}/`).join('')
  return bytes ? work.run(missingIn(bytes, prefix, folders)) : []
}

function* missingIn(
  bytes: Buffer,
  prefix: string,
  folders: ReadonlyMap<string, FolderRecord>,
): Steps<string[]> {
  const missing: string[] = []
  const entries = readEntries(bytes)
  let folder: string | null = null
  let files: ReadonlySet<string> = new Set()
  for (let count = 1; missing.length < MAX_TRACKED; count += 1) {
    if (count % STEP === 0) yield
    const { done, value } = entries.next()
    if (done) return value ? missing : []
    const name = value.name.toString('utf8')
    if (value.isLink || !name.startsWith(prefix)) continue
    const path = name.slice(prefix.length)
    const cut = path.lastIndexOf('/') + 1
    // The index is sorted: files of a folder are mostly together.
    if (folder !== path.slice(0, cut)) {
      folder = path.slice(0, cut)
      files = new Set(folders.get(folder)?.files)
    }
    if (!files.has(path.slice(cut)) && isPlainPath(path)) missing.push(path)
  }
  return missing
}

/** A user who can write the repository can write any name into its index. */
function isPlainPath(path: string): boolean {
  return isShown(path) && path.split('/').every((name) => !ODD_NAMES.has(name.toLowerCase()))
}

const ODD_NAMES: ReadonlySet<string> = new Set(['', '.', '..', '.git'])

/** Those that are regular files at this very place: no link on the way to them, and nothing that is not listed. */
export async function existingFiles(
  root: string,
  paths: readonly string[],
  listed: ListedNames,
): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => isListedFile(join(root, path), root, listed)))
  return paths.filter((_, index) => found[index])
}

async function isListedFile(path: string, root: string, listed: ListedNames): Promise<boolean> {
  const folder = dirname(path)
  if (!isInside(root, folder) || !listed.hasPath(folder)) return false
  if (!listed.filesIn(folder)(path.slice(folder.length + 1))) return false
  try {
    return (await realpath(folder)) === folder && (await lstat(path)).isFile()
  } catch {
    return false
  }
}
