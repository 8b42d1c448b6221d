/** Where a path of an agent really leads. Nothing outside the workspace has a place. */

import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ToolFailure } from '../tool.js'
import { codeOf, failureOf } from './failure.js'

/** A place in a workspace, with every link on the way to it followed. It need not exist. */
export interface Place {
  /** The workspace's real path. */
  readonly root: string
  /** The names from the root to the place; none for the root itself. */
  readonly names: readonly string[]
  /** The real path of the place. */
  readonly path: string
  /** As users read it: from the root, "." for the root itself. */
  readonly shown: string
}

export async function locate(workspace: string, path: string): Promise<Place> {
  if (path.includes('\0')) throw new ToolFailure('A path cannot contain a NUL character.')
  if (path === '~' || path.startsWith('~/')) {
    throw new ToolFailure(`${path} is in a home folder. Give a path in the workspace.`)
  }
  const root = await realpath(workspace).catch((error: unknown) => {
    throw failureOf(error, 'The workspace')
  })
  const wanted = resolve(workspace, path)
  // A path that is lexically outside is refused before the file system is read, so that nothing can be
  // learned about it.
  if (!isInside(resolve(workspace), wanted) && !isInside(root, wanted)) throw outside(path)
  const real = await realPathOf(wanted, path)
  if (!isInside(root, real)) throw outside(path)
  const shown = relative(root, real)
  return { root, path: real, names: shown === '' ? [] : shown.split(sep), shown: shown || '.' }
}

function isInside(root: string, path: string): boolean {
  const inside = relative(root, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

/** The real path of the deepest part that exists, with the rest behind it. */
async function realPathOf(path: string, shown: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error)) || parent === path) throw failureOf(error, shown)
    return join(await realPathOf(parent, shown), basename(path))
  }
}

function outside(path: string): ToolFailure {
  return new ToolFailure(`${path} leads outside the workspace. Only what is in the workspace can be used.`)
}
