/** Which branch is checked out in a folder, read as git keeps it: no program of the machine or the folder is run. */

import { join } from 'node:path'
import { findGitFolder, readSmallText } from '../git/git-folder.js'

/** Null outside of a repository, and where a commit is checked out rather than a branch. */
export function readBranch(folder: string): string | null {
  const found = findGitFolder(folder)
  const head = found === null ? null : readSmallText(join(found.own, 'HEAD'))
  return /^ref: refs\/heads\/(\S.*)$/.exec(head?.trim() ?? '')?.[1] ?? null
}
