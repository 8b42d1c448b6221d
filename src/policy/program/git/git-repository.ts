/**
 * Finds the repository that git would use and the content it may show. Any repository but the workspace's own may run
 * anything.
 */

import { reason } from '../../../protocol/reason/reason.js'
import type { CallEnvironment } from '../../file/call-environment.js'
import { follow, isInside, isKnown, parentOf } from '../../file/path.js'
import type { Call } from '../handler.js'

/**
 * Git may treat any folder with a `HEAD` as a repository: the rest of it may be in another place (`commondir`), and its
 * settings name programs that even `git status` runs. These are ordinary files, which a commit may contain. Only the
 * settings of the workspace's own `.git` are trusted, or those of the repository that contains the workspace.
 */
export function judgeRepository({ context, span }: Call): void {
  const { environment } = context
  for (const folder of context.state.folders) {
    const place = context.mount(folder)
    if (place === null) continue
    if (!isKnown(place)) context.ask('code', reason('git.unknown-folder'), span)
    else if (hasOtherRepository(environment, place))
      context.ask('code', reason('git.other-repository', { path: folder }), span)
  }
  const inner = innerRepository(environment)
  if (inner !== null) context.ask('code', reason('git.inner-repository', { path: inner }), span)
}

/** The top of the working tree that contains the workspace; null if there is none. */
export function topOf({ fs, realWorkspace }: CallEnvironment): string | null {
  for (let folder = realWorkspace; ; folder = parentOf(folder)) {
    if (fs.list(folder)?.includes('.git')) return folder
    if (folder === '/') return null
  }
}

/** An existing repository that is recorded as a gitlink in the workspace's own; null if there is none. */
function innerRepository(environment: CallEnvironment): string | null {
  const { fs } = environment
  const top = topOf(environment)
  const repository = top === null ? null : fs.repository(top)
  if (repository === null) return null
  if (repository.index === null) return 'of an index that cannot be read'
  return repository.index.links.find((link) => fs.list(`${top}/${link}`)?.includes('.git') !== false) ?? null
}

function hasOtherRepository(environment: CallEnvironment, folder: string): boolean {
  const { fs, realWorkspace } = environment
  const real = follow(fs, folder, { last: true })
  if (real === null) return true
  for (let place = real; isInside(realWorkspace, place); place = parentOf(place)) {
    const names = new Set((fs.list(place) ?? []).map((name) => name.toLowerCase()))
    if (names.has('.git')) return place !== realWorkspace || fs.repository(place)?.isWhole === false
    if (names.has('head')) return true
    if (place === realWorkspace) return false
  }
  return false
}
