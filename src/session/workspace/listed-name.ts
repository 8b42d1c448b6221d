/** Which names of files and folders clients get to see. Only names are listed, never content. */

import { protectionOf } from '../../policy/file/protected.js'
import { isSuspect, SUSPECT_NAME } from '../../policy/file/suspect-name.js'

/**
 * Control characters, line separators, bidirectional marks, and the mark of a name that is not UTF-8: such a name cannot
 * be shown or typed as it is.
 */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufffd\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

export function isShown(name: string): boolean {
  return !UNSHOWN.test(name)
}

/** File systems of the kernel: no folder in them is a workspace, and some have no end. */
const KERNEL = /^\/(?:proc|sys)(?:\/|$)/

/** The sample workspace lies in our home and is a workspace like any other. */
const SAMPLE = 'sample-workspace'

export interface ListedNames {
  /**
   * Whether a folder, by its real path, and what is in it may be listed: not our home, and no protected folder. Of a path
   * whose folders above have not been checked, ask `hasPath`.
   */
  hasFolder(path: string): boolean
  hasPath(path: string): boolean
  /** The test for the files of a folder that may be listed: protected files may not. */
  filesIn(folder: string): (name: string) => boolean
}

/** `ownHomes`: the home of Signalbox, under each of its names. */
export function createListedNames(ownHomes: readonly string[]): ListedNames {
  const isOwn = (path: string) =>
    ownHomes.some((home) => isInside(home, path) && !isInside(`${home}/${SAMPLE}`, path))
  return {
    hasFolder: (path) => !isOwn(path) && !KERNEL.test(path) && !isProtectedFolder(path),
    hasPath: (path) => !isOwn(path) && !KERNEL.test(path) && !foldersAlong(path).some(isProtectedFolder),
    filesIn(folder) {
      const isFolderSuspect = isSuspect(`${folder}/`)
      return (name) =>
        !((isFolderSuspect || SUSPECT_NAME.test(name)) && protectionOf(`${folder}/${name}`) !== null)
    },
  }
}

function isProtectedFolder(path: string): boolean {
  return isSuspect(`${path}/`) && protectionOf(path) === 'folder'
}

/** The folder itself and all above it, without the root. */
function foldersAlong(path: string): string[] {
  const names = path.split('/').filter(Boolean)
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)
}

export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
