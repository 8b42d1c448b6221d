/** Ignored files that a call is about to delete or overwrite, as far as it names them. */

import type { InertGit } from '../../lib/git/inert-git.js'
import { argumentOf, type BytePath, pathsIn } from '../byte-path.js'
import { statsAt } from './inspect.js'

export interface IgnoredLimits {
  maxIgnoredFiles: number
  maxIgnoredBytes: number
}

export interface IgnoredFiles {
  /** Saved: few enough, and small enough. */
  files: readonly BytePath[]
  /** How many there are where that is more than the limit; they are not saved. */
  tooMany: number | null
}

const NONE: IgnoredFiles = { files: [], tooMany: null }
const MAX_NAMED = 200
const MAX_BYTES = 16 * 1024 * 1024

/** `named`: files and folders that the call names. */
export async function findIgnored(
  git: InertGit,
  workspace: string,
  named: readonly BytePath[],
  { maxIgnoredFiles, maxIgnoredBytes }: IgnoredLimits,
): Promise<IgnoredFiles> {
  const names = named.map(argumentOf).filter((name) => name !== null && name !== '')
  if (names.length === 0 || names.length > MAX_NAMED) return NONE
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...(names as string[])]
  const { code, stdout } = await git
    .attempt(list, { workTree: workspace, maxBytes: MAX_BYTES })
    .catch(() => OVER)
  if (code !== 0) return { files: [], tooMany: maxIgnoredFiles + 1 }
  const files = pathsIn(stdout).filter((path) => !path.endsWith('/'))
  const bytes = files
    .slice(0, maxIgnoredFiles)
    .reduce((sum, path) => sum + (statsAt(workspace, path)?.size ?? 0), 0)
  const isTooMuch = files.length > maxIgnoredFiles || bytes > maxIgnoredBytes
  return isTooMuch ? { files: [], tooMany: files.length } : { files, tooMany: null }
}

const OVER = { code: null, stdout: Buffer.alloc(0) }
