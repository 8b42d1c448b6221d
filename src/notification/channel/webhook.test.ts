import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { startFakeService } from '../../../test/support/fake-service.js'
import { systemClock } from '../../lib/clock.js'
import { createGuardedClient } from '../../lib/net/guarded-client.js'
import { ChannelSettings, type SettingsOf } from '../../protocol/notification/channel.js'
import { aMessage, anAnswerable, aSettled, calm, channelSuite, TOKEN } from './channel-suite.js'
import { createWebhook, signatureOf } from './webhook.js'

const SECRET = `whsec_${Buffer.from('a key of at least twenty-four bytes').toString('base64')}`

async function open(more: object = {}) {
  const service = await startFakeService(() => ({ status: 204 }))
  const settings = ChannelSettings.parse({
    kind: 'webhook',
    url: `${service.url}/hook`,
    secret: SECRET,
    ...more,
  })
  const port = createWebhook(settings as SettingsOf<'webhook'>, {
    client: createGuardedClient({ privateAddresses: ['127.0.0.1'] }),
    clock: systemClock,
    source: () => 'https://box.example.com',
  })
  return {
    port,
    service,
    received: () => service.requests.map(({ headers }) => String(headers['webhook-id'])),
  }
}

channelSuite('webhook', open)

test('the signature is that of the example of Standard Webhooks', () => {
  const content = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
  expect(signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', content)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

test('the body is a signed CloudEvent with all that a program needs', async () => {
  const { port, service } = await open()

  await port.send(anAnswerable(), calm)

  const [request] = service.requests
  const [id, at, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    String(request?.headers[`webhook-${name}`]),
  )
  const key = Buffer.from(SECRET.slice(6), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${at}.${request?.body}`).digest('base64')
  expect(signature).toBe(`v1,${expected}`)
  expect(Math.abs(Number(at) * 1_000 - Date.now())).toBeLessThan(60_000)
  expect(request?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8')
  expect(JSON.parse(request?.body ?? '')).toMatchObject({
    specversion: '1.0',
    id: aMessage().id,
    source: 'https://box.example.com',
    type: 'signalbox.notification.needs_you',
    subject: aMessage().session?.id,
    time: aMessage().at,
    data: {
      title: aMessage().title,
      requestId: aMessage().requestId,
      actions: [
        { decision: 'allow', token: TOKEN },
        { decision: 'deny', token: TOKEN },
      ],
    },
  })
})

test('what is settled is reported with an id of its own', async () => {
  const { port, service, received } = await open()

  await port.withdraw?.(aSettled(), calm)

  expect(received()).toEqual([`${aMessage().id}.settled`])
  expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject({
    type: 'signalbox.notification.settled',
    data: { notificationId: aMessage().id, text: 'Allowed by kim.' },
  })
})

test('for Slack it is text, in which no word of an agent becomes a link or a mention', async () => {
  const { port, service } = await open({ format: 'slack' })

  await port.send(
    anAnswerable({ title: '<!channel> *x*', body: '<https://evil.example|Allow> & more' }),
    calm,
  )

  expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({
    text: '*&lt;!channel&gt; ∗x∗*\n&lt;https://evil.example|Allow&gt; &amp; more\n<https://box.example.com/requests/per_1|Open>',
  })
  expect(port.withdraw).toBeUndefined()
})
