/** Folders without any file: git does not know them, but an agent can make and delete them. */

import { type Dirent, readdirSync } from 'node:fs'
import { type BytePath, folderOf } from '../byte-path.js'
import { absolute } from './inspect.js'

/** Entries below one folder. In a larger tree there are files, of which some are ignored. */
const MAX_ENTRIES = 1_000
const MAX_ALL = 20_000

/** Of these folders and those below them, all with nothing but folders inside. */
export function bareFolders(workspace: string, tops: readonly BytePath[]): Set<BytePath> {
  const found = new Set<BytePath>()
  let all = MAX_ALL
  for (const top of tops) {
    const budget = { left: Math.min(MAX_ENTRIES, all) }
    const before = budget.left
    const below: BytePath[] = []
    visit(workspace, top.replace(/\/$/, ''), budget, below)
    all -= before - budget.left
    if (budget.left >= 0) for (const folder of below) found.add(folder)
  }
  return found
}

/** The folders around these paths without any file. */
export function emptiedFolders(workspace: string, paths: readonly BytePath[]): Set<BytePath> {
  const found = new Set<BytePath>()
  const filled = new Set<BytePath>()
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== '' && !filled.has(folder); folder = folderOf(folder)) {
      if (found.has(folder)) continue
      const below: BytePath[] = []
      const isBare = visit(workspace, folder, { left: MAX_ENTRIES }, below)
      if (isBare) for (const one of below) found.add(one)
      else filled.add(folder)
    }
  }
  return found
}

/** Whether the folder holds no file. Those that do not are added to `found`. */
function visit(workspace: string, folder: BytePath, budget: { left: number }, found: BytePath[]): boolean {
  const entries = entriesOf(workspace, folder)
  budget.left -= (entries?.length ?? 0) + 1
  if (budget.left < 0 || entries === null) return false
  let isBare = true
  for (const entry of entries) {
    const name = entry.name.toString('latin1')
    const isBelowBare =
      entry.isDirectory() && name !== '.git' && visit(workspace, `${folder}/${name}`, budget, found)
    isBare &&= isBelowBare
  }
  if (isBare) found.push(folder)
  return isBare
}

function entriesOf(workspace: string, folder: BytePath): Dirent<Buffer>[] | null {
  try {
    return readdirSync(absolute(workspace, folder), { withFileTypes: true, encoding: 'buffer' })
  } catch {
    return null
  }
}
