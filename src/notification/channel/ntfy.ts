/** ntfy, self-hosted or not. Buttons and texts only on a topic that anonymous readers cannot read. */

import type { Clock } from '../../lib/clock.js'
import type { GuardedClient } from '../../lib/net/guarded-client.js'
import { withoutTrailingSlash } from '../../lib/text/trailing-slash.js'
import { cutUtf8 } from '../../lib/text/truncate.js'
import type { SettingsOf } from '../../protocol/notification/channel.js'
import { exchange } from './http.js'
import type { ChannelPort, OutgoingMessage } from './port.js'

export interface NtfyDeps {
  client: GuardedClient
  clock: Clock
}

/** How long it is believed that a topic has access control. */
const PRIVATE_MS = 10 * 60_000

export function createNtfy(settings: SettingsOf<'ntfy'>, { client, clock }: NtfyDeps): ChannelPort {
  const { topic, token } = settings
  const url = withoutTrailingSlash(settings.url)
  const words = {
    name: new URL(url).host,
    refused: 'Check the token, and its right to write to the topic.',
    unknown: 'Check the address of the server.',
  }
  const authorization: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  let privateUntil = 0

  return {
    async send(message, signal) {
      const headers = { ...authorization, 'content-type': 'application/json' }
      const body = JSON.stringify({ topic, ...contentOf(message) })
      const reply = await exchange(client, { method: 'POST', url, headers, body, signal }, words)
      return { receipt: idIn(reply.body) }
    },
    /** Servers before 2.16 do not know it: the message stays, and its buttons say that it is answered. */
    async withdraw({ id }, signal) {
      await client
        .request({ method: 'DELETE', url: `${url}/${topic}/${id}`, headers: authorization, signal })
        .catch(() => {})
    },
    async isPrivate(signal) {
      if (token === undefined) return false
      if (clock.now() < privateUntil && privateUntil <= clock.now() + PRIVATE_MS) return true
      const { status } = await client.request({ method: 'GET', url: `${url}/${topic}/auth`, signal })
      if (status !== 401 && status !== 403) return false
      privateUntil = clock.now() + PRIVATE_MS
      return true
    },
  }
}

/** A longer message becomes an attachment, or is refused. */
const MAX_BYTES = 4_000
const PRIORITIES = { destructive: 5, serious: 4, notice: 3 } as const

function contentOf(message: OutgoingMessage): object {
  const { id, title, body, url, answerUrl, severity, kind, actions, openLabel } = message
  const link = answerUrl ?? url
  const whole = body === '' ? title : body
  const isWhole = Buffer.byteLength(whole) <= MAX_BYTES
  // A call that the user does not see whole is allowed on the page.
  const offered = actions.filter(({ decision }) => decision === 'deny' || isWhole)
  const buttons = offered.map(({ decision, label, token, url: answer }) => ({
    action: 'http',
    label,
    url: answer,
    method: 'POST',
    // A request without an Origin is accepted only from a program, which a bearer shows.
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ token, decision }),
    clear: true,
  }))
  return {
    title,
    message: isWhole ? whole : `${cutUtf8(whole, MAX_BYTES)}…`,
    priority: severity ? PRIORITIES[severity] : kind === 'finished' ? 3 : 4,
    // A repetition with the same id replaces the message.
    sequence_id: id,
    click: link,
    actions: [...buttons, { action: 'view', label: openLabel, url: link }],
  }
}

function idIn(body: Buffer): string | null {
  try {
    const { id } = JSON.parse(body.toString()) as { id?: unknown }
    return typeof id === 'string' ? id.slice(0, 100) : null
  } catch {
    return null
  }
}
