/** All names of files that have more than one: what is hidden under one name must not be shown under another. */

import { lstatSync } from 'node:fs'
import type { Listing } from './folder-listing.js'

export interface Twins {
  /** The other names of these files in the listed folders; null: there are too many files to look for them. */
  find(
    files: readonly string[],
    elsewhere: readonly string[],
    listings: readonly Listing[],
    generation: number,
  ): Promise<readonly string[] | null>
}

/** Every file must be looked at, so it is done only where there is a link, and again only after a folder has changed. */
export function createTwins(maxFiles: number): Twins {
  let known: { key: string; twins: readonly string[] } | null = null
  return {
    async find(files, elsewhere, listings, generation) {
      const wanted = new Set([...files, ...elsewhere].flatMap(linkedFile))
      if (wanted.size === 0) return []
      const key = `${generation} ${listings[0]?.path} ${[...wanted].join(' ')}`
      // A name that is new or gone has changed its folder.
      if (known?.key === key && !listings.some(({ isRacy }) => isRacy)) return known.twins
      const paths = listings.flatMap(({ path, files: names }) => names.map((name) => `${path}/${name}`))
      if (paths.length > maxFiles) return null
      const twins = paths.filter((path) => linkedFile(path).some((id) => wanted.has(id)))
      known = { key, twins }
      return twins
    },
  }
}

/** The identity of a file that has more than one name. */
function linkedFile(path: string): string[] {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() && stats.nlink > 1 ? [`${stats.dev}:${stats.ino}`] : []
  } catch {
    // Behind something that is no folder, such as a home that is /dev/null.
    return []
  }
}
