/** What must outlive a power cut the moment it is told, and what may wait for the next such commit. */

import type { EventType } from '../protocol/event/event.js'
import type { AppendGroup, StampedDraft } from './port.js'

/**
 * Progress of a turn. Every commit outlives the end of the process; a commit of these alone does not wait for the disk. The
 * next one that does (at the latest the end of the turn) takes them along, in their order, so that a power cut can take
 * only the newest of them.
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
  'sdk.message',
])

/** What a session is doing right now. */
const PASSING: ReadonlySet<string> = new Set(['activity', 'contextTokens', 'branch'])

export function mustReachDisk(groups: readonly AppendGroup[]): boolean {
  return groups.some(({ once, drafts }) => once !== undefined || !drafts.every(isProgress))
}

function isProgress({ type, data }: StampedDraft): boolean {
  if (type === 'session.changed') return Object.keys(data).every((key) => PASSING.has(key))
  return PROGRESS.has(type)
}
