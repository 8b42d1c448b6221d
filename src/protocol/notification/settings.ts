/** Settings of notifications in the configuration: when a user is notified, and what is sent. */

import { z } from 'zod'
import { Severity } from '../policy/policy.js'
import { NotificationKind, QuietHours } from './notification-kind.js'
import { Language, UserName, UserSettings } from './user.js'

const DAY_MS = 24 * 60 * 60_000
const Duration = z
  .int()
  .min(0)
  .max(7 * DAY_MS)

export const NotificationSettings = z.strictObject({
  /** Time to answer before the first notification. */
  afterMs: Duration.default(15_000),
  /** The same for a user who is active in another session, here or in a terminal. */
  deskMs: Duration.default(60_000),
  /** A user counts as active this long after the last sign. No notification is sent about a session with an active user. */
  presenceMs: Duration.default(120_000),
  /** Between the first notification of a request and its reminder, and from there to the next channel or user. */
  remindAfterMs: Duration.default(600_000),
  nextAfterMs: Duration.default(600_000),
  /** The first notification waits this long for others, which then become one. */
  batchMs: Duration.default(5_000),
  /** A turn that took longer is reported when it is completed. */
  finishedAfterMs: Duration.default(300_000),
  /** A notification that cannot be sent for this long expires. */
  expireAfterMs: Duration.min(1_000).default(DAY_MS),
  /** Life of the answer tokens in links and buttons. */
  tokenMs: Duration.min(60_000).max(DAY_MS).default(3_600_000),
  quiet: QuietHours.optional(),
  minSeverity: Severity.optional(),
  kinds: z.array(NotificationKind).default(['needs_you', 'failed', 'finished']),
  /** Sends only what kind of notification it is and the name of the session, through every channel. */
  isTitlesOnly: z.boolean().default(false),
  language: Language.default('en'),
  /** Address of the dashboard in links. Default: that of the daemon. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** Private addresses and networks that channels may connect to, also with plain http. */
  privateAddresses: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([]),
  /** Address of the operator that push services can contact: mailto: or https. Default: that of the dashboard, if it is public. */
  contact: z
    .string()
    .regex(
      /^(?:mailto:[^\s@]{1,100}@[^\s@]{1,200}|https:\/\/\S{1,300})$/,
      'mailto:you@example.com, or an https address',
    )
    .optional(),
})
export type NotificationSettings = z.infer<typeof NotificationSettings>

export const ConfiguredUsers = z.record(UserName, UserSettings)
