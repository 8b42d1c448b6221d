/** A notification as it is stored: on its way in the outbox, then in the history. Pure. */

import type { Notification, NotificationState } from '../protocol/notification/notification.js'
import type { RecordChange } from '../store/port/record.js'
import type { Matter } from './matter.js'

/** Record kinds. */
export const MATTER = 'matter'
export const OUTBOX = 'outbox'
export const HISTORY = 'notification'

export interface OutboxRow {
  readonly id: string
  /** `withdraw`: the matters are settled; the message that was sent is removed or replaced. */
  readonly action: 'send' | 'withdraw'
  readonly channel: string
  readonly user: string
  readonly isReminder: boolean
  readonly matterIds: readonly string[]
  readonly subjects: Notification['subjects']
  readonly createdAt: number
  /** After this time it is not tried again, and the next channel follows. */
  readonly giveUpAt: number
  /** Whether giving up is an expiry: there is no other channel. */
  readonly isLast: boolean
  readonly attempts: number
  readonly nextTryAt: number
  readonly lastTryAt: number | null
  readonly error: string | null
  readonly state: NotificationState
  readonly receipt: string | null
  /** For `withdraw`: the notification that was sent, and the request that was answered. */
  readonly settled: { readonly notificationId: string; readonly requestId: string | null } | null
  /** The events about its end are in the log. */
  readonly isReported: boolean
}

export function subjectOf({ kind, sessionId, requestId, severity }: Matter): OutboxRow['subjects'][number] {
  return { kind, sessionId, requestId, severity }
}

/** A row that waits is in the outbox, one that has ended in the history. */
export function saveRow(row: OutboxRow): RecordChange[] {
  const isOver = row.state !== 'pending' && row.isReported
  if (!isOver) return [{ kind: OUTBOX, id: row.id, body: row }]
  const gone = { kind: OUTBOX, id: row.id, body: null }
  return row.action === 'send' ? [gone, { kind: HISTORY, id: row.id, body: row }] : [gone]
}

export function saveMatter(matter: Matter): RecordChange {
  return { kind: MATTER, id: matter.id, body: matter }
}

export function removeMatter(id: string): RecordChange {
  return { kind: MATTER, id, body: null }
}

/** As the API shows it. */
export function notificationOf(row: OutboxRow): Notification {
  const { id, channel, user, state, isReminder, subjects, attempts, error, receipt } = row
  return {
    id,
    channel,
    user,
    state,
    isReminder,
    subjects: [...subjects],
    createdAt: isoTime(row.createdAt),
    at: row.lastTryAt === null ? null : isoTime(row.lastTryAt),
    attempts,
    nextTryAt: state === 'pending' ? isoTime(row.nextTryAt) : null,
    error,
    receipt,
  }
}

export function isoTime(at: number): string {
  return new Date(at).toISOString()
}
