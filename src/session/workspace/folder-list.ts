/** The folders in a folder, for choosing where a session works. Files are not listed. */

import { lstat, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListedFolder } from '../../protocol/compose/workspace-file.js'
import { HubError } from '../../protocol/error.js'
import { FolderEntries } from '../../tool/listing/folder-entries.js'
import { isShown, type ListedNames } from './listed-name.js'

const MAX_FOLDERS = 1_000
/** Sorted, of which the first are listed. */
const MAX_SORTED = 5_000
/** Entries that are read at most: a folder can have millions of files. */
const MAX_ENTRIES = 200_000
/** Links are resolved one by one. */
const MAX_LINKS = 200

export interface FoundFolders {
  folders: ListedFolder[]
  isWhole: boolean
}

/**
 * `path` is real, and was checked as it is. Race: if a link has taken its place since then, or the place of a folder above
 * it, opening it fails.
 */
export async function listFolders(path: string, listed: ListedNames): Promise<FoundFolders> {
  const entries = await FolderEntries.open(path).catch(() => null)
  if (entries === null) throw unreadable(path)
  const names: string[] = []
  const links: string[] = []
  let isWhole = true
  let count = 0
  try {
    for await (const piece of entries.pieces()) {
      for (const entry of piece) {
        if (!isShown(entry.name)) continue
        if (entry.isDirectory()) names.push(entry.name)
        else if (entry.isSymbolicLink()) links.push(entry.name)
      }
      count += piece.length
      if (count < MAX_ENTRIES && names.length < MAX_SORTED) continue
      isWhole = false
      break
    }
  } catch {
    throw unreadable(path)
  } finally {
    await entries.close()
  }
  const own = names
    .map((name) => ({ name, path: join(path, name) }))
    .filter((folder) => listed.hasFolder(folder.path))
  const found = [...own, ...(await linkedFolders(path, links.slice(0, MAX_LINKS), listed))].toSorted(byName)
  const shown = found.slice(0, MAX_FOLDERS)
  return {
    folders: await Promise.all(
      shown.map(async (folder) => ({ ...folder, isRepository: await exists(join(folder.path, '.git')) })),
    ),
    isWhole: isWhole && shown.length === found.length && links.length <= MAX_LINKS,
  }
}

type NamedFolder = Pick<ListedFolder, 'name' | 'path'>

/** By the folder that they lead to. */
async function linkedFolders(
  path: string,
  names: readonly string[],
  listed: ListedNames,
): Promise<NamedFolder[]> {
  const found: NamedFolder[] = []
  for (const name of names) {
    const target = await realpath(join(path, name)).catch(() => null)
    if (target === null || !isShown(target) || !listed.hasPath(target)) continue
    const isFolder = await stat(target).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
    if (isFolder) found.push({ name, path: target })
  }
  return found
}

const ORDER = new Intl.Collator('en', { numeric: true })

function byName(one: NamedFolder, other: NamedFolder): number {
  const [isOneHidden, isOtherHidden] = [one.name.startsWith('.'), other.name.startsWith('.')]
  if (isOneHidden !== isOtherHidden) return isOneHidden ? 1 : -1
  return ORDER.compare(one.name, other.name)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function unreadable(path: string): HubError {
  return new HubError(
    'workspace_not_found',
    `Cannot read the folder ${JSON.stringify(path)}: it is missing, has been replaced, or its rights forbid it. Choose another folder, or change its rights.`,
    { path },
  )
}
