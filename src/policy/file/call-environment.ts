/** Where a call would happen: the workspace, the working directory, the home, and the file system to look at. */

import type { FileSystem } from './file-system.js'
import { absolute, follow, parentOf } from './path.js'

export interface CallEnvironment {
  workspace: string
  /** The workspace once its links are followed. */
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
  // What is no absolute path ends in itself, never in the root.
  return parent === path || path === '' ? [path] : [path, ...withParents(parent)]
}

/** Nothing is inside of it. */
const NOWHERE = '/nonexistent'

/** The root and the folders of the system are nobody's workspace: a command there leaves it with every file. */
function isSystemPlace(path: string): boolean {
  return path === '/' || /^\/(?:proc|sys|dev|etc|boot|run|bin|sbin|lib|lib32|lib64|usr)(?:\/|$)/.test(path)
}
