/**
 * Ignore rules of git from outside a workspace: the user's own file, `info/exclude`, and the `.gitignore` files between
 * the top of the repository and the workspace. Read as files: git is not run, because the configuration of a repository
 * names programs.
 */

import { lstat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { readSmallFile } from '../../lib/file/regular-file.js'
import { type IgnoreRules, parseIgnoreRules } from '../../tool/listing/gitignore.js'

const MAX_BYTES = 1024 * 1024

export interface IgnoreSource {
  /** The folder with `.git`; null outside of a repository. */
  top: string | null
  /** The folder of its index. */
  gitFolder: string | null
  /** The names that lead from the top, or from the workspace itself, to the workspace. */
  names: readonly string[]
  rules: IgnoreRules | null
  /** Changes when one of the files does. */
  stamp: string
}

/** Outside of a repository nothing says what is no work of the user. */
const WITHOUT_REPOSITORY = ['node_modules', '.venv', 'venv', '__pycache__']

export async function findIgnoreSource(workspace: string, userHome: string): Promise<IgnoreSource> {
  const top = await findTop(workspace)
  if (top === null) {
    const rules = parseIgnoreRules(WITHOUT_REPOSITORY, 0, null)
    return { top, gitFolder: null, names: [], rules, stamp: '' }
  }
  const gitFolder = await gitFolderOf(top)
  const names = relative(top, workspace).split('/').filter(Boolean)
  const texts = await Promise.all([
    readText(join(userHome, '.config/git/ignore')),
    readText(join(gitFolder, 'info/exclude')),
    ...names.map((_, depth) => readText(join(top, ...names.slice(0, depth), '.gitignore'))),
  ])
  let rules: IgnoreRules | null = null
  for (const [index, text] of texts.entries())
    if (text !== '') rules = parseIgnoreRules(text, Math.max(0, index - 2), rules)
  return { top, gitFolder, names, rules, stamp: JSON.stringify([top, gitFolder, texts]) }
}

async function findTop(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    const isThere = await lstat(join(at, '.git')).then(
      (stats) => stats.isDirectory() || stats.isFile(),
      () => false,
    )
    if (isThere) return at
    if (at === dirname(at)) return null
  }
}

/** A worktree or a submodule has a file with the path of its folder. */
async function gitFolderOf(top: string): Promise<string> {
  const path = join(top, '.git')
  const [, target] = /^gitdir: (.+)/.exec(await readText(path)) ?? []
  return target === undefined ? path : resolve(top, target.trim())
}

async function readText(path: string): Promise<string> {
  try {
    return (await readSmallFile(path, MAX_BYTES)).toString('utf8')
  } catch {
    return '' // Rules that cannot be read do not count.
  }
}
