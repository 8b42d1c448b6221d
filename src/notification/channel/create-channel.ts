/** Chooses the adapter of a channel. */

import type { Clock } from '../../lib/clock.js'
import type { GuardedClient } from '../../lib/net/guarded-client.js'
import type { ChannelSettings } from '../../protocol/notification/channel.js'
import type { KnownChannel } from '../directory.js'
import { createPush } from '../push/push.js'
import type { VapidKeys } from '../push/vapid.js'
import { createBotApi } from '../telegram/bot-api.js'
import { createTelegram } from '../telegram/telegram.js'
import { createCommand } from './command.js'
import { createDesktop } from './desktop.js'
import { createNtfy } from './ntfy.js'
import type { ChannelPort } from './port.js'
import { createWebhook } from './webhook.js'

export interface AdapterDeps {
  client: GuardedClient
  clock: Clock
  platform: string
  /** Of the daemon. */
  env: Readonly<Record<string, string | undefined>>
  /** The home folder. */
  cwd: string
  keys: VapidKeys
  contact(): string
  /** The address of the dashboard. */
  source(): string
}

export function createChannel({ settings, device }: KnownChannel, deps: AdapterDeps): ChannelPort {
  if (device) return createPush(device, deps)
  if (settings === null) throw new Error('A channel has settings, or is a device.')
  switch (settings.kind) {
    case 'webhook':
      return createWebhook(settings, deps)
    case 'ntfy':
      return createNtfy(settings, deps)
    case 'telegram':
      return createTelegram(settings, createBotApi(deps.client, settings))
    case 'desktop':
      return createDesktop(deps)
    case 'command':
      return createCommand(settings, deps)
  }
}

/** Where a channel leads, in short and without secrets. */
export function targetOf({ settings, device }: KnownChannel): string {
  if (device) return new URL(device.endpoint).host
  if (settings === null) return ''
  return targetOfSettings(settings)
}

function targetOfSettings(settings: ChannelSettings): string {
  switch (settings.kind) {
    case 'webhook':
      return new URL(settings.url).host
    case 'ntfy':
      return `${new URL(settings.url).host}/${settings.topic}`
    case 'telegram':
      return `chat ${settings.chat}`
    case 'desktop':
      return 'this machine'
    case 'command':
      return settings.command[0]
  }
}
