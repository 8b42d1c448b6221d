/** Where a path really leads: links and `..` are resolved before anything is judged by it. */

import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/** Whether a path, seen from the workspace, lies in it once every link is followed. */
export function isInWorkspace(workspace: string, path: string): boolean {
  if (path.startsWith('~')) return false
  const inside = relative(realPath(workspace), realPath(resolve(workspace, path)))
  return inside !== '..' && !inside.startsWith('../') && !isAbsolute(inside)
}

/** The real path of the deepest part that exists, with the rest behind it. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
