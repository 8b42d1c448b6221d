import { expect, test } from 'vitest'
import { json, startFakeService } from '../../../test/support/fake-service.js'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { createGuardedClient } from '../../lib/net/guarded-client.js'
import { ChannelSettings, type SettingsOf } from '../../protocol/notification/channel.js'
import { aMessage, anAnswerable, aSettled, calm, channelSuite, TOKEN } from './channel-suite.js'
import { createNtfy } from './ntfy.js'

const BEARER = 'tk_secret'

/** As an ntfy server does: publishes to those with the token, and says who may read. */
async function open({
  token = BEARER,
  isPublic = false,
}: {
  token?: string | undefined
  isPublic?: boolean
} = {}) {
  const service = await startFakeService(({ path, headers }) => {
    const isKnown = headers.authorization === `Bearer ${BEARER}`
    if (path === '/agents/auth')
      return isKnown || isPublic ? json({ success: true }) : json({ code: 40301 }, 403)
    return isKnown || isPublic ? json({ id: 'm7Kd2', event: 'message' }) : json({ code: 40301 }, 403)
  })
  const clock = createManualClock()
  const settings = ChannelSettings.parse({
    kind: 'ntfy',
    url: `${service.url}/`,
    topic: 'agents',
    ...(token !== '' && { token }),
  })
  const port = createNtfy(settings as SettingsOf<'ntfy'>, {
    client: createGuardedClient({ privateAddresses: ['127.0.0.1'] }),
    clock,
  })
  const published = () =>
    service.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))
  return {
    port,
    service,
    clock,
    published,
    received: () => published().map(({ sequence_id: id }) => String(id)),
  }
}

channelSuite('ntfy', () => open())

test('buttons answer with POST, the token in the body, and the link opens the request', async () => {
  const { port, published } = await open()

  const { receipt } = await port.send(anAnswerable({ severity: 'serious' }), calm)

  expect(receipt).toBe('m7Kd2')
  const button = (decision: string, label: string) => ({
    action: 'http',
    label,
    url: 'https://box.example.com/api/v1/answers',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ token: TOKEN, decision }),
    clear: true,
  })
  expect(published()).toEqual([
    {
      topic: 'agents',
      title: aMessage().title,
      message: aMessage().body,
      priority: 4,
      sequence_id: aMessage().id,
      click: `https://box.example.com/answer#${TOKEN}`,
      actions: [
        button('allow', 'Allow'),
        button('deny', 'Deny'),
        { action: 'view', label: 'Open', url: `https://box.example.com/answer#${TOKEN}` },
      ],
    },
  ])
})

test('a message that a server would turn into an attachment is shortened, and can only be denied', async () => {
  const { port, published } = await open()

  await port.send(anAnswerable({ body: '로그인'.repeat(500) }), calm)

  const [{ message, actions }] = published() as [{ message: string; actions: { label: string }[] }]
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096)
  expect(message).toMatch(/^로그인.*…$/)
  expect(actions.map(({ label }) => label)).toEqual(['Deny', 'Open'])
})

test('a topic counts as private only if a reader without the token is refused', async () => {
  expect(await (await open()).port.isPrivate(calm)).toBe(true)
  expect(await (await open({ isPublic: true })).port.isPrivate(calm)).toBe(false)
  expect(await (await open({ token: '' })).port.isPrivate(calm)).toBe(false)
  for (const planned of [{ status: 500 }, { status: 404 }, { status: 200 }]) {
    const { port, service } = await open()
    service.planned.push(planned)
    expect(await port.isPrivate(calm)).toBe(false)
  }
  const { port, service } = await open()
  service.planned.push('cut')
  await expect(port.isPrivate(calm)).rejects.toThrow()
})

test('access control is looked at again after a while', async () => {
  const { port, service, clock } = await open()
  await port.isPrivate(calm)
  await port.isPrivate(calm)
  expect(service.requests).toHaveLength(1)

  clock.advance(10 * 60_000)
  service.planned.push(json({ success: true }))

  expect(await port.isPrivate(calm)).toBe(false)
})

test('what is settled is deleted; a server that cannot is left alone', async () => {
  const { port, service } = await open()
  await port.withdraw?.(aSettled(), calm)
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `DELETE /agents/${aMessage().id}`,
  ])

  service.planned.push({ status: 405 })
  await port.withdraw?.(aSettled(), calm)
})
