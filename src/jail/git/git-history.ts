/** Whether a repository holds protected files in its objects: git shows those by content, where no mount can hide them. */

import { lstatSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readSmallFileSync } from '../../lib/file/regular-file.js'
import type { Listing } from '../view/folder-listing.js'
import { holdProtected, type RunScript } from './git-objects.js'

export interface Repository {
  /** The folder `.git`, or that of the repository of a linked work tree. */
  gitFolder: string
  /** The folder `objects` and those below it, as they are now. */
  store: { path: string; listings: readonly Listing[] }
}

export interface GitHistory {
  /** True only if every name in every object and index is known, and none is protected. */
  isClean(repository: Repository): Promise<boolean>
}

/** The parts of a repository that were scanned, and the result. */
interface Known {
  listings: readonly Listing[]
  indexes: string
  packs: ReadonlySet<string>
  loose: ReadonlySet<string>
  isClean: boolean
}

/** A first look at a large repository takes longer; until it has ended, its history counts as not clean. */
const PATIENCE_MS = 2_000
const MAX_LOOSE = 50_000

/** `runIn` runs a script in a jail with this folder in it. */
export function createGitHistory(runIn: (gitFolder: string) => RunScript): GitHistory {
  const known = new Map<string, Known>()
  const running = new Map<string, Promise<Known | null>>()

  async function look(repository: Repository): Promise<Known | null> {
    const { gitFolder, store } = repository
    const before = known.get(gitFolder)
    const [packs, loose, indexes] = [packsIn(store), looseIn(store), indexesIn(gitFolder)]
    const isGone = before && !(isSubset(before.packs, packs) && isSubset(before.loose, loose))
    const after = { listings: store.listings, indexes: stampsOf(indexes), packs, loose }
    if (loose.size > MAX_LOOSE || isBorrowing(repository)) return { ...after, isClean: false }
    // A protected object that was found stays in the store until objects are deleted.
    if (before && !before.isClean && !isGone) return { ...after, isClean: false }
    const old = before?.isClean ? before : null
    const fresh = {
      packs: [...packs].filter((pack) => !old?.packs.has(pack)),
      loose: [...loose].filter((id) => !old?.loose.has(id)),
    }
    const isNew = fresh.packs.length > 0 || fresh.loose.length > 0 || old?.indexes !== after.indexes
    if (!isNew) return { ...after, isClean: true }
    const place = { objects: store.path, isSha256: isSha256(gitFolder) }
    const isFound = await holdProtected({ ...place, ...fresh, indexes }, runIn(gitFolder))
    return isFound === null ? null : { ...after, isClean: !isFound }
  }

  function start(repository: Repository): Promise<Known | null> {
    const { gitFolder } = repository
    const looking = look(repository)
      .catch(() => null)
      .then((found) => {
        running.delete(gitFolder)
        if (found === null) known.delete(gitFolder)
        else known.set(gitFolder, found)
        return found
      })
    running.set(gitFolder, looking)
    return looking
  }

  return {
    async isClean(repository) {
      const { gitFolder, store } = repository
      const stamps = stampsOf(indexesIn(gitFolder))
      const isCurrent = (found: Known | null | undefined) =>
        found?.indexes === stamps && isSame(found.listings, store.listings)
      const before = known.get(gitFolder)
      if (before && isCurrent(before)) return before.isClean
      const looking = running.get(gitFolder) ?? start(repository)
      const late = new AbortController()
      const patience = wait(PATIENCE_MS, null, { signal: late.signal, ref: false }).catch(() => null)
      const found = await Promise.race([looking, patience])
      late.abort()
      return found !== null && isCurrent(found) && found.isClean
    },
  }
}

/** Objects of another repository would have to be looked through as well. Submodules have theirs in `modules`. */
function isBorrowing({ gitFolder, store }: Repository): boolean {
  const info = store.listings.find(({ path }) => path === join(store.path, 'info'))
  return info?.files.includes('alternates') === true || namesIn(join(gitFolder, 'modules')).length > 0
}

function packsIn({ path, listings }: Repository['store']): Set<string> {
  const folder = join(path, 'pack')
  const names = listings.find((listing) => listing.path === folder)?.files ?? []
  return new Set(names.filter((name) => name.endsWith('.idx')).map((name) => join(folder, name)))
}

function looseIn({ listings }: Repository['store']): Set<string> {
  return new Set(
    listings.flatMap(({ path, files }) => {
      const start = basename(path)
      return /^[0-9a-f]{2}$/.test(start)
        ? files.filter((name) => /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(name)).map((name) => start + name)
        : []
    }),
  )
}

/** That of the repository and those of its linked work trees. */
function indexesIn(gitFolder: string): string[] {
  const worktrees = namesIn(join(gitFolder, 'worktrees')).map((name) => join('worktrees', name))
  return ['.', ...worktrees]
    .map((folder) => join(gitFolder, folder, 'index'))
    .filter((path) => stampOf(path) !== null)
}

function stampsOf(paths: readonly string[]): string {
  return paths.map((path) => `${path} ${stampOf(path)}`).join('\n')
}

function stampOf(path: string): string | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : null
}

const MAX_CONFIG_BYTES = 1024 * 1024

function isSha256(gitFolder: string): boolean {
  const config = join(gitFolder, 'config')
  return /objectformat\s*=\s*sha256/i.test(readSmallFileSync(config, MAX_CONFIG_BYTES).toString('utf8'))
}

function isSubset(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].every((value) => other.has(value))
}

/** A folder that did not change has the very same listing. */
function isSame(one: readonly Listing[], other: readonly Listing[]): boolean {
  return one.length === other.length && one.every((listing, index) => listing === other[index])
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
