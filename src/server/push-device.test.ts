import { expect, test } from 'vitest'
import { createNotifiedRuntime } from '../../test/support/notified-runtime.js'
import { startPushService } from '../../test/support/push-service.js'
import type { Role } from '../protocol/role.js'

async function setup() {
  const runtime = await createNotifiedRuntime({ channels: {} })
  const service = await startPushService()
  const keys = () => {
    const { p256dh, auth } = service.subscribe()
    return { p256dh, auth }
  }
  await service.close()
  /** A browser that is paired: it has a cookie. */
  const pair = async (role: Role, user?: string) => {
    const { code, url } = await runtime.client.createLoginCode({
      body: { role, isPairing: true, ...(user !== undefined && { user }) },
    })
    const post = (path: string, body: object, cookie = '') =>
      fetch(`${runtime.url}/api/v1${path}`, {
        method: path === '/push' ? 'PUT' : 'POST',
        headers: { 'content-type': 'application/json', origin: runtime.url, cookie },
        body: JSON.stringify(body),
      })
    const login = await post('/login', { code, device: 'Chrome on Android' })
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    return { url, cookie, post: (path: string, body: object) => post(path, body, cookie) }
  }
  const subscription = (more: object = {}) => ({
    endpoint: 'https://push.example.com/send/abc',
    keys: keys(),
    name: 'Phone',
    may: 'answer',
    isMobile: true,
    ...more,
  })
  return { ...runtime, pair, subscription }
}

test('a paired browser subscribes, is a channel of its user, and ends with its login', async () => {
  const { pair, subscription, client } = await setup()
  await client.setUser({ params: { name: 'kim' }, body: { may: 'answer' } })
  const phone = await pair('operator', 'kim')
  expect(phone.url).toMatch(/\/pair#code=[\w-]+$/)

  const reply = await phone.post('/push', subscription())

  expect(await reply.json()).toMatchObject({
    push: { user: 'kim', limit: 'answer', device: { name: 'Phone', may: 'answer' } },
  })
  const channels = async () => (await client.listChannels()).channels
  expect(await channels()).toMatchObject([
    { name: 'Phone', kind: 'push', source: 'device', user: 'kim', may: 'answer', target: 'push.example.com' },
  ])
  const { tokens } = await client.listTokens()
  const login = tokens.find(({ device }) => device === 'Chrome on Android')
  expect(login).toMatchObject({ name: 'kim', user: 'kim', role: 'operator', kind: 'browser' })
  await client.revokeToken({ params: { id: login?.id ?? '' } })
  await expect.poll(channels).toEqual([])
})

test('subscribing and unsubscribing are in the audit', async () => {
  const { pair, subscription, client, url } = await setup()
  const phone = await pair('operator', 'admin')
  await phone.post('/push', subscription())
  await fetch(`${url}/api/v1/push`, { method: 'DELETE', headers: { origin: url, cookie: phone.cookie } })

  expect((await client.listChannels()).channels).toEqual([])
  const { records } = await client.listAudit({ query: { limit: 2 } })
  expect(records.map(({ kind, subject, who, role }) => [kind, subject, who, role])).toEqual([
    ['channel.removed', 'Phone', 'admin', 'operator'],
    ['channel.changed', 'Phone (push, admin, answer)', 'admin', 'operator'],
  ])
})

test('the role of the login limits what the device may do', async () => {
  const { pair, subscription, client } = await setup()
  await client.setUser({ params: { name: 'kim' }, body: { may: 'answer' } })
  const phone = await pair('viewer', 'kim')
  expect(await (await phone.post('/push', subscription())).json()).toMatchObject({ push: { limit: 'see' } })
  expect((await client.listChannels()).channels).toMatchObject([{ may: 'see' }])
})

test.each([
  ['an address of this machine', { endpoint: 'https://127.0.0.1/x' }],
  ['a private address', { endpoint: 'https://[fd00::1]/x' }],
  ['a plain address', { endpoint: 'http://push.example.com/x' }],
  ['an address with a password', { endpoint: 'https://a:b@push.example.com/x' }],
  ['keys that are none', { keys: { p256dh: 'x', auth: 'y' } }],
])('a subscription with %s is refused', async (_, more) => {
  const { pair, subscription, client } = await setup()
  const phone = await pair('operator', 'admin')
  expect((await phone.post('/push', subscription(more))).status).toBe(400)
  expect((await client.listChannels()).channels).toEqual([])
})

test('a login without a user, and a token, cannot subscribe', async () => {
  const { pair, subscription, client } = await setup()
  const anonymous = await pair('operator')
  expect((await anonymous.post('/push', subscription())).status).toBe(400)
  await expect(client.subscribePush({ body: subscription() as never })).rejects.toMatchObject({
    code: 'request_invalid',
  })
})

test('a link for pairing names its role first, works once, and is never silently for an admin', async () => {
  const { client, access, url } = await setup()
  await expect(client.createLoginCode({ body: { isPairing: true } })).rejects.toMatchObject({
    code: 'request_invalid',
  })
  const { code } = await client.createLoginCode({
    body: { isPairing: true, role: 'operator', user: 'admin' },
  })
  const look = () =>
    fetch(`${url}/api/v1/login-codes/look`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ code }),
    })
  expect(await (await look()).json()).toMatchObject({ login: { role: 'operator', user: 'admin' } })
  expect((await look()).status).toBe(200)

  await access.login({ code }, '192.0.2.1')

  expect((await look()).status).toBe(401)
  await expect(access.login({ code }, '192.0.2.1')).rejects.toMatchObject({ code: 'login_code_invalid' })
})

test('a code is worth ten minutes', async () => {
  const { client, access, clock } = await setup()
  const { code } = await client.createLoginCode({ body: { isPairing: true, role: 'operator' } })
  clock.advance(10 * 60_000)
  expect(() => access.lookLoginCode(code, '192.0.2.1')).toThrow(/wrong, used or expired/)
})

test('a subscription whose login ended in a crash is removed at the next start', async () => {
  const { pair, subscription, client, store, notifications } = await setup()
  const phone = await pair('operator', 'admin')
  await phone.post('/push', subscription())
  const { tokens } = await client.listTokens()
  const login = tokens.find(({ kind }) => kind === 'browser')
  // The login alone: the daemon was killed before the rest.
  await store.removeCredential(login?.id ?? '')

  await notifications.removeOrphans()

  expect((await client.listChannels()).channels).toEqual([])
})
