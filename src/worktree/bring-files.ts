/** Brings files into a worktree that git does not: environment files, installed packages. Never over what is there. */

import { lstatSync } from 'node:fs'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { refuseLockedFile } from '../lib/file/locked-file.js'
import { realFolder } from '../lib/git/git-folder.js'
import type { BroughtFile } from '../protocol/worktree/worktree.js'

/** Resolves with those that it brought. */
export async function bringFiles(from: string, to: string, files: readonly BroughtFile[]): Promise<string[]> {
  const brought: string[] = []
  for (const { path, how } of files) {
    const [source, target] = [join(from, path), join(to, path)]
    if (!isThere(source) || isThere(target)) continue
    // A folder on the way may be a symlink of the repository, which leads elsewhere.
    if (!isBelow(from, dirname(source)) || !isBelow(to, dirname(target))) continue
    await mkdir(dirname(target), { recursive: true })
    brought.push(path)
    if (how === 'link') await symlink(source, target)
    else
      await cp(source, target, {
        recursive: true,
        verbatimSymlinks: true,
        errorOnExist: true,
        force: false,
        preserveTimestamps: true,
        filter: (file) => {
          refuseLockedFile(file)
          return true
        },
      })
  }
  return brought
}

/** Whether the folder, or as much of its path as is there, is really below the top. */
function isBelow(top: string, folder: string): boolean {
  if (folder === top) return true
  if (!isThere(folder)) return isBelow(top, dirname(folder))
  const real = realFolder(folder)
  return real.startsWith(`${realFolder(top)}/`)
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
