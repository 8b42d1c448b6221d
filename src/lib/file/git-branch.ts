/** Which branch is checked out in a folder, read as git keeps it: no program of the machine or the folder is run. */

import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readSmallFileSync } from './regular-file.js'

const MAX_BYTES = 4_096

/** Null outside of a repository, and where a commit is checked out rather than a branch. */
export function readBranch(folder: string): string | null {
  const gitFolder = findGitFolder(folder)
  const head = gitFolder === null ? null : readSmall(join(gitFolder, 'HEAD'))
  return /^ref: refs\/heads\/(\S.*)$/.exec(head?.trim() ?? '')?.[1] ?? null
}

/** A repository has a folder of that name; a worktree or a submodule a file with the path of its folder. */
function findGitFolder(folder: string): string | null {
  const path = join(folder, '.git')
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return path
  if (stats?.isFile()) {
    const target = /^gitdir: (.+)/m.exec(readSmall(path) ?? '')?.[1]
    return target === undefined ? null : resolve(folder, target.trim())
  }
  const parent = dirname(folder)
  return parent === folder ? null : findGitFolder(parent)
}

function readSmall(path: string): string | null {
  try {
    return readSmallFileSync(path, MAX_BYTES).toString('utf8')
  } catch {
    return null
  }
}
