/** Push messages to the service worker, and the subscriptions of browsers. */

import { z } from 'zod'
import { ChannelName } from './notification-kind.js'
import { Language, May, UserName } from './user.js'

export const PushPayload = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('notification'),
    id: z.string(),
    /** A newer notification of the same tag replaces this one. */
    tag: z.string(),
    title: z.string(),
    body: z.string(),
    url: z.string(),
    openLabel: z.string(),
    /** Shown where an answer could not be given. */
    problem: z.string(),
    actions: z.array(
      z.strictObject({ decision: z.enum(['allow', 'deny']), label: z.string(), token: z.string() }),
    ),
  }),
  /** It is settled: the notification is closed or, where the browser demands one, replaced. */
  z.strictObject({
    type: z.literal('settled'),
    tag: z.string(),
    title: z.string(),
    body: z.string(),
    mustShow: z.boolean(),
  }),
])
export type PushPayload = z.infer<typeof PushPayload>

export const SubscribePush = z.strictObject({
  /** Of the browser's `PushSubscription`. */
  endpoint: z.url({ protocol: /^https$/ }).max(2_000),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
  /** Of the device, shown in lists. */
  name: ChannelName,
  may: May.default('see'),
  language: Language.default('en'),
  isMobile: z.boolean().default(false),
})
export type SubscribePush = z.infer<typeof SubscribePush>

export const PushState = z.strictObject({
  /** The key that the browser subscribes with. */
  publicKey: z.string(),
  /** The user of this login; null: none, so that it cannot subscribe. */
  user: UserName.nullable(),
  /** The most that a subscription of this login may do. */
  limit: May,
  /** The subscription of this browser; null: none. */
  device: z.strictObject({ name: z.string(), may: May, language: Language, endpoint: z.string() }).nullable(),
})
export type PushState = z.infer<typeof PushState>
