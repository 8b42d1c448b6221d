/** How the store of a workspace is made: its name, the kind of its object ids, and whether names differ by case. */

import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findGitFolder, isSha256 } from '../../lib/git/git-folder.js'

/** The name of the folder of a workspace. */
export function storeNameOf(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 24)
}

/** The same ids as the user's repository has, so that both can be compared. A store that is there keeps its own. */
export function usesSha256(store: string, workspace: string): boolean {
  const config = join(store, 'config')
  if (existsSync(config)) return /objectFormat = sha256/.test(readFileSync(config, 'utf8'))
  const found = findGitFolder(workspace)
  return found !== null && isSha256(found)
}

/** Whether names that differ only in case are the same file: the folder itself is asked for by another spelling. */
export function ignoresCase(workspace: string): boolean {
  const name = basename(workspace)
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
  if (other === name) return false
  const [one, two] = [workspace, join(dirname(workspace), other)].map((path) =>
    lstatSync(path, { throwIfNoEntry: false, bigint: true }),
  )
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
}

/** Bytes of all files in a folder. */
export async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await sizeOfFolder(path)
    else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}
