/** Which repository git would find: one inside the workspace that is not the workspace's own may run anything. */

import { follow, isInside, isKnown, parentOf } from '../path.js'
import type { World } from '../world.js'
import type { Call } from './handler.js'

/**
 * A folder with `HEAD`, `objects` and `refs` is a repository to git, and its settings name programs that even `git
 * status` runs. These are ordinary files, which a commit may bring along. Only the settings of the workspace's own
 * `.git` are trusted.
 */
export function judgeRepository({ reader, span }: Call): void {
  for (const folder of reader.state.folders) {
    const place = reader.mount(folder)
    if (place === null) continue
    if (!isKnown(place)) reader.ask('code', 'git runs in a folder that is not known before.', span)
    else if (hasOtherRepository(reader.world, place))
      reader.ask('code', `git finds another repository in ${folder}, whose settings may run programs.`, span)
  }
  const inner = innerRepository(reader.world)
  if (inner !== null)
    reader.ask('code', `git looks into the repository ${inner}, whose settings may run programs.`, span)
}

/** A repository that the workspace's own has stored as such, and that is there; null if there is none. */
function innerRepository({ fs, realWorkspace }: World): string | null {
  const links = fs.gitlinks(realWorkspace)
  if (links === null) return 'of an index that cannot be read'
  return links.find((link) => fs.list(`${realWorkspace}/${link}`)?.includes('.git') !== false) ?? null
}

function hasOtherRepository(world: World, folder: string): boolean {
  const { fs, realWorkspace } = world
  const real = follow(fs, folder, { last: true })
  if (real === null) return true
  for (let place = real; isInside(realWorkspace, place); place = parentOf(place)) {
    const names = new Set((fs.list(place) ?? []).map((name) => name.toLowerCase()))
    if (names.has('.git')) return place !== realWorkspace
    if (PARTS.every((part) => names.has(part))) return true
    if (place === realWorkspace) return false
  }
  return false
}

const PARTS = ['head', 'objects', 'refs']
