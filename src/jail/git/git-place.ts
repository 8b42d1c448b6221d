/** Places where git keeps content under names that say nothing about it. */

import { isRebasePatch } from '../../policy/file/git-patch.js'
import { isGitConfig, settingsAt } from '../../policy/file/git-settings.js'
import type { Listing } from '../view/folder-listing.js'

/** A repository within the workspace: its history is not looked through, so its objects are hidden. */
export function isNestedRepository(
  { path, folders, files, links }: Listing,
  roots: readonly string[],
): boolean {
  const isOwn = roots.some((root) => path === root || path === `${root}/.git`)
  const has = (name: string) => folders.includes(name) || links.includes(name)
  return !isOwn && has('objects') && has('refs') && (files.includes('HEAD') || links.includes('HEAD'))
}

/** Objects of git without a repository around them, which another one can be made to read. */
export function isObjectStore({ folders, files }: Listing): boolean {
  return (
    folders.includes('pack') &&
    folders.every((name) => /^(?:pack|info|[0-9a-f]{2})$/.test(name)) &&
    files.every((name) => name.startsWith('tmp_'))
  )
}

/** Configuration files with the password or token of a remote. One that cannot be read counts as one. */
export function credentialConfigsIn({ path, files }: Listing): string[] {
  return files
    .filter((name) => isGitConfig(name, files))
    .filter((name) => holdsCredentials(`${path}/${name}`))
}

function holdsCredentials(path: string): boolean {
  try {
    return settingsAt(path) === 'credentials'
  } catch {
    return true
  }
}

export function patchesIn({ path, files }: Listing): string[] {
  return files.filter((name) => isRebasePatch(path, name))
}
