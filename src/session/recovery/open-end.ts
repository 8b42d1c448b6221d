/**
 * Finds events in the log that started and never ended. Older than the state in a snapshot: logs in which an
 * end was once lost.
 */

import type { EventDraft, EventType, SessionEvent } from '../../protocol/event/event.js'
import type { RunnerStore } from '../../store/port/runner-store.js'
import { cutOffTurn } from './recovery-drafts.js'

const TYPES: readonly EventType[] = [
  'turn.started',
  'turn.ended',
  'tool.requested',
  'tool.ended',
  'hook.started',
  'hook.ended',
  'skill.started',
  'skill.ended',
  'agent.started',
  'agent.ended',
  'task.started',
  'task.ended',
]
const PAGE = 2_000

/** Those that started behind one position and not behind the other, by session, in the order of their starts. */
export async function findOpenEnds(
  store: Pick<RunnerStore, 'readAll'>,
  { after, upTo }: { after: number; upTo: number },
): Promise<Map<string, EventDraft[]>> {
  const open = new Map<string, Map<string, EventDraft>>()
  for (let from = after; ; ) {
    const page = await store.readAll({ after: from, types: TYPES, limit: PAGE })
    for (const { position, event } of page) note(open, event, position <= upTo)
    from = page.at(-1)?.position ?? from
    if (page.length < PAGE) break
  }
  const drafts = [...open].map(([sessionId, ends]): [string, EventDraft[]] => [sessionId, [...ends.values()]])
  return new Map(drafts.filter(([, ends]) => ends.length > 0))
}

function note(open: Map<string, Map<string, EventDraft>>, event: SessionEvent, isOld: boolean): void {
  const found = endOf(event)
  if (!found) return
  const [key, end] = found
  const ends = open.get(event.sessionId) ?? new Map<string, EventDraft>()
  if (event.type.endsWith('.ended')) ends.delete(key)
  else if (isOld) ends.set(key, end)
  open.set(event.sessionId, ends)
}

/** The thing that an event starts or ends, and the end event to write if it has none. */
function endOf({ type, data }: SessionEvent): [key: string, end: EventDraft] | null {
  switch (type) {
    case 'turn.started':
    case 'turn.ended':
      return [`turn ${data.turnId}`, cutOffTurn(data.turnId)]
    case 'tool.requested':
    case 'tool.ended': {
      const { toolUseId, name } = data
      const end = { toolUseId, name, outcome: 'cancelled', durationMs: null, by: 'shutdown' } as const
      return [`tool ${toolUseId}`, { type: 'tool.ended', data: end }]
    }
    case 'hook.started':
    case 'hook.ended': {
      const { hookId } = data
      const end = { hookId, exitCode: null, outcome: 'broken', message: LOST, durationMs: null } as const
      return [`hook ${hookId}`, { type: 'hook.ended', data: end }]
    }
    case 'skill.started':
    case 'skill.ended': {
      // Those of terminals are ended by what is known of the terminal.
      if (data.toolUseId === undefined) return null
      const end = { ...data, outcome: 'interrupted', durationMs: null } as const
      return [`skill ${data.toolUseId}`, { type: 'skill.ended', data: end }]
    }
    case 'agent.started':
    case 'agent.ended': {
      const { agentId } = data
      return [`agent ${agentId}`, { type: 'agent.ended', data: { agentId, outcome: 'interrupted' } }]
    }
    case 'task.started':
    case 'task.ended': {
      const { taskId } = data
      return [`task ${taskId}`, { type: 'task.ended', data: { taskId, outcome: 'interrupted' } }]
    }
    default:
      return null
  }
}

const LOST = 'Signalbox was stopped while it ran.'
