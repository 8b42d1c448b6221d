/** The git folder that a linked work tree needs besides its own. */

import { realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readSmallFileSync } from '../../lib/file/regular-file.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'

const MAX_BYTES = 16 * 1024

/** The folder of the repository: `.git` or, of a linked work tree, `common`. Null where there is none. */
export function gitFolderOf(workspace: string, common: string | null): string | null {
  const folder = common ?? join(workspace, '.git')
  // Of a submodule, and of a repository with a folder elsewhere, it is a file.
  return isFolder(folder) && isFolder(join(folder, 'objects')) ? folder : null
}

/** Why git would not find its repository in the jail as it does outside; null if it would. */
export function gitObstacle(workspace: string): Reason | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const found = statSync(join(folder, '.git'), { throwIfNoEntry: false })
    if (found && folder !== workspace) return reason('jail.repository-above')
    if (found) {
      const isWhole = found.isDirectory() || commonGitFolder(workspace) !== null
      return isWhole ? null : reason('jail.git-elsewhere')
    }
    if (folder === dirname(folder)) return null
  }
}

/** The folder of the repository that git finds from here, wherever it is; null where it finds none. */
export function repositoryFor(workspace: string): string | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const link = join(folder, '.git')
    const found = statSync(link, { throwIfNoEntry: false })
    if (found) return found.isDirectory() ? realpathSync(link) : namedBy(link)
    if (folder === dirname(folder)) return null
  }
}

function namedBy(link: string): string {
  const [, named = ''] = /^gitdir: (.+)\n?$/.exec(readText(link)) ?? []
  const own = realpathSync(resolve(dirname(link), named))
  const common = join(own, 'commondir')
  return statSync(common, { throwIfNoEntry: false })
    ? realpathSync(resolve(own, readText(common).trimEnd()))
    : own
}

/**
 * Null where there is none. The `.git` file belongs to the workspace, so an agent that writes there could name any folder: it
 * counts only if the repository names the work tree as well.
 */
export function commonGitFolder(workspace: string): string | null {
  try {
    const link = join(workspace, '.git')
    if (!statSync(link).isFile()) return null
    const [, named] = /^gitdir: (.+)\n?$/.exec(readText(link)) ?? []
    if (named === undefined) return null
    const own = realpathSync(resolve(workspace, named))
    const common = dirname(dirname(own))
    const isLinkedBack = realpathSync(readText(join(own, 'gitdir')).trimEnd()) === realpathSync(link)
    const isRepository =
      own.startsWith(`${common}/worktrees/`) &&
      statSync(join(common, 'HEAD')).isFile() &&
      ['objects', 'refs'].every((name) => statSync(join(common, name)).isDirectory())
    return isLinkedBack && isRepository ? common : null
  } catch {
    return null
  }
}

function readText(path: string): string {
  return readSmallFileSync(path, MAX_BYTES).toString('utf8')
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
