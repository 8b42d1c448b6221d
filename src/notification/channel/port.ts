/** The port of channels. One file implements it for each kind; `channel-suite.ts` is the definition. */

import type { NotificationKind } from '../../protocol/notification/notification-kind.js'
import type { Language } from '../../protocol/notification/user.js'
import type { Severity } from '../../protocol/policy/policy.js'

/** A message with all secrets redacted, in the language of the recipient. */
export interface OutgoingMessage {
  /** Of the notification: the same for each attempt, so that a receiver can recognise a repetition. */
  readonly id: string
  readonly at: string
  readonly kind: NotificationKind
  readonly isReminder: boolean
  readonly severity: Severity | null
  /** One line. */
  readonly title: string
  /** Empty if only titles are sent. */
  readonly body: string
  /** The dashboard at the place of the matter. Contains no secret. */
  readonly url: string
  /** The number of matters. Several have no buttons. */
  readonly count: number
  /** Of a single matter. */
  readonly session: { readonly id: string; readonly name: string; readonly cwd: string } | null
  readonly requestId: string | null
  readonly language: Language
  /** Answers that this recipient can give, each with its label. */
  readonly actions: readonly MessageAction[]
  /** Opens the request without a login; null where the recipient may not answer. The token is in the fragment. */
  readonly answerUrl: string | null
  /** Whether a reply is sent to the session. */
  readonly mayReply: boolean
  readonly openLabel: string
}

export interface MessageAction {
  readonly decision: 'allow' | 'deny'
  readonly label: string
  readonly token: string
  /** Takes the token and the decision with POST. */
  readonly url: string
}

/** A message that was delivered and is settled now. */
export interface SettledMessage {
  readonly id: string
  readonly receipt: string | null
  readonly title: string
  /** How it was settled, in the language of the recipient. */
  readonly text: string
  readonly language: Language
  readonly requestId: string | null
}

export interface Delivery {
  /** The service's id of the message. */
  readonly receipt: string | null
}

export interface ChannelPort {
  /** Resolves when the service has accepted the message. Rejects with a `DeliveryError`. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<Delivery>
  /** Removes the message, or replaces it with how it was settled. Left out where the service cannot. */
  withdraw?(message: SettledMessage, signal: AbortSignal): Promise<void>
  /** Whether only known readers get the messages. Otherwise only titles are sent, without buttons. Fails closed. */
  isPrivate(signal: AbortSignal): Promise<boolean>
}

/** `later`: worth another attempt. `never`: refused until its settings are changed. `gone`: the recipient does not exist any more. */
export type Hope = 'later' | 'never' | 'gone'

export class DeliveryError extends Error {
  readonly hope: Hope
  /** The service asks to wait this long. */
  readonly retryAfterMs: number | null

  /** The message says what happened, then the fix. It contains no secret. */
  constructor(
    hope: Hope,
    message: string,
    { retryAfterMs = null, cause }: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'DeliveryError'
    this.hope = hope
    this.retryAfterMs = retryAfterMs
  }
}
