/** The environment of a call: the workspace, the working directory, the home, and the file system to query. */

import type { FileSystem } from './file-system.js'
import { absolute, follow, parentOf } from './path.js'

export interface CallEnvironment {
  workspace: string
  /** The workspace with its symlinks resolved. */
  realWorkspace: string
  folder: string
  home: string
  user: string
  fs: FileSystem
  /** Deleting one of these deletes the workspace or the home. */
  greatTrees: ReadonlySet<string>
}

export interface CallEnvironmentInput {
  cwd: string
  home: string
  workspace?: string | undefined
  fs: FileSystem
}

export function createCallEnvironment({ cwd, home, workspace, fs }: CallEnvironmentInput): CallEnvironment {
  const folder = absolute('/', cwd)
  const wanted = absolute('/', workspace ?? cwd)
  const owned = isSystemPlace(wanted) ? NOWHERE : wanted
  const realWorkspace = follow(fs, owned, { last: true }) ?? owned
  const homeFolder = absolute('/', home)
  const realHome = follow(fs, homeFolder, { last: true }) ?? homeFolder
  return {
    workspace: owned,
    realWorkspace,
    folder,
    home: homeFolder,
    user: homeFolder.slice(homeFolder.lastIndexOf('/') + 1),
    fs,
    greatTrees: new Set([owned, realWorkspace, homeFolder, realHome].flatMap(withParents)),
  }
}

function withParents(path: string): string[] {
  const parent = parentOf(path)
  // The ancestors of a path that is not absolute end in the path itself, never in the root.
  return parent === path || path === '' ? [path] : [path, ...withParents(parent)]
}

/** A place that contains no file. */
const NOWHERE = '/nonexistent'

/** The root and the system folders are never a workspace: every file there counts as outside. */
function isSystemPlace(path: string): boolean {
  return path === '/' || /^\/(?:proc|sys|dev|etc|boot|run|bin|sbin|lib|lib32|lib64|usr)(?:\/|$)/.test(path)
}
