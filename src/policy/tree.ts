/** Looks through a whole tree, as a recursive reader would, for files that nobody should meet by the way. */

import { isOddName } from './file-system.js'
import { follow, isInside, nameOf } from './path.js'
import { protectionOf } from './protected.js'
import type { World } from './world.js'

export interface TreeOptions {
  /** The names that are read; all of them if not said. */
  accepts?: (name: string) => boolean
  /** The folders that are gone into; all of them if not said. */
  enters?: (name: string) => boolean
  /** Names with a leading dot are left out. */
  skipsHidden?: boolean
  followsLinks?: boolean
}

/** `too large`: there may be one. */
export type TreeLook = { kind: 'clean' } | { kind: 'too large' } | { kind: 'holds'; path: string }

/** About 5 ms of work. */
const MAX_ENTRIES = 4000

/**
 * Breadth first. Installed packages are looked at last, and only as far as the bound allows: what is in them was
 * published.
 */
export function lookThrough(world: World, start: string, options: TreeOptions = {}): TreeLook {
  const waiting = [start]
  const packages: string[] = []
  const seen = new Set<string>()
  let left = MAX_ENTRIES
  for (;;) {
    const isPackage = waiting.length === 0
    const folder = waiting.shift() ?? packages.shift()
    if (folder === undefined) return { kind: 'clean' }
    if (seen.has(folder)) continue
    seen.add(folder)
    const listed = world.fs.entries(folder)
    // Its parent has named it, and still it cannot be looked at: what a reader finds in it is not known.
    if (listed === null && folder !== start && !isPackage) return { kind: 'too large' }
    const entries = listed ?? []
    left -= entries.length + 1
    if (left < 0) return isPackage ? { kind: 'clean' } : { kind: 'too large' }
    const isSuspect = SUSPECT_FOLDER.test(folder)
    for (const { name, kind } of entries) {
      if (options.skipsHidden === true && name.startsWith('.')) continue
      const path = folder === '/' ? `/${name}` : `${folder}/${name}`
      if (isOddName(name)) return { kind: 'holds', path }
      if (kind === 'folder') {
        if (options.enters?.(name) === false) continue
        if (isPackage || name === 'node_modules') packages.push(path)
        else waiting.push(path)
        continue
      }
      const isRead = options.accepts?.(name) !== false
      if (isRead && (isSuspect || SUSPECT_NAME.test(name)) && protectionOf(path) === 'file')
        return { kind: 'holds', path }
      if (kind === 'link' && options.followsLinks === true) {
        const led = follow(world.fs, path, { last: true })
        if (led === null || !isInside(world.realWorkspace, led)) return { kind: 'holds', path }
        if (isRead && protectionOf(led) === 'file') return { kind: 'holds', path }
        if (options.enters?.(nameOf(path)) !== false) waiting.push(led)
      }
    }
  }
}

/** A cheap look before the dear one: everything that the rules of `protected.ts` could mean, and every odd spelling. */
const SUSPECT_NAME =
  /env|secret|credential|passw|id_|netrc|pgpass|htpasswd|vault-token|s3cfg|boto|\.(?:pem|p12|pfx|jks|keystore)|config|hosts|[^\w. ~+@,=()[\]{}!#$&'-]/i
const SUSPECT_FOLDER =
  /\/\.?(?:secrets?|credentials|passwords)(?:\/|$)|\/\.(?:ssh|gnupg|aws|azure|kube|docker|oci|config)(?:\/|$)|[^\w. ~+@,=()[\]{}!#$&'/-]/i
