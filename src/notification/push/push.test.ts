import { expect, onTestFinished, test } from 'vitest'
import { type PushService, startPushService } from '../../../test/support/push-service.js'
import { systemClock } from '../../lib/clock.js'
import { createGuardedClient } from '../../lib/net/guarded-client.js'
import { aMessage, anAnswerable, aSettled, calm, TOKEN } from '../channel/channel-suite.js'
import type { Device } from '../device.js'
import { createPush } from './push.js'
import { createVapidKeys } from './vapid.js'

const keys = createVapidKeys()

/** Loopback counts as public here: the real list is tested with the client. */
async function open(more: Partial<Device> = {}) {
  const service = await startPushService()
  onTestFinished(() => service.close())
  const { url } = service
  const device: Device = {
    id: 'dev_1',
    name: 'Phone',
    credentialId: 'crd_1',
    role: 'operator',
    user: 'kim',
    may: 'answer',
    language: 'en',
    isMobile: true,
    createdAt: '',
    expiresAt: null,
    ...service.subscribe(),
    ...more,
  }
  // Push services are reached with https alone; the local one stands behind a client that allows it plain.
  const client = createGuardedClient({ privateAddresses: ['127.0.0.1'] })
  const port = createPush(device, {
    client: { request: (request) => client.request({ ...request, isPublicOnly: false }) },
    clock: systemClock,
    keys,
    contact: () => 'mailto:kim@example.com',
  })
  return { port, service, url, device }
}

const contents = (service: PushService) => service.messages.map(({ content }) => content)

test('a push service gets a message that only the browser can read, from a sender that it can verify', async () => {
  const { port, service } = await open()

  await port.send(anAnswerable(), calm)

  expect(service.problems).toEqual([])
  expect(service.messages).toMatchObject([{ sender: keys.publicKey, ttl: '43200', urgency: 'high' }])
  expect(service.messages[0]?.topic).toMatch(/^[\w-]{1,32}$/)
  expect(contents(service)).toEqual([
    {
      type: 'notification',
      id: aMessage().id,
      tag: aMessage().requestId,
      title: aMessage().title,
      body: aMessage().body,
      url: 'https://box.example.com/requests/per_1',
      openLabel: 'Open',
      problem: 'Not answered. Tap to open the request.',
      actions: [
        { decision: 'allow', label: 'Allow', token: TOKEN },
        { decision: 'deny', label: 'Deny', token: TOKEN },
      ],
    },
  ])
})

test('what is settled closes the notification, under the topic that replaces one still on its way', async () => {
  const { port, service } = await open()
  await port.send(aMessage(), calm)
  await port.withdraw?.(aSettled(), calm)

  expect(contents(service)[1]).toEqual({
    type: 'settled',
    tag: aMessage().requestId,
    title: 'Fix login',
    body: 'Allowed by kim.',
    mustShow: false,
  })
  expect(service.messages[1]?.topic).toBe(service.messages[0]?.topic)
})

test.each(['x', '한', '\u0001"\\'])('a text of any length fits into a push message: %j', async (letter) => {
  const { port, service } = await open()
  await port.send(anAnswerable({ body: letter.repeat(9_000) }), calm)
  const [content] = contents(service) as { body: string; actions: { decision: string }[] }[]
  expect(content?.body).toMatch(/…$/)
  // A text that is cut offers no Allow.
  expect(content?.actions.map(({ decision }) => decision)).toEqual(['deny'])
  expect(content?.body.length).toBeGreaterThan(400)
})

test.each(['x'.repeat(241), 'a\nb\nc\nd\ne\nf'])(
  'a text that a system may cut offers no Allow: %j',
  async (body) => {
    const { port, service } = await open()
    await port.send(anAnswerable({ body }), calm)
    expect(contents(service)).toMatchObject([{ body, actions: [{ decision: 'deny' }] }])
  },
)

test.each([
  [404, 'gone'],
  [410, 'gone'],
  [403, 'never'],
  [400, 'never'],
  [429, 'later'],
  [503, 'later'],
] as const)('%i of the push service means %s', async (status, hope) => {
  const { port, service } = await open()
  service.statuses.push(status)
  await expect(port.send(aMessage(), calm)).rejects.toMatchObject({ hope })
})

test('a cut connection is worth another attempt', async () => {
  const { port, service } = await open()
  service.statuses.push('cut')
  await expect(port.send(aMessage(), calm)).rejects.toMatchObject({ hope: 'later' })
  await port.send(aMessage(), calm)
  expect(service.messages).toHaveLength(1)
})

test('an endpoint on a private address is refused, also if the address is listed', async () => {
  const { device } = await open()
  const port = createPush(device, {
    client: createGuardedClient({ privateAddresses: ['127.0.0.1'] }),
    clock: systemClock,
    keys,
    contact: () => 'mailto:kim@example.com',
  })
  await expect(port.send(aMessage(), calm)).rejects.toMatchObject({ hope: 'never' })
})
