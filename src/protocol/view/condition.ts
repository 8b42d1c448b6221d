/** The condition of a session: reported by events, or derived from the rest of its snapshot. Pure. */

import type { SessionEvent } from '../event/event.js'
import type { Condition } from '../event/session-event.js'
import type { Session } from '../session.js'
import { previewOf } from './preview.js'

const REASON_CHARACTERS = 400

/** Set and cleared by events. All others follow from the snapshot. */
const REPORTED: ReadonlySet<Condition> = new Set([
  'starting',
  'waiting_for_slot',
  'retrying',
  'not_responding',
  'rate_limited',
  'recording',
])
/** The session gets on all the same. */
const WHILE_WORKING: ReadonlySet<Condition> = new Set(['rate_limited', 'recording'])
/** They end with the process. */
const OF_PROCESS: ReadonlySet<Condition> = new Set(['starting', 'not_responding'])

type Shown = Pick<Session, 'condition' | 'conditionDetail'>

/** Whether something delays the work of the session: it has not begun, or does not get on. */
export function isDelayed({ condition }: Pick<Session, 'condition'>): boolean {
  return condition !== null && !WHILE_WORKING.has(condition) && REPORTED.has(condition)
}

/** The condition after an event. `after`: the snapshot with all other changes of the event. */
export function conditionAfter(before: Session, after: Session, event: SessionEvent): Shown {
  const reported = reportedAfter(before, after, event)
  return reported.condition === null ? derived(after) : reported
}

const NONE: Shown = { condition: null, conditionDetail: null }

function reportedAfter(before: Session, after: Session, event: SessionEvent): Shown {
  if (after.endedAt !== null || event.type === 'turn.started') return NONE
  if (event.type === 'session.changed' && event.data.condition !== undefined) {
    const { condition, conditionDetail = null } = event.data
    return condition !== null && REPORTED.has(condition) ? { condition, conditionDetail } : NONE
  }
  const { condition, conditionDetail } = before
  if (condition === null || !REPORTED.has(condition)) return NONE
  const hasTurnEnded = before.turn !== null && after.turn === null
  // The turn that a limit has ended waits for the limit; it is no longer retried.
  if (hasTurnEnded && (condition !== 'rate_limited' || after.failure === null)) return NONE
  if (before.process !== after.process && OF_PROCESS.has(condition)) return NONE
  return { condition, conditionDetail }
}

/** While a turn runs, a request waits or a message is queued, what went wrong before does not matter. */
function derived(view: Session): Shown {
  const { endedAt, turn, pendingRequests, queue } = view
  if (endedAt !== null || turn !== null || pendingRequests.length > 0 || queue.length > 0) return NONE
  if (view.isInterrupted) return { condition: 'interrupted', conditionDetail: null }
  if (view.failure) return { condition: 'failed', conditionDetail: { reason: view.failure.message } }
  const running = [...Object.values(view.tasks), ...Object.values(view.agents)]
  const [first] = running
  if (!first) return NONE
  const reason = first.description
  return { condition: 'background', conditionDetail: reason === null ? null : { reason } }
}

/** Why the last turn failed, or why none could start. Null after the start of a turn. */
export function failureAfter(view: Session, event: SessionEvent): Session['failure'] {
  switch (event.type) {
    case 'turn.started':
      return null
    case 'turn.ended': {
      const { turnId, outcome, stopReason: code, errors } = event.data
      if (view.turn !== null && view.turn.id !== turnId) return view.failure
      if (outcome !== 'failed') return null
      return { code, message: previewOf(errors[0] ?? code, REASON_CHARACTERS), at: event.at }
    }
    case 'error.raised': {
      // Within a turn its end reports how it went.
      if (view.turn !== null) return view.failure
      const { code, message } = event.data
      return { code, message: previewOf(message, REASON_CHARACTERS), at: event.at }
    }
    default:
      return view.failure
  }
}
