/** Channels: ways to reach a user. */

import { z } from 'zod'
import { SessionId } from '../id.js'
import { Severity } from '../policy/policy.js'
import { Timestamp } from '../value.js'
import { ChannelName, NotificationKind } from './notification-kind.js'
import { May, OWNER, UserName } from './user.js'

const Address = z.url({ protocol: /^https?$/ }).max(2_000)
const Secret = z.string().min(1).max(500)

const common = {
  user: UserName.default(OWNER),
  /** Rights through this channel, at most those of its user. */
  may: May.default('see'),
  /** Sends only what kind of notification it is and the name of the session. */
  isTitlesOnly: z.boolean().optional(),
  /** Only notifications of these kinds, of sessions in these folders or below, of these sessions, from this severity on. */
  kinds: z.array(NotificationKind).min(1).optional(),
  folders: z.array(z.string().startsWith('/')).min(1).optional(),
  sessions: z.array(SessionId).min(1).optional(),
  minSeverity: Severity.optional(),
}

const WebhookSettings = z.strictObject({
  kind: z.literal('webhook'),
  url: Address,
  /** Of Standard Webhooks: `whsec_` and base64. Each request is signed with it. */
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'A secret is whsec_ and at least 24 bytes in base64'),
  /** `slack`: the body that Slack's incoming webhooks expect. */
  format: z.enum(['cloudevents', 'slack']).default('cloudevents'),
  ...common,
})

const NtfySettings = z.strictObject({
  kind: z.literal('ntfy'),
  url: Address.default('https://ntfy.sh'),
  topic: z.string().regex(/^[\w-]{1,64}$/, 'A topic has up to 64 letters, digits, _ and -'),
  token: Secret.optional(),
  ...common,
})

const TelegramSettings = z.strictObject({
  kind: z.literal('telegram'),
  token: z.string().regex(/^\d+:[\w-]{20,}$/, 'The token of a bot, as BotFather shows it'),
  /** Id of the chat: that of the user, or of a group (negative). */
  chat: z.int(),
  /** For a group: who is who, by the id of the Telegram user. Other members are ignored. */
  users: z.record(z.string().regex(/^\d+$/), UserName).optional(),
  url: Address.default('https://api.telegram.org'),
  ...common,
})

const DesktopSettings = z.strictObject({ kind: z.literal('desktop'), ...common })

const CommandSettings = z.strictObject({
  kind: z.literal('command'),
  /** The program as an absolute path, and its arguments. No shell is involved. */
  command: z.tuple([z.string().startsWith('/')]).rest(z.string().max(4_096)),
  /** Names of variables of the daemon that it gets, besides PATH and HOME. */
  env: z.array(z.string().regex(/^[A-Za-z_]\w*$/)).default([]),
  timeoutMs: z.int().min(100).max(120_000).default(10_000),
  ...common,
})

export const ChannelSettings = z.discriminatedUnion('kind', [
  WebhookSettings,
  NtfySettings,
  TelegramSettings,
  DesktopSettings,
  CommandSettings,
])
export type ChannelSettings = z.infer<typeof ChannelSettings>
export type SettingsOf<Kind extends ChannelSettings['kind']> = ChannelSettings & { kind: Kind }

export const ChannelKind = z.enum(['push', 'webhook', 'ntfy', 'telegram', 'desktop', 'command'])
export type ChannelKind = z.infer<typeof ChannelKind>

/** `failing`: the last attempts failed and are retried. `dead`: the service refuses it, or it failed for long. */
export const ChannelHealth = z.enum(['unused', 'ok', 'failing', 'dead'])
export type ChannelHealth = z.infer<typeof ChannelHealth>

/** A channel as shown, without secrets. */
export const Channel = z.strictObject({
  name: z.string(),
  kind: ChannelKind,
  /** `device`: a browser that has subscribed to push messages. */
  source: z.enum(['config', 'admin', 'device']),
  user: UserName,
  may: May,
  /** Where it leads, in short: a host, a chat, a program, a device. */
  target: z.string(),
  isPaused: z.boolean(),
  health: ChannelHealth,
  /** Of the last failure, with the fix. */
  error: z.string().nullable(),
  lastDeliveredAt: Timestamp.nullable(),
  lastFailedAt: Timestamp.nullable(),
  /** Notifications that wait for it. */
  pending: z.int().min(0),
})
export type Channel = z.infer<typeof Channel>

export const CreateChannel = z.strictObject({ name: ChannelName, settings: ChannelSettings })
export type CreateChannel = z.infer<typeof CreateChannel>
