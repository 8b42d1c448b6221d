/**
 * Which files of a workspace may take effect, and from where. Trust in a folder covers everything below it.
 * Claude Code (2.1.325) looks above it as well: skills, agents, commands and the like come from every
 * `.claude` up to the root of the git repository, or of the file system where there is no repository;
 * `CLAUDE.md` and rules from every folder up to the root. It has no switch for that, only for all settings of
 * a project. So these are left out as long as an untrusted folder above would take part.
 */

import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readSmallFile } from '../lib/file/regular-file.js'
import { isTrusted } from '../protocol/workspace.js'

export interface Trust {
  /** Whether the settings of the workspace itself may act. */
  isTrusted: boolean
  /** Folders that are not trusted and whose skills, agents and commands Claude Code would load with those of the workspace. */
  strangers: readonly string[]
  /** Patterns of `CLAUDE.md` files and rules that must not be loaded: those of all folders above that are not trusted. */
  excludedMemory: readonly string[]
}

const NO_TRUST: Trust = { isTrusted: false, strangers: [], excludedMemory: [] }

export interface TrustQuestion {
  cwd: string
  trusted: readonly { readonly path: string }[]
  /** The home of the user that the CLI runs as. Its content belongs to that user. */
  userHome: string
  /** Folders that the session may use besides its workspace. */
  more: readonly string[]
}

export async function findTrust({ cwd, trusted, userHome, more }: TrustQuestion): Promise<Trust> {
  if (!isTrusted(cwd, trusted)) return NO_TRUST
  const own = new Set([userHome, await realOf(userHome)])
  const isStrange = (folder: string) => !isTrusted(folder, trusted) && !own.has(folder)
  const above = foldersFrom(cwd)
  const root = await findRepository(above)
  const searched = root ? above.slice(0, above.indexOf(root.folder) + 1) : above
  const besides = await Promise.all([...more, ...(root?.main ? [root.main] : [])].map(realOf))
  const strange = [...searched, ...besides].filter(isStrange)
  const holding = await Promise.all(strange.map((folder) => exists(join(folder, '.claude'))))
  return {
    isTrusted: true,
    strangers: [...new Set(strange.filter((_, index) => holding[index]))],
    excludedMemory: [...new Set([...above, ...besides])].filter(isStrange).flatMap(memoryOf),
  }
}

/** The folder itself, and all that it is in. */
function foldersFrom(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersFrom(parent)]
}

interface Repository {
  folder: string
  /** The main working tree, where this one is linked to another: its `.claude` is used as well. */
  main: string | null
}

/** The nearest repository. A damaged one does not count: the CLI may look further up. */
async function findRepository(folders: readonly string[]): Promise<Repository | null> {
  for (const folder of folders) {
    const path = join(folder, '.git')
    if (await exists(join(path, 'HEAD'))) return { folder, main: null }
    const text = await readText(path)
    const [, target] = /^gitdir: (.+)/.exec(text) ?? []
    if (target !== undefined) return { folder, main: await mainOf(resolve(folder, target.trim())) }
  }
  return null
}

/** `…/main/.git/worktrees/name` has a file that names `…/main/.git`. */
async function mainOf(gitFolder: string): Promise<string | null> {
  const common = await readText(join(gitFolder, 'commondir'))
  return common.trim() === '' ? null : dirname(resolve(gitFolder, common.trim()))
}

const MAX_NAME_BYTES = 16 * 1024

/** Empty where there is no such file, or none that may be opened. */
async function readText(path: string): Promise<string> {
  try {
    return (await readSmallFile(path, MAX_NAME_BYTES)).toString('utf8')
  } catch {
    return ''
  }
}

function memoryOf(folder: string): string[] {
  const base = asPattern(folder === '/' ? '' : folder)
  return [
    'CLAUDE.md',
    'CLAUDE.local.md',
    'AGENTS.md',
    '.claude/CLAUDE.md',
    '.claude/AGENTS.md',
    '.claude/rules/**',
  ].map((name) => `${base}/${name}`)
}

/** Glob metacharacters become "any character": the CLI (2.1.325) takes a backslash for a slash. */
function asPattern(path: string): string {
  return path.replaceAll(/[\\*?[\]{}()!+@|^$]/g, '?')
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    // Fails closed: a path that cannot be checked may exist.
    return !(
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    )
  }
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
