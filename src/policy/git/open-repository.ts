/** Opens a repository without running git: its tracked files, and the content of its objects. */

import { lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { GIT_CONFIGS, settingsAt } from '../file/git-settings.js'
import { isProtectedFile } from '../file/protected.js'
import { isSuspect } from '../file/suspect-name.js'
import { Commits } from './commit.js'
import { objectStoreAt } from './history.js'
import { type IndexFile, readIndexFile } from './index-file.js'
import { hasOtherObjects } from './other-objects.js'
import { readFile } from './pack.js'
import type { Repository, TrackedFile } from './repository.js'

const MAX_INDEX_BYTES = 32 * 1024 * 1024
const MAX_KNOWN = 50
const known = new Map<string, Known>()

interface Known {
  stamp: string
  /** Racy git: a file that changed after the index was written may have changed without a trace in its stat data. */
  writtenNs: bigint
  index: IndexFile | null
  guarded: readonly number[]
}

/** The repository whose working tree has its top here; null if there is no `.git`. */
export function repositoryOf(workspace: string): Repository | null {
  const found = statSync(join(workspace, '.git'), { throwIfNoEntry: false })
  if (!found) return null
  const folder = found.isFile() ? gitFolderOf(workspace) : join(workspace, '.git')
  const common = commonFolderOf(folder)
  const isWhole =
    exists(join(folder, 'HEAD')) && ['objects', 'refs'].every((name) => isFolder(join(common, name)))
  const store = () => objectStoreAt(common)
  const { index, guarded, writtenNs } = indexAt(join(folder, 'index'))
  return {
    isWhole,
    hasOtherObjects: hasOtherObjects(common),
    index,
    guarded: guarded.map((at) => trackedFile(workspace, index, at, writtenNs)),
    settings: () =>
      [common, folder].flatMap((place) => GIT_CONFIGS.flatMap((name) => settingsAt(join(place, name)) ?? [])),
    history: () => store().history(),
    typesOf: (prefix) => store().typesOf(prefix),
    commits: new Commits(folder, common, store()),
  }
}

/** In a linked work tree, `.git` is a file with the path of the folder. */
function gitFolderOf(workspace: string): string {
  const text = readFile(join(workspace, '.git'), 4096).toString('utf8')
  const [, folder = ''] = /^gitdir: (.+)/.exec(text) ?? []
  return resolve(workspace, folder.trimEnd())
}

/** The folder of the objects: a linked work tree shares those of its repository. */
function commonFolderOf(folder: string): string {
  const path = join(folder, 'commondir')
  if (!exists(path)) return folder
  return resolve(folder, readFile(path, 4096).toString('utf8').trimEnd())
}

function indexAt(path: string): Known {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat) return { stamp: '', writtenNs: 0n, index: { names: [], stamps: [], links: [] }, guarded: [] }
  const stamp = `${stat.mtimeNs}:${stat.size}:${stat.ino}:${stat.ctimeNs}`
  const before = known.get(path)
  if (before?.stamp === stamp) return before
  if (known.size >= MAX_KNOWN) known.clear()
  const index = readIndexFile(readFile(path, MAX_INDEX_BYTES))
  const guarded = (index?.names ?? []).flatMap((name, at) =>
    isSuspect(name) && isProtectedFile(name) ? [at] : [],
  )
  const found = { stamp, writtenNs: stat.mtimeNs, index, guarded }
  known.set(path, found)
  return found
}

/** Unchanged in git's view: the same size and time as in the index, and older than the index. */
function trackedFile(workspace: string, index: IndexFile | null, at: number, writtenNs: bigint): TrackedFile {
  const name = index?.names[at] ?? ''
  return {
    name,
    id: index?.stamps[at]?.id ?? '',
    isChanged: () => {
      const stamp = index?.stamps[at]
      const stat = lstatSync(join(workspace, name), { bigint: true, throwIfNoEntry: false })
      if (!stat || !stamp || !stat.isFile()) return true
      return stat.mtimeNs !== stamp.mtimeNs || stat.size !== BigInt(stamp.size) || stat.mtimeNs >= writtenNs
    },
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
