/** A browser that has subscribed to push messages, with the login that it belongs to. */

import type { Language, May } from '../protocol/notification/user.js'
import type { Role } from '../protocol/role.js'

export interface Device {
  readonly id: string
  /** Of its channel. */
  readonly name: string
  /** The login: when it is revoked, the subscription ends. */
  readonly credentialId: string
  readonly role: Role
  readonly user: string
  readonly may: May
  readonly language: Language
  /** Phones and tablets are tried first. */
  readonly isMobile: boolean
  readonly endpoint: string
  /** Keys of the browser, in base64url. */
  readonly p256dh: string
  readonly auth: string
  readonly createdAt: string
  /** The end of the login. */
  readonly expiresAt: string | null
}
