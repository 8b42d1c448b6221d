/** Users: the owners of channels, devices and tokens. */

import { z } from 'zod'
import { Severity } from '../policy/policy.js'
import { Timestamp } from '../value.js'
import { NotificationKind, QuietHours } from './notification-kind.js'

/** Rights of a user through channels: read notifications, also write to sessions, also answer requests. */
export const May = z.enum(['see', 'message', 'answer'])
export type May = z.infer<typeof May>

export function mayAtLeast(may: May, needed: May): boolean {
  return May.options.indexOf(may) >= May.options.indexOf(needed)
}

export function leastOf(one: May, other: May): May {
  return mayAtLeast(one, other) ? other : one
}

export const UserName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,99}$/u, 'A name has letters, digits, spaces and . _ @ -')

/** The owner of the home: always there, and the user of channels that name no other. */
export const OWNER = 'admin'

export const Language = z.enum(['en', 'ko', 'ja'])
export type Language = z.infer<typeof Language>

export const UserSettings = z.strictObject({
  may: May.default('see'),
  /** Of notifications. Default: that of the configuration. */
  language: Language.optional(),
  /** Replaces `notifications.quiet`; null: none. */
  quiet: QuietHours.nullable().optional(),
  /** Replaces `notifications.minSeverity`; null: none. */
  minSeverity: Severity.nullable().optional(),
  kinds: z.array(NotificationKind).optional(),
})
export type UserSettings = z.infer<typeof UserSettings>

export const User = z.strictObject({
  name: UserName,
  /** `config`: set in config.jsonc, where it is changed. */
  source: z.enum(['config', 'admin']),
  createdAt: Timestamp.nullable(),
  ...UserSettings.shape,
})
export type User = z.infer<typeof User>
