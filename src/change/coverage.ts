/** Notices about what undo does not cover, for the log of a session. */

import type { EventDraft } from '../protocol/event/event.js'
import { raiseNotice } from '../protocol/event/notice.js'
import { type Reason, reason } from '../protocol/reason/reason.js'
import { TooLarge } from './snapshot/snapshot-store.js'

export interface CallCoverage {
  /** Files outside the workspace that the call names. */
  outside: readonly string[]
  /** Ignored files that it names, where there are more than are saved. */
  tooManyIgnored: number | null
}

const MAX_NAMED = 5
const TOPIC = 'changes'

/** Null: everything that the call names is covered. */
export function coverageNotice(
  toolUseId: string,
  { outside, tooManyIgnored }: CallCoverage,
): EventDraft | null {
  const parts: Reason[] = []
  if (outside.length > 0) {
    const more = outside.length > MAX_NAMED ? [`+${outside.length - MAX_NAMED}`] : []
    parts.push(reason('notice.undo-outside', { files: [...outside.slice(0, MAX_NAMED), ...more].join(', ') }))
  }
  if (tooManyIgnored !== null) parts.push(reason('notice.undo-ignored', { count: String(tooManyIgnored) }))
  if (parts.length === 0) return null
  return raiseNotice('warning', TOPIC, parts, {
    toolUseId,
    outside: outside.slice(0, MAX_NAMED),
    tooManyIgnored,
  })
}

/** Recording failed: calls run all the same, and their changes cannot be undone. */
export function failureNotice(error: unknown): EventDraft {
  if (error instanceof TooLarge) {
    const { files, bytes } = error.size
    const size = { files: String(files), megabytes: String(Math.round(bytes / 1024 / 1024)) }
    return raiseNotice('warning', TOPIC, reason('notice.recording-too-large', size))
  }
  const why = error instanceof Error ? error.message : 'unknown failure'
  return raiseNotice('warning', TOPIC, reason('notice.recording-failed', { reason: why }))
}

/** The store was over its limit. */
export function deletedNotice(): EventDraft {
  return raiseNotice('warning', TOPIC, reason('notice.snapshots-deleted'))
}
