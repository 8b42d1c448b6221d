/** Webhooks: CloudEvents, signed as Standard Webhooks says, or the plain text that Slack expects. */

import { createHmac } from 'node:crypto'
import type { Clock } from '../../lib/clock.js'
import type { GuardedClient } from '../../lib/net/guarded-client.js'
import type { SettingsOf } from '../../protocol/notification/channel.js'
import { eventOfMessage, eventOfSettled } from './cloud-event.js'
import { exchange } from './http.js'
import type { ChannelPort, OutgoingMessage } from './port.js'

export interface WebhookDeps {
  client: GuardedClient
  clock: Clock
  /** The address of this dashboard. */
  source(): string
}

export function createWebhook(
  settings: SettingsOf<'webhook'>,
  { client, clock, source }: WebhookDeps,
): ChannelPort {
  const { url, secret, format } = settings
  const name = new URL(url).host

  async function post(id: string, body: string, type: string, signal: AbortSignal): Promise<void> {
    const timestamp = String(Math.floor(clock.now() / 1_000))
    await exchange(
      client,
      {
        method: 'POST',
        url,
        headers: {
          'content-type': type,
          'user-agent': 'signalbox',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signatureOf(secret, `${id}.${timestamp}.${body}`),
        },
        body,
        signal,
      },
      { name, refused: 'Check its secret and rights.', unknown: 'Check the address of the webhook.' },
    )
  }

  const CLOUD_EVENT = 'application/cloudevents+json; charset=utf-8'
  return {
    async send(message, signal) {
      if (format === 'slack') await post(message.id, slackText(message), 'application/json', signal)
      else await post(message.id, JSON.stringify(eventOfMessage(message, source())), CLOUD_EVENT, signal)
      return { receipt: null }
    },
    // Slack's webhooks cannot change what they have posted.
    ...(format === 'cloudevents' && {
      async withdraw(message, signal) {
        const event = eventOfSettled(message, { source: source(), at: new Date(clock.now()).toISOString() })
        await post(event.id, JSON.stringify(event), CLOUD_EVENT, signal)
      },
    }),
    isPrivate: async () => true,
  }
}

export function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

/**
 * Slack reads `<…>` as a link or a mention: the texts of agents must not make one. The link needs a login: all members of
 * the channel can follow it.
 */
function slackText({ title, body, url, openLabel }: OutgoingMessage): string {
  const plain = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const lines = [`*${plain(title).replaceAll('*', '∗')}*`, ...(body === '' ? [] : [plain(body)])]
  return JSON.stringify({
    text: [...lines, `<${encodeURI(url)}|${plain(openLabel)}>`].join('\n'),
  })
}
