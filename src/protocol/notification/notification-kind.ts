/** Kinds of notifications, names of channels and quiet hours. */

import { z } from 'zod'

/** The subject of a notification. The list may grow. */
export const NotificationKind = z.enum([
  /** An agent waits for an answer. */
  'needs_you',
  /** A turn failed, or a session ended with an error. */
  'failed',
  /** A long turn was completed. */
  'finished',
])
export type NotificationKind = z.infer<typeof NotificationKind>

export const ChannelName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u, 'A name has up to 60 letters, digits, spaces and . _ -')

const Time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'A time such as 22:30')

/** Hours in which a user gets no notification. They may span midnight. Two equal times are none. */
export const QuietHours = z.strictObject({
  from: Time,
  to: Time,
  /** Default: that of the daemon. */
  timeZone: z.string().refine(isTimeZone, 'A time zone such as Europe/Berlin').optional(),
})
export type QuietHours = z.infer<typeof QuietHours>

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
