/** Files that the user's own repository tracks although an ignore rule names them. */

import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findGitFolder } from '../../lib/git/git-folder.js'
import type { InertGit } from '../../lib/git/inert-git.js'
import { type BytePath, pathsIn } from '../byte-path.js'

/** The index of the repository is read by our git, which knows nothing else of it. Empty if the stamp is the same. */
export async function trackedIgnored(
  git: InertGit,
  workspace: string,
  stamp: string,
): Promise<{ paths: readonly BytePath[]; stamp: string }> {
  const found = findGitFolder(workspace)
  const index = found && join(found.own, 'index')
  const stats = index ? statSync(index, { throwIfNoEntry: false, bigint: true }) : undefined
  if (!found || !index || !stats?.isFile()) return { paths: [], stamp: '' }
  const now = `${stats.ino}:${stats.size}:${stats.mtimeNs}`
  if (now === stamp) return { paths: [], stamp }
  const below = relative(found.top, workspace)
  const only = below === '' ? [] : ['--', below]
  const { code, stdout } = await git.attempt(
    ['ls-files', '--cached', '--ignored', '--exclude-standard', '-z', ...only],
    { workTree: found.top, index },
  )
  // An index in a form that our git cannot read names nothing: these files are then as ignored as others.
  if (code !== 0) return { paths: [], stamp: now }
  const prefix = below === '' ? '' : `${Buffer.from(below).toString('latin1')}/`
  return { paths: pathsIn(stdout).map((path) => path.slice(prefix.length)), stamp: now }
}
