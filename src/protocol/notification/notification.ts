/** Notifications: messages to users through channels, about something that needs them. */

import { z } from 'zod'
import { NotificationId, RequestId, SessionId } from '../id.js'
import { Severity } from '../policy/policy.js'
import { Timestamp } from '../value.js'
import { NotificationKind } from './notification-kind.js'
import { UserName } from './user.js'

/** The state of a notification. `withdrawn`: it was answered, or seen, before it could be sent. */
export const NotificationState = z.enum(['pending', 'delivered', 'failed', 'expired', 'withdrawn'])
export type NotificationState = z.infer<typeof NotificationState>

/** The subject of a notification: one request, or the end of a turn. */
const NotificationSubject = z.strictObject({
  kind: NotificationKind,
  sessionId: SessionId,
  requestId: RequestId.nullable(),
  severity: Severity.nullable(),
})

export const Notification = z.strictObject({
  id: NotificationId,
  channel: z.string(),
  user: UserName,
  state: NotificationState,
  isReminder: z.boolean(),
  subjects: z.array(NotificationSubject),
  createdAt: Timestamp,
  /** Of the last attempt. */
  at: Timestamp.nullable(),
  attempts: z.int().min(0),
  /** Time of the next attempt; null if there is none. */
  nextTryAt: Timestamp.nullable(),
  /** Why the last attempt failed. */
  error: z.string().nullable(),
  /** The service's id of the delivered message. */
  receipt: z.string().nullable(),
})
export type Notification = z.infer<typeof Notification>
