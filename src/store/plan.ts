/** What storing a group of drafts means for a session: the events with their numbers, and the snapshot after them. */

import type { EventDraft, SessionEvent } from '../protocol/event/event.js'
import type { Session } from '../protocol/session.js'
import { applyEvent } from '../protocol/view/view.js'
import type { AppendGroup, Refusal, StampedDraft, UsageSum } from './port.js'

export type Plan =
  | { kind: 'stored'; events: SessionEvent[]; session: Session }
  | { kind: 'refused'; why: Refusal }

/** `holderOf`: the session that has not ended and has an external id. */
export function planAppend(
  before: Session | null,
  group: AppendGroup,
  newId: () => string,
  holderOf: (externalId: string) => string | null,
): Plan {
  let session = before
  const events: SessionEvent[] = []
  const add = (draft: StampedDraft) => {
    const seq = (session?.lastSeq ?? 0) + 1
    const { type, data, id, at } = draft
    // A draft has the type and data of its event; the spread of a union loses that connection.
    const event = { seq, id, sessionId: group.sessionId, at, type, data } as SessionEvent
    events.push(event)
    session = applyEvent(session, event)
  }
  for (const draft of group.drafts) {
    const why = refusalOf(session, draft)
    if (why) return { kind: 'refused', why }
    const first = draft.type === 'session.ended' ? cancellations(session, draft) : []
    for (const cancelled of first) add({ ...cancelled, id: newId(), at: draft.at })
    add(draft)
  }
  if (!session) return { kind: 'refused', why: { kind: 'session_unknown' } }
  const externalId = openName(session)
  if (externalId !== null && externalId !== openName(before)) {
    const holder = holderOf(externalId)
    if (holder !== null) return { kind: 'refused', why: { kind: 'external_id_taken', externalId, holder } }
  }
  const change = stateChange(before, session)
  const last = events.at(-1)
  if (change && last) add({ ...change, id: newId(), at: last.at })
  return { kind: 'stored', events, session }
}

/** What is known of who has used a key before. A version that kept no digests may have stored it. */
export function keyUsed(
  used: { readonly value: string; readonly digest: string },
  { digest = '' }: NonNullable<AppendGroup['once']>,
): Refusal {
  const isSame = used.digest === '' || used.digest === digest
  return { kind: 'key_used', value: used.value, isSame }
}

/** The external id that nobody else may have now. */
export function openName(session: Session | null): string | null {
  return session === null || session.endedAt !== null ? null : session.externalId
}

function refusalOf(session: Session | null, draft: EventDraft): Refusal | null {
  if (draft.type === 'session.created') return session ? { kind: 'session_exists' } : null
  if (!session) return { kind: 'session_unknown' }
  if (draft.type === 'message.queued' && session.endedAt !== null) return { kind: 'session_ended' }
  if (draft.type === 'message.delivered' || draft.type === 'message.cancelled') {
    const { messageId } = draft.data
    const isQueued = session.queue.some((message) => message.messageId === messageId)
    return isQueued ? null : { kind: 'message_not_queued', messageId }
  }
  if (draft.type === 'request.parked' && draft.data.answered) {
    const { requestId } = draft.data
    const isOpen = session.pendingRequests.includes(requestId) || session.parkedRequests.includes(requestId)
    return isOpen ? { kind: 'request_not_pending', requestId } : null
  }
  const waiting = waitingFor(session, draft)
  if (!waiting || !('requestId' in draft.data)) return null
  const { requestId } = draft.data
  return waiting.includes(requestId) ? null : { kind: 'request_not_pending', requestId }
}

/** The requests that an event about one can be about; null for any other event. */
function waitingFor({ pendingRequests, parkedRequests }: Session, { type }: EventDraft): string[] | null {
  switch (type) {
    case 'permission.resolved':
    case 'question.resolved':
    case 'request.held':
    case 'request.released':
      return pendingRequests
    case 'request.parked':
      return pendingRequests.filter((id) => !parkedRequests.includes(id))
    case 'request.revived':
    case 'request.lapsed':
      return parkedRequests
    default:
      return null
  }
}

/** What still waits for a session is cancelled when it ends, whatever ends it. */
function cancellations(session: Session | null, end: EventDraft & { type: 'session.ended' }): EventDraft[] {
  const { reason } = end.data
  return (session?.queue ?? []).map(({ messageId }) => ({
    type: 'message.cancelled',
    data: { messageId, reason },
  }))
}

/** Every change of state is a fact of its own, stored with what caused it. */
function stateChange(before: Session | null, after: Session): EventDraft | null {
  if ((before?.state ?? 'idle') === after.state) return null
  return { type: 'session.changed', data: { state: after.state, activity: after.activity } }
}

/** Whether something is under way that must be looked after when the daemon starts again. */
export function isActive({
  process,
  turn,
  pendingRequests,
  parkedRequests,
  pendingTools,
  agents,
  tasks,
  queue,
}: Session): boolean {
  const open = [pendingRequests, parkedRequests, queue, ...[pendingTools, agents, tasks].map(Object.keys)]
  return process !== 'none' || turn !== null || open.some((list) => list.length > 0)
}

/** A transcript tells no price; where the model has none in our list either, the cost is zero. */
export function isPriced(sum: Omit<UsageSum, 'isPriced'>): boolean {
  const { source, costUsd, inputTokens, outputTokens } = sum
  return source === 'sdk' || costUsd > 0 || inputTokens + outputTokens === 0
}
