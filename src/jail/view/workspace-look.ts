/** Paths of a workspace that are hidden from a command, updated from one scan to the next. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { commonGitFolder, gitFolderOf, repositoryFor } from '../git/git-folder.js'
import type { GitHistory } from '../git/git-history.js'
import { realOf } from '../jail-place.js'
import type { Listing } from './folder-listing.js'
import { createFolderWalker } from './folder-walk.js'
import { createHiddenFiles } from './hidden-file.js'
import { identitiesOf } from './hidden-finding.js'

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

export interface Looker {
  /**
   * As of now with `isFresh`; otherwise that of the last look will do, if all that it found is still there: what it has
   * missed is found before the output is shown.
   */
  look(root: string, userHome: string | undefined, isFresh: boolean): Promise<Look | { problem: string }>
  /** Whether no object of the repository that git finds from there is that of a protected file; false if unknown. */
  isHistoryClean(root: string, userHome: string | undefined): Promise<boolean>
}

const MAX_STORE_FOLDERS = 1_000

const MAX_LOOKS = 100

/** `home` is that of Signalbox, which is always hidden. */
export function createLooker(home: string, history: GitHistory): Looker {
  const hiddenFiles = createHiddenFiles()
  const storeWalker = createFolderWalker(MAX_STORE_FOLDERS)
  const looks = new Map<string, Look>()

  async function lookNow(root: string, userHome: string | undefined): Promise<Look | { problem: string }> {
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

  async function look(root: string, userHome: string | undefined, isFresh: boolean) {
    const key = `${root}\n${userHome}`
    const known = looks.get(key)
    if (!isFresh && known && isThere(known)) return known
    looks.delete(key)
    const found = await lookNow(root, userHome)
    if (looks.size >= MAX_LOOKS) looks.clear()
    if (!('problem' in found)) looks.set(key, found)
    return found
  }

  /** That of a repository which is not in the jail: it begins above the workspace, or has its folder elsewhere. */
  async function isForeignClean(gitFolder: string): Promise<boolean> {
    const path = realOf(join(gitFolder, 'objects'))
    if (path === null) return false
    const listings: Listing[] = []
    await storeWalker.walk({
      roots: [path],
      skipped: [],
      visit: (listing) => listings.push(listing) > 0,
      visitClosed: () => {
        throw new Error('The objects of the repository cannot be listed.')
      },
    })
    return history.isClean({ gitFolder, store: { path, listings } })
  }

  return {
    look,
    async isHistoryClean(root, userHome) {
      try {
        const gitFolder = repositoryFor(root)
        if (gitFolder === null) return true
        const own = gitFolderOf(root, commonGitFolder(root))
        if (own === null || realOf(own) !== gitFolder) return await isForeignClean(gitFolder)
        const found = await look(root, userHome, true)
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
