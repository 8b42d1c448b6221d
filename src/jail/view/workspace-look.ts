/** Paths of a workspace that are hidden from a command, updated from one scan to the next. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Reason } from '../../protocol/reason/reason.js'
import { commonGitFolder, gitFolderOf, repositoryFor } from '../git/git-folder.js'
import type { GitHistory } from '../git/git-history.js'
import { realOf } from '../jail-place.js'
import { createHiddenFiles } from './hidden-file.js'
import { identitiesOf } from './hidden-finding.js'
import { createNameWatches } from './name-watch.js'

export interface Look {
  /** The workspace, and the repository of a linked work tree. */
  folders: readonly string[]
  hidden: { files: readonly string[]; folders: readonly string[]; closed: readonly string[] }
  /** Which files these are: what is not among them was not hidden. */
  identities: ReadonlySet<string>
  /** Where the repository keeps its objects, if one of them is that of a protected file: hidden as well, but for git. */
  objects: readonly string[]
  /** Configuration files of git that contain a password or token: hidden as well, but for git. */
  gitConfigs: readonly string[]
  /** No object of the repository is that of a protected file. */
  isHistoryClean: boolean
  /** A file that git may track is hidden, because a protected name leads to it. */
  hasBorrowedName: boolean
  /** Folders named `.claude` in it. */
  claudeFolders: readonly string[]
}

export type Fresh = 'all' | 'history' | 'nothing'

export interface Looker {
  /**
   * With `all` everything is as of now. Otherwise the last look will do, if all that it found is still there: what it has
   * missed is found before the output is shown. With `history` the objects of the repository are as of now.
   */
  look(root: string, userHome: string | undefined, fresh: Fresh): Promise<Look | { problem: Reason }>
  /** Changes whenever a protected name has come or gone in a folder of this workspace that is watched. */
  changes(root: string): Promise<number>
  /** Idempotent. */
  close(): void
  /** Whether no object of the repository that git finds from there is that of a protected file; false if unknown. */
  isHistoryClean(root: string, userHome: string | undefined): Promise<boolean>
}

const MAX_LOOKS = 100

/** `home` is that of Signalbox, which is always hidden. */
export function createLooker(home: string, history: GitHistory): Looker {
  const hiddenFiles = createHiddenFiles()
  const watches = createNameWatches()
  const looks = new Map<string, Look>()

  async function lookNow(root: string, userHome: string | undefined): Promise<Look | { problem: Reason }> {
    const common = commonGitFolder(root)
    const folders = [root, ...(common === null || isWithin(common, root) ? [] : [common])]
    const gitFolder = gitFolderOf(root, common)
    const store = gitFolder === null ? null : realOf(join(gitFolder, 'objects'))
    const found = await hiddenFiles.find({
      roots: folders,
      secrets: secretsElsewhere(home, userHome),
      ownFolders: [home],
      ownStores: store === null ? [] : [store],
    })
    if ('problem' in found) return found
    watches.keep(root, found.watchable)
    const listings = store === null ? [] : (found.stores.get(store) ?? [])
    const isClean =
      gitFolder === null ||
      store === null ||
      (await history.isClean({ gitFolder, store: { path: store, listings } }))
    const objects = isClean || store === null ? [] : objectFolders(gitFolder, store, folders)
    return {
      folders,
      hidden: { files: found.files, folders: found.folders, closed: found.closed },
      objects,
      identities: new Set([...found.identities, ...identitiesOf([...folders, ...objects])]),
      gitConfigs: found.gitConfigs,
      isHistoryClean: isClean,
      hasBorrowedName: found.hasBorrowedName,
      claudeFolders: found.claudeFolders,
    }
  }

  async function look(root: string, userHome: string | undefined, fresh: Fresh) {
    const key = `${root}\n${userHome}`
    const known = looks.get(key)
    if (fresh !== 'all' && known && isThere(known)) {
      if (fresh === 'nothing' || (await isCleanNow(root)) === known.isHistoryClean) return known
    }
    looks.delete(key)
    const found = await lookNow(root, userHome)
    if (looks.size >= MAX_LOOKS) looks.clear()
    if (!('problem' in found)) looks.set(key, found)
    return found
  }

  /** Of the repository in the jail. Null: not known, so that everything is looked at. */
  async function isCleanNow(root: string): Promise<boolean | null> {
    const gitFolder = gitFolderOf(root, commonGitFolder(root))
    return gitFolder === null ? true : isStoreClean(gitFolder).catch(() => null)
  }

  async function isStoreClean(gitFolder: string): Promise<boolean> {
    const path = realOf(join(gitFolder, 'objects'))
    if (path === null) return false
    return history.isClean({ gitFolder, store: { path, listings: await hiddenFiles.list(path) } })
  }

  return {
    look,
    changes: watches.changes,
    close: watches.close,
    async isHistoryClean(root, userHome) {
      try {
        const gitFolder = repositoryFor(root)
        if (gitFolder === null) return true
        const own = gitFolderOf(root, commonGitFolder(root))
        // It begins above the workspace, or has its folder elsewhere.
        if (own === null || realOf(own) !== gitFolder) return await isStoreClean(gitFolder)
        const found = await look(root, userHome, 'history')
        return !('problem' in found) && found.isHistoryClean
      } catch {
        return false
      }
    },
  }
}

function isThere({ folders, hidden, objects, gitConfigs, identities }: Look): boolean {
  const { files, folders: empty, closed } = hidden
  const now = identitiesOf([...folders, ...files, ...empty, ...closed, ...objects, ...gitConfigs])
  return now.every((identity) => identities.has(identity))
}

/** Where a history with protected files lies: the whole of it is hidden. */
function objectFolders(gitFolder: string | null, store: string, folders: readonly string[]): string[] {
  const others = ['modules', 'lfs'].map((name) => realOf(join(gitFolder ?? '', name)))
  return [store, ...others].filter(
    (folder): folder is string => folder !== null && folders.some((root) => isWithin(folder, root)),
  )
}

/** Files outside the workspace that no hard link inside it may show. */
function secretsElsewhere(home: string, userHome: string | undefined): string[] {
  const own = filesIn(home)
  if (userHome === undefined) return own
  const keys = filesIn(join(userHome, '.ssh'))
  return [...own, ...keys, ...USER_SECRETS.map((name) => join(userHome, name))]
}

const USER_SECRETS = [
  '.aws/credentials',
  '.claude.json',
  '.claude/.credentials.json',
  '.config/gh/hosts.yml',
  '.docker/config.json',
  '.git-credentials',
  '.kube/config',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
]

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
