/**
 * Finds the paths to hide in the folders of the system, once after each start. They belong to the distribution, so
 * a name like `passwd.conf` says nothing there: hidden are sockets, FIFOs and devices, and protected names that are
 * not readable for every user. In `/usr/local`, where users install by hand, every protected name is.
 */

import { type Dirent, lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { isProtectedFile } from '../../policy/file/protected.js'
import { isSuspect } from '../../policy/file/suspect-name.js'

const MAX_FILES = 40

export interface Survey {
  /** Hidden one by one. */
  files: readonly string[]
  /** Not in the jail at all: there is too much to hide in them. */
  folders: readonly string[]
}

/** Folders that cannot be listed are left out as well. The store of Nix is written by Nix alone, for every user to read. */
export async function surveySystem(folders: readonly string[]): Promise<Survey> {
  const [files, omitted]: [string[], string[]] = [[], []]
  for (const folder of folders) {
    if (folder === '/nix/store' || lstatSync(folder).isSymbolicLink()) continue
    const found = await hiddenBelow(folder)
    if (found === null || found.length > MAX_FILES) omitted.push(folder)
    else files.push(...found)
  }
  return { files, folders: omitted }
}

async function hiddenBelow(top: string): Promise<string[] | null> {
  const isByHand = top.startsWith('/usr/local/')
  const found: string[] = []
  const pending = [top]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => null)
    // A folder that only its owner may list is closed to the jail as well, unless it runs as its owner.
    if (entries === null && path === top) return null
    for (const entry of entries ?? []) {
      const inner = `${path}/${entry.name}`
      if (entry.isDirectory()) pending.push(inner)
      else if (mustHide(entry, inner, isByHand)) found.push(inner)
    }
  }
  return found
}

function mustHide(entry: Dirent, path: string, isByHand: boolean): boolean {
  if (!entry.isFile()) return !entry.isSymbolicLink()
  if (!isSuspect(path) || !isProtectedFile(path)) return false
  return isByHand || ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) === 0
}
