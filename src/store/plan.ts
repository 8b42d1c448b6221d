/** Plans an append for one session: the numbered events, and the snapshot after them. Pure. */

import type { EventDraft, SessionEvent } from '../protocol/event/event.js'
import type { Session } from '../protocol/session.js'
import type { UsageSum } from '../protocol/usage/usage.js'
import { applyEvent } from '../protocol/view/view.js'
import type { AppendGroup, Refusal, StampedDraft } from './port/append.js'

export type Plan =
  | { kind: 'stored'; events: SessionEvent[]; session: Session }
  | { kind: 'refused'; why: Refusal }

/** `holderOf`: the id of the session that uses an external id and has not ended. */
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
    // Cast: spreading a union loses the relation between `type` and `data`.
    const event = { seq, id, sessionId: group.sessionId, at, type, data } as SessionEvent
    events.push(event)
    session = applyEvent(session, event)
  }
  for (const draft of group.drafts) {
    // Race: of two answers, the second finds its request resolved.
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
  const last = events.at(-1)
  const change = stateChange(before, session, last)
  if (change && last) add({ ...change, id: newId(), at: last.at })
  return { kind: 'stored', events, session }
}

/** The refusal for a used idempotency key. Older versions stored no digest, so the requests count as the same. */
export function keyUsed(
  used: { readonly value: string; readonly digest: string },
  { digest = '' }: NonNullable<AppendGroup['once']>,
): Refusal {
  const isSame = used.digest === '' || used.digest === digest
  return { kind: 'key_used', value: used.value, isSame }
}

/** The external id that this session reserves; null once it has ended. */
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

/** The requests that this type of event may refer to; null for events that refer to none. */
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

/** Cancels queued messages when a session ends, for whatever reason. */
function cancellations(session: Session | null, end: EventDraft & { type: 'session.ended' }): EventDraft[] {
  const { reason } = end.data
  return (session?.queue ?? []).map(({ messageId }) => ({
    type: 'message.cancelled',
    data: { messageId, reason },
  }))
}

/** A change of state or condition is an event of its own, stored with the events that caused it. */
function stateChange(
  before: Session | null,
  after: Session,
  last: SessionEvent | undefined,
): EventDraft | null {
  const { state, activity, condition, conditionDetail } = after
  const isStateNew = (before?.state ?? 'idle') !== state
  const isSaid = last?.type === 'session.changed' && last.data.condition === condition
  const isConditionNew = (before?.condition ?? null) !== condition && !isSaid
  if (!isStateNew && !isConditionNew) return null
  return {
    type: 'session.changed',
    data: {
      ...(isStateNew && { state, activity }),
      ...(isConditionNew && { condition, ...(conditionDetail && { conditionDetail }) }),
    },
  }
}

/** Whether the session has unfinished work that the daemon must recover after a restart. */
export function isActive({
  process,
  turn,
  stopping,
  pendingRequests,
  parkedRequests,
  pendingTools,
  agents,
  tasks,
  queue,
  worktree,
}: Session): boolean {
  const open = [pendingRequests, parkedRequests, queue, ...[pendingTools, agents, tasks].map(Object.keys)]
  if (stopping !== null || worktree?.setup === 'running') return true
  return process !== 'none' || turn !== null || open.some((list) => list.length > 0)
}

/** Transcripts contain no prices. A cost of zero despite tokens means that our price list lacks the model. */
export function isPriced(sum: Omit<UsageSum, 'isPriced'>): boolean {
  const { source, costUsd, inputTokens, outputTokens } = sum
  return source !== 'transcript' || costUsd > 0 || inputTokens + outputTokens === 0
}
