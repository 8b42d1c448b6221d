/** Push subscriptions of browsers: each belongs to a login and ends with it. */

import { isIP } from 'node:net'
import type { Clock } from '../../lib/clock.js'
import type { IdSource } from '../../lib/id.js'
import { isPublicAddress } from '../../lib/net/address-range.js'
import { HubError } from '../../protocol/error.js'
import type { PushState, SubscribePush } from '../../protocol/notification/push.js'
import { leastOf } from '../../protocol/notification/user.js'
import type { Role } from '../../protocol/role.js'
import type { Actor } from '../../protocol/value.js'
import type { Device } from '../device.js'
import type { Directory } from '../directory.js'
import { isoTime } from '../outbox-row.js'
import { areBrowserKeys } from './encrypt.js'

/** The login that asks. */
export interface Login {
  credentialId: string | null
  kind: 'home' | 'token' | 'browser'
  role: Role
  user: string | null
  expiresAt: string | null
}

export interface SubscriptionsDeps {
  directory: Directory
  clock: Clock
  ids: IdSource
  publicKey: string
}

export class Subscriptions {
  readonly #deps: SubscriptionsDeps

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps
  }

  state({ credentialId, role, user }: Login): PushState {
    const { directory, publicKey } = this.#deps
    const found = this.of(credentialId)
    const may = user === null ? 'see' : (directory.user(user)?.may ?? 'see')
    return {
      publicKey,
      user,
      limit: role === 'viewer' ? 'see' : may,
      device: found && {
        name: found.name,
        may: leastOf(found.may, may),
        language: found.language,
        endpoint: found.endpoint,
      },
    }
  }

  of(credentialId: string | null): Device | null {
    if (credentialId === null) return null
    return this.#deps.directory.devices().find((device) => device.credentialId === credentialId) ?? null
  }

  /** Resolves with the name of its channel. A browser has one subscription, and a subscription one login. */
  async add(login: Login, asked: SubscribePush, actor: Actor): Promise<string> {
    const { directory, clock, ids } = this.#deps
    const { credentialId, kind, role, user, expiresAt } = login
    if (kind !== 'browser' || credentialId === null)
      throw new HubError(
        'request_invalid',
        'Only a browser that is logged in can subscribe. Use a channel instead.',
      )
    if (user === null)
      throw new HubError(
        'request_invalid',
        'This login belongs to no user. Pair the device again with "signalbox phone --user NAME".',
      )
    if (!isPushEndpoint(asked.endpoint) || !areBrowserKeys(asked.keys))
      throw new HubError(
        'request_invalid',
        'The push subscription is invalid. Turn notifications off and on again.',
      )
    await directory.removeDevices(
      (device) => device.credentialId === credentialId || device.endpoint === asked.endpoint,
    )
    const name = this.#freeName(asked.name)
    await directory.saveDevice(
      {
        id: ids.next('dev'),
        name,
        credentialId,
        role,
        user,
        may: asked.may,
        language: asked.language,
        isMobile: asked.isMobile,
        endpoint: asked.endpoint,
        ...asked.keys,
        createdAt: isoTime(clock.now()),
        expiresAt,
      },
      actor,
    )
    return name
  }

  #freeName(wanted: string): string {
    const taken = new Set(this.#deps.directory.channels().map(({ name }) => name))
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? wanted : `${wanted.slice(0, 55)} ${number}`
      if (!taken.has(name)) return name
    }
  }
}

/** Names are checked when a message is sent, with the addresses that they have then. */
function isPushEndpoint(endpoint: string): boolean {
  const { protocol, hostname, username } = new URL(endpoint)
  const host = hostname.replace(/^\[|\]$/g, '')
  return protocol === 'https:' && username === '' && (isIP(host) === 0 || isPublicAddress(host))
}
