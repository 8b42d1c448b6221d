/** Failures of an undo as users see them: what happened, and the fix. */

import type { UndoConflict } from '../../protocol/change/diff.js'
import { HubError } from '../../protocol/error.js'
import { shownPath } from '../byte-path.js'
import { HalfDone } from './apply.js'
import { ChangedMeanwhile } from './held-tree.js'

const REASONS: Readonly<Record<UndoConflict['reason'], string>> = {
  changed: 'changed since',
  deleted: 'deleted since',
  created: 'created since',
  binary: 'a binary file that changed since',
  replaced: 'something else is in its place',
  shared: 'another call may have changed it at the same time',
}

export function conflictError(conflicts: readonly UndoConflict[]): HubError {
  const listed = conflicts.slice(0, 5).map(({ path, reason }) => `${path} (${REASONS[reason]})`)
  const more = conflicts.length > 5 ? ` and ${conflicts.length - 5} more` : ''
  return new HubError(
    'undo_conflict',
    `Nothing was undone: ${listed.join(', ')}${more}. Undo other files alone, or resolve these by hand.`,
    { conflicts },
  )
}

/** Failures of the folder, which the user can do something about. Others are our own. */
export function shownFailure(error: unknown): unknown {
  if (error instanceof ChangedMeanwhile)
    return conflictError([{ path: shownPath(error.path), reason: 'changed' }])
  const isHalf = error instanceof HalfDone
  const code = codeOf(isHalf ? error.cause : error)
  if (!isHalf && code === null) return error
  const why =
    code === null ? '' : ` The system refused to write a file (${code}): check permissions and free space.`
  const message = isHalf ? error.message : 'Nothing was undone.'
  return new HubError('undo_failed', `${message}${why}`, code === null ? {} : { cause: code }, {
    cause: error,
  })
}

/** Of an error of the system: `EACCES`. */
function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : null
  return typeof code === 'string' && code.startsWith('E') ? code : null
}
