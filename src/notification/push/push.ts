/** Web Push: an encrypted message that the push service of the browser's vendor carries and cannot read. */

import type { Clock } from '../../lib/clock.js'
import { digest } from '../../lib/digest.js'
import type { GuardedClient } from '../../lib/net/guarded-client.js'
import { OutboundError } from '../../lib/net/guarded-client.js'
import { cutUtf8 } from '../../lib/text/truncate.js'
import type { PushPayload } from '../../protocol/notification/push.js'
import { outboundProblem, statusProblem } from '../channel/http.js'
import { type ChannelPort, DeliveryError, type OutgoingMessage } from '../channel/port.js'
import type { Device } from '../device.js'
import { say } from '../text/text.js'
import { encryptPush, MAX_PLAIN_BYTES } from './encrypt.js'
import { type VapidKeys, vapidHeader } from './vapid.js'

export interface PushDeps {
  client: GuardedClient
  clock: Clock
  keys: VapidKeys
  contact(): string
}

const TTL_SECONDS = 12 * 60 * 60

export function createPush(device: Device, { client, clock, keys, contact }: PushDeps): ChannelPort {
  const words = {
    name: new URL(device.endpoint).host,
    refused: 'Turn notifications off and on again on the device.',
    unknown: 'Turn notifications on again on the device.',
  }

  async function post(payload: PushPayload, topic: string, signal: AbortSignal): Promise<string | null> {
    const body = encryptPush(Buffer.from(JSON.stringify(payload)), device)
    const reply = await client
      .request({
        method: 'POST',
        url: device.endpoint,
        isPublicOnly: true,
        headers: {
          'content-type': 'application/octet-stream',
          'content-encoding': 'aes128gcm',
          ttl: String(TTL_SECONDS),
          urgency: 'high',
          // A message that waits at the service is replaced by a newer one of the same topic.
          topic,
          authorization: vapidHeader(device.endpoint, keys, { contact: contact(), now: clock.now() }),
        },
        body,
        signal,
      })
      .catch((error: unknown) => {
        throw error instanceof OutboundError ? outboundProblem(error) : error
      })
    if (reply.status >= 200 && reply.status < 300) return pathOf(reply.headers.location)
    if (reply.status === 404 || reply.status === 410)
      throw new DeliveryError('gone', 'The browser has ended its subscription.')
    throw statusProblem(reply, words)
  }

  return {
    async send(message, signal) {
      return { receipt: await post(payloadOf(message), topicOf(message), signal) }
    },
    async withdraw({ id, requestId, title, text }, signal) {
      const tag = requestId ?? id
      const mustShow = isApple(device.endpoint)
      await post({ type: 'settled', tag, title, body: text, mustShow }, topicOf({ id, requestId }), signal)
    },
    isPrivate: async () => true,
  }
}

/** Safari ends a subscription whose messages show nothing. */
function isApple(endpoint: string): boolean {
  return new URL(endpoint).hostname.endsWith('.push.apple.com')
}

/** At most 32 characters of base64url. */
function topicOf({ id, requestId }: { id: string; requestId: string | null }): string {
  return digest(requestId ?? id).slice(0, 32)
}

/** The text is shortened where the whole would be too long for a push message. */
function payloadOf(message: OutgoingMessage): PushPayload {
  const { id, requestId, title, body, url, openLabel, actions, language } = message
  const payload = (text: string): PushPayload => ({
    type: 'notification',
    id,
    tag: requestId ?? id,
    title,
    body: text,
    // A device with a subscription is logged in: it needs no token to open the request.
    url,
    openLabel,
    problem: say(language, 'not_answered'),
    actions: actions
      .filter(({ decision }) => decision === 'deny' || (text === body && isShownWhole(text)))
      .map(({ decision, label, token }) => ({ decision, label, token })),
  })
  const excess = (text: string) => Buffer.byteLength(JSON.stringify(payload(text))) - MAX_PLAIN_BYTES
  let text = body
  // Escaping makes a text longer, so it is shortened in proportion until it fits.
  for (let over = excess(body); over > 0 && text.length > 1; over = excess(text)) {
    const part = MAX_PLAIN_BYTES / (MAX_PLAIN_BYTES + over)
    text = `${cutUtf8(text.replace(/…$/, ''), Math.floor(Buffer.byteLength(text) * part) - 8)}…`
  }
  return payload(text)
}

/** Systems cut a notification after a few lines. A call that the user does not see whole is allowed on the page. */
const [MAX_SHOWN, MAX_LINES] = [240, 5]

function isShownWhole(text: string): boolean {
  return text.length <= MAX_SHOWN && text.split('\n').length <= MAX_LINES
}

function pathOf(location: string | undefined): string | null {
  return location === undefined ? null : location.slice(-100)
}
