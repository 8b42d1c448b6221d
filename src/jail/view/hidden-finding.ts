/** Paths to hide, as found by one scan of a workspace. */

import { type BigIntStats, lstatSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { isProtectedFile } from '../../policy/file/protected.js'
import { reason } from '../../protocol/reason/reason.js'
import { credentialConfigsIn, isNestedRepository, isObjectStore, patchesIn } from '../git/git-place.js'
import type { Listing } from './folder-listing.js'
import { Problem } from './folder-walk.js'
import type { Hidden, Search } from './hidden-file.js'
import { MAX_WATCHED } from './name-watch.js'

export class Finding {
  readonly files = new Set<string>()
  readonly closed = new Set<string>()
  readonly listings: Listing[] = []
  readonly #search: Search
  readonly #folders: Set<string>
  readonly #stores: ReadonlyMap<string, Listing[]>
  readonly #claudeFolders: string[] = []
  readonly #gitConfigs: string[] = []
  /** Links with a protected name that lead to folders. */
  readonly #aliases = new Map<string, string>()
  #hasBorrowedName = false

  constructor(search: Search) {
    this.#search = search
    this.#folders = new Set(search.ownFolders.filter((own) => this.#isInside(own) && statsOf(own) !== null))
    this.#stores = new Map(search.ownStores.map((store) => [store, []]))
  }

  /** False: it is hidden as a whole. */
  visit(listing: Listing): boolean {
    const { path } = listing
    if (isObjectStore(listing) && !this.#stores.has(path)) {
      this.#folders.add(path)
      return false
    }
    this.listings.push(listing)
    for (const [store, below] of this.#stores)
      if (path === store || path.startsWith(`${store}/`)) below.push(listing)
    if (path.endsWith('/.claude')) this.#claudeFolders.push(path)
    for (const name of [...listing.special, ...patchesIn(listing)]) this.files.add(`${path}/${name}`)
    for (const name of credentialConfigsIn(listing)) this.#gitConfigs.push(`${path}/${name}`)
    for (const name of listing.protected) this.#hideTarget(`${path}/${name}`)
    if (isNestedRepository(listing, this.#search.roots)) this.#hideFolder(`${path}/objects`)
    return true
  }

  /** A file is protected if any of its paths is: the real one, or one through a symlink. */
  followAliases(): void {
    // A link in such a folder may be one more: it is added while we go.
    for (const [link, folder] of this.#aliases) {
      for (const { path, files, links } of this.listings) {
        if (!`${path}/`.startsWith(`${folder}/`)) continue
        const alias = `${link}${path.slice(folder.length)}`
        for (const name of [...files, ...links])
          if (isProtectedFile(`${alias}/${name}`)) this.#hideTarget(`${path}/${name}`)
      }
    }
  }

  hide(path: string): void {
    this.files.add(path)
    this.#hasBorrowedName ||= !isProtectedFile(path)
  }

  result(maxFiles: number): Hidden {
    const folders = [...this.#folders]
    const closed = [...this.closed]
    const whole = [...folders, ...closed]
    const files = [...this.files].filter((file) => !whole.some((folder) => file.startsWith(`${folder}/`)))
    if (files.length + whole.length > maxFiles)
      throw new Problem(reason('jail.too-many-hidden', { count: String(maxFiles) }))
    return {
      files,
      folders,
      closed,
      stores: this.#stores,
      claudeFolders: this.#claudeFolders,
      gitConfigs: this.#gitConfigs,
      hasBorrowedName: this.#hasBorrowedName,
      watchable: this.#watchable(files),
      identities: identitiesOf([...files, ...whole, ...this.#gitConfigs]),
    }
  }

  #watchable(files: readonly string[]): string[] {
    const folders = new Set([...this.#search.roots, ...files.map((file) => dirname(file))])
    for (const { path } of this.listings) {
      if (folders.size >= MAX_WATCHED) break
      // Objects of git have no telling names.
      if (![...this.#stores.keys()].some((store) => path.startsWith(store))) folders.add(path)
    }
    return [...folders].slice(0, MAX_WATCHED)
  }

  #isInside(path: string): boolean {
    return this.#search.roots.some((root) => path === root || path.startsWith(`${root}/`))
  }

  /** A link that leads out of the workspace leads nowhere in the jail; one to a folder is another name for it. */
  #hideTarget(path: string): void {
    const real = realOf(path)
    if (real === null || !this.#isInside(real)) return
    if (statsOf(real)?.isDirectory()) this.#aliases.set(path, real)
    else this.hide(real)
  }

  #hideFolder(path: string): void {
    const real = realOf(path)
    if (real !== null && this.#isInside(real) && !this.#stores.has(real)) this.#folders.add(real)
  }
}

/**
 * A file that got another name, even for a moment, has another time of change. That of a folder changes with its entries, and
 * that of a FIFO with each message.
 */
export function identitiesOf(paths: readonly string[]): string[] {
  return paths.map((path) => {
    const stats = statsOf(path)
    if (stats === null) return `${path} -`
    const { dev, ino, birthtimeNs, ctimeNs } = stats
    return `${path} ${dev}:${ino}:${birthtimeNs}:${stats.isFile() ? ctimeNs : ''}`
  })
}

function statsOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
