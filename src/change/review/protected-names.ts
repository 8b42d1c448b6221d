/** Files that were protected under the name that they had before: their content is as secret under the new one. */

import type { Diff } from '../../protocol/change/diff.js'
import { type ChangeEvent, protectedNames } from '../history.js'

export function markProtected(diff: Diff, changes: readonly ChangeEvent[]): Diff {
  const names = protectedNames(changes)
  if (names.size === 0) return diff
  const isProtected = ({ path, from }: Diff['files'][number]) => names.has(path) || names.has(from ?? path)
  return {
    ...diff,
    files: diff.files.map((file) => (isProtected(file) ? { ...file, isProtected: true as const } : file)),
  }
}
