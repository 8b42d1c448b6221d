/** What the log says has started and never ended: older than what a snapshot remembers, where an end was once lost. */

import type { EventDraft, EventType, SessionEvent } from '../protocol/event.js'
import type { Store } from '../store/port.js'
import { cutOffTurn } from './recovery.js'

type Kind = 'turn' | 'tool' | 'hook' | 'agent' | 'task'

interface OpenEnd {
  kind: Kind
  id: string
  /** Of a tool. */
  name: string
}

const TYPES: readonly EventType[] = [
  'turn.started',
  'turn.ended',
  'tool.requested',
  'tool.ended',
  'hook.started',
  'hook.ended',
  'agent.started',
  'agent.ended',
  'task.started',
  'task.ended',
]
const PAGE = 2_000

/** Those that started behind one position and not behind the other, by session, in the order of their starts. */
export async function findOpenEnds(
  store: Pick<Store, 'readAll'>,
  { after, upTo }: { after: number; upTo: number },
): Promise<Map<string, EventDraft[]>> {
  const open = new Map<string, Map<string, OpenEnd>>()
  for (let from = after; ; ) {
    const page = await store.readAll({ after: from, types: TYPES, limit: PAGE })
    for (const { position, event } of page) note(open, event, position <= upTo)
    from = page.at(-1)?.position ?? from
    if (page.length < PAGE) break
  }
  const drafts = [...open].map(([sessionId, ends]): [string, EventDraft[]] => [
    sessionId,
    [...ends.values()].map(draftOf),
  ])
  return new Map(drafts.filter(([, ends]) => ends.length > 0))
}

function note(open: Map<string, Map<string, OpenEnd>>, event: SessionEvent, isOld: boolean): void {
  const end = endOf(event)
  if (!end) return
  const key = `${end.kind} ${end.id}`
  const ends = open.get(event.sessionId) ?? new Map<string, OpenEnd>()
  if (event.type.endsWith('.ended')) ends.delete(key)
  else if (isOld) ends.set(key, end)
  open.set(event.sessionId, ends)
}

function endOf({ type, data }: SessionEvent): OpenEnd | null {
  switch (type) {
    case 'turn.started':
    case 'turn.ended':
      return { kind: 'turn', id: data.turnId, name: '' }
    case 'tool.requested':
    case 'tool.ended':
      return { kind: 'tool', id: data.toolUseId, name: data.name }
    case 'hook.started':
    case 'hook.ended':
      return { kind: 'hook', id: data.hookId, name: '' }
    case 'agent.started':
    case 'agent.ended':
      return { kind: 'agent', id: data.agentId, name: '' }
    case 'task.started':
    case 'task.ended':
      return { kind: 'task', id: data.taskId, name: '' }
    default:
      return null
  }
}

function draftOf({ kind, id, name }: OpenEnd): EventDraft {
  switch (kind) {
    case 'turn':
      return cutOffTurn(id)
    case 'tool':
      return {
        type: 'tool.ended',
        data: { toolUseId: id, name, outcome: 'cancelled', durationMs: null, by: 'shutdown' },
      }
    case 'hook':
      return {
        type: 'hook.ended',
        data: { hookId: id, exitCode: null, outcome: 'broken', message: LOST, durationMs: null },
      }
    case 'agent':
      return { type: 'agent.ended', data: { agentId: id, outcome: 'interrupted' } }
    case 'task':
      return { type: 'task.ended', data: { taskId: id, outcome: 'interrupted' } }
  }
}

const LOST = 'Signalbox was stopped while it ran.'
