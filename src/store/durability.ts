/** Decides which commits must be fsynced before they are acknowledged, and which may wait for the next fsync. */

import type { EventType } from '../protocol/event/event.js'
import type { AppendGroup, StampedDraft } from './port/append.js'

/**
 * Progress of a turn: a commit of only these is not fsynced. It survives a crash of the process, but not a power cut.
 * The next fsynced commit (at the latest the end of the turn) makes them durable in order, so a power cut can lose only
 * the newest of them.
 */
const PROGRESS: ReadonlySet<EventType> = new Set<EventType>([
  'message.delivered',
  'turn.started',
  'text.ended',
  'thinking.ended',
  'tool.requested',
  'tool.started',
  'tool.progressed',
  'tool.ended',
  'hook.started',
  'hook.ended',
  'skill.started',
  'skill.ended',
  'agent.started',
  'agent.ended',
  'task.started',
  'task.progressed',
  'task.ended',
  'context.compacted',
  'notice.raised',
  'notification.delivered',
  'notification.failed',
  'notification.expired',
  'sdk.message',
  'changes.recorded',
  'changes.overlapped',
])

/** Fields of the current activity, which are outdated after a crash anyway. */
const PASSING: ReadonlySet<string> = new Set(['activity', 'contextTokens', 'branch'])

export function mustReachDisk(groups: readonly AppendGroup[]): boolean {
  return groups.some(
    ({ once, drafts, isRepeatable }) =>
      isRepeatable !== true && (once !== undefined || !drafts.every(isProgress)),
  )
}

function isProgress({ type, data }: StampedDraft): boolean {
  if (type === 'session.changed') return Object.keys(data).every((key) => PASSING.has(key))
  return PROGRESS.has(type)
}
