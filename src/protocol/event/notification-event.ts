/** Events of notifications: what was sent to users about this session, and what could not be. */

import { z } from 'zod'
import { NotificationId, RequestId } from '../id.js'
import { NotificationKind } from '../notification/notification-kind.js'
import { Timestamp } from '../value.js'
import { defineEvent } from './define-event.js'

const notification = {
  notificationId: NotificationId,
  channel: z.string(),
  /** The recipient. */
  user: z.string(),
  kind: NotificationKind,
  /** The request that it is about. */
  forRequest: RequestId.optional(),
  isReminder: z.literal(true).optional(),
}

export const notificationEvents = [
  defineEvent('notification.delivered', {
    ...notification,
    attempts: z.int().min(1),
    /** The service's id of the message. */
    receipt: z.string().optional(),
    /** The number of subjects in the message, if more than this one. */
    batch: z.int().min(2).optional(),
  }),
  /** `nextTryAt` is null if it is not tried again; then the next channel or user follows. */
  defineEvent('notification.failed', {
    ...notification,
    attempts: z.int().min(1),
    error: z.string(),
    nextTryAt: Timestamp.nullable(),
  }),
  /** It could not be sent in time. */
  defineEvent('notification.expired', { ...notification, attempts: z.int().min(0) }),
] as const
