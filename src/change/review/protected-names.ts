/** Files that were protected under the name that they had before: their content is as secret under the new one. */

import type { Diff } from '../../protocol/change/diff.js'
import type { ChangeEvent } from '../history.js'

/** `changes`: all of the session. A later change of the file does not say any more where it came from. */
export function markProtected(diff: Diff, changes: readonly ChangeEvent[]): Diff {
  const names = new Set<string>()
  for (const { data } of changes)
    for (const { path, from, isProtected } of data.files)
      if (isProtected || (from !== undefined && names.has(from))) names.add(path)
  if (names.size === 0) return diff
  const isProtected = ({ path, from }: Diff['files'][number]) => names.has(path) || names.has(from ?? path)
  return {
    ...diff,
    files: diff.files.map((file) => (isProtected(file) ? { ...file, isProtected: true as const } : file)),
  }
}
