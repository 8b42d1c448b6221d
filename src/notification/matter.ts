/** A matter: something that a user may have to be notified about, from its start until it is settled. Pure. */

import type { SessionEvent } from '../protocol/event/event.js'
import type { NotificationKind } from '../protocol/notification/notification-kind.js'
import type { Severity } from '../protocol/policy/policy.js'
import type { InboxRequest } from '../protocol/request.js'
import type { Session } from '../protocol/session.js'

export interface Matter {
  /** The request, or the turn that ended. */
  readonly id: string
  readonly kind: NotificationKind
  readonly sessionId: string
  readonly requestId: string | null
  readonly cwd: string
  readonly severity: Severity | null
  /** Milliseconds since 1970, as all times here. */
  readonly raisedAt: number
  /** Why it failed, or the last words of the agent. */
  readonly text: string | null
  /** Notifications so far, oldest first. */
  readonly sent: readonly SentStep[]
}

export interface SentStep {
  readonly notificationId: string
  readonly user: string
  readonly channel: string
  readonly isReminder: boolean
  /** Of its delivery, or of its planning before that. */
  readonly at: number
  /** After a failure the next step follows at once. */
  readonly state: 'pending' | 'delivered' | 'failed'
}

export function matterOfRequest(request: InboxRequest, cwd: string): Matter {
  return {
    id: request.id,
    kind: 'needs_you',
    sessionId: request.sessionId,
    requestId: request.id,
    cwd,
    severity: severityOf(request),
    raisedAt: Date.parse(request.requestedAt),
    text: null,
    sent: [],
  }
}

/** A question or a plan stops an agent whatever it does: a threshold for calls does not hide it. */
function severityOf({ kind, plan, severity }: InboxRequest): Severity | null {
  return kind === 'question' || plan !== null ? 'serious' : (severity ?? null)
}

/**
 * The matter that an event other than a request raises, in the session as it is now; null for none. The end of a turn is
 * never `needs_you`. A session that an agent called reports to that agent.
 */
export function matterOfEnd(event: SessionEvent, session: Session, finishedAfterMs: number): Matter | null {
  if (session.parentToolUseId !== null) return null
  // A conversation of the past, imported from a transcript.
  if (session.kind === 'observed' && session.isArchived) return null
  const base = {
    sessionId: session.id,
    requestId: null,
    cwd: session.cwd,
    raisedAt: Date.parse(event.at),
    sent: [],
  }
  if (event.type === 'session.ended')
    return event.data.outcome === 'failed'
      ? { ...base, id: event.id, kind: 'failed', severity: 'serious', text: event.data.reason }
      : null
  if (event.type !== 'turn.ended') return null
  const { turnId, outcome, durationMs, errors, text } = event.data
  if (outcome === 'failed')
    return { ...base, id: turnId, kind: 'failed', severity: 'serious', text: errors[0] ?? text }
  const isDone = outcome === 'completed' && isIdle(session)
  if (!isDone || durationMs === null || durationMs < finishedAfterMs) return null
  return { ...base, id: turnId, kind: 'finished', severity: null, text }
}

/** Nothing goes on in it, and nothing is about to. */
function isIdle({ turn, queue, agents, tasks }: Session): boolean {
  return turn === null && queue.length === 0 && Object.keys({ ...agents, ...tasks }).length === 0
}

/** Whether an event settles a matter of its session. */
export function isSettledBy(matter: Matter, event: SessionEvent): boolean {
  if (matter.sessionId !== event.sessionId) return false
  switch (event.type) {
    case 'permission.resolved':
    case 'question.resolved':
      return event.data.requestId === matter.requestId
    // The session continues: how the last turn ended is no longer news.
    case 'turn.started':
    case 'message.queued':
      return matter.requestId === null && event.at >= new Date(matter.raisedAt).toISOString()
    default:
      return false
  }
}
