/** Tokens, logins and what they open; the guard of single routes is tested in server.test.ts. */

import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { request } from 'node:https'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createServedRuntime, TOKEN } from '../../../test/support/served-runtime.js'
import { createClient } from '../../client/client.js'

const CERT = readFileSync(new URL('../../../test/support/fixtures/tls/cert.pem', import.meta.url), 'utf8')
const KEY = readFileSync(new URL('../../../test/support/fixtures/tls/key.pem', import.meta.url), 'utf8')

describe('tokens', () => {
  test('a token does what its role may, under its name, until it is revoked', async () => {
    const { client, url, cwd } = await createServedRuntime()
    const { token, secret } = await client.createToken({ body: { name: 'ci bot', role: 'operator' } })
    const bot = createClient({ url, token: secret })

    expect((await bot.about()).about.you).toEqual({ name: 'ci bot', role: 'operator' })
    const { session } = await bot.createSession({ body: { cwd } })
    const { events } = await bot.listEvents({ params: { id: session.id }, query: {} })
    expect(events[0]?.data).toMatchObject({ by: { who: 'ci bot', via: 'api' } })
    await expect(bot.listTokens()).rejects.toMatchObject({ code: 'role_insufficient' })
    expect((await client.listTokens()).tokens).toEqual([token])

    expect((await client.revokeToken({ params: { id: token.id } })).token).toEqual(token)

    await expect(bot.about()).rejects.toMatchObject({ code: 'credential_invalid' })
    await expect(client.revokeToken({ params: { id: token.id } })).rejects.toMatchObject({
      code: 'token_not_found',
    })
    expect((await client.listTokens()).tokens).toEqual([])
  })

  test('only a digest of the secret is kept', async () => {
    const { client, store, clock } = await createServedRuntime()
    const { secret } = await client.createToken({ body: { name: 'bot', role: 'viewer' } })
    const kept = JSON.stringify(await store.credentials(new Date(clock.now()).toISOString()))
    expect(kept).not.toContain(secret)
    expect(kept).not.toContain(secret.slice(4))
    expect(secret).toMatch(/^sbx_[\w-]{43}$/)
  })

  test('names are told apart, and the owner has his own', async () => {
    const { client } = await createServedRuntime()
    await client.createToken({ body: { name: 'bot', role: 'viewer' } })
    for (const name of ['bot', 'admin'])
      await expect(client.createToken({ body: { name, role: 'viewer' } })).rejects.toMatchObject({
        code: 'token_name_taken',
      })
    for (const name of ['', ' bot', 'a\u0000b', '<b>', 'x'.repeat(101)])
      await expect(client.createToken({ body: { name, role: 'viewer' } })).rejects.toMatchObject({
        code: 'request_invalid',
      })
  })

  test('a token that expires opens nothing afterwards', async () => {
    const { client, url, clock } = await createServedRuntime()
    const expiresAt = new Date(clock.now() + 60_000).toISOString()
    const { secret } = await client.createToken({ body: { name: 'bot', role: 'viewer', expiresAt } })
    const bot = createClient({ url, token: secret })
    await bot.about()

    clock.advance(60_000)

    await expect(bot.about()).rejects.toMatchObject({ code: 'credential_invalid' })
    await expect(
      client.createToken({ body: { name: 'late', role: 'viewer', expiresAt } }),
    ).rejects.toMatchObject({ code: 'request_invalid' })
  })

  test('tokens and trusted folders are listed in pages', async () => {
    const { client, folder } = await createServedRuntime()
    for (const name of ['a', 'b', 'c']) {
      await client.createToken({ body: { name, role: 'viewer' } })
      await mkdir(join(folder, name))
      await client.trustWorkspace({ body: { path: join(folder, name) } })
    }
    const first = await client.listTokens({ query: { limit: 2 } })
    const rest = await client.listTokens({ query: { limit: 2, cursor: first.nextCursor ?? '' } })
    expect([first, rest].map(({ tokens }) => tokens.map(({ name }) => name))).toEqual([['a', 'b'], ['c']])
    expect(rest.nextCursor).toBeNull()
    const one = await client.listWorkspaces({ query: { limit: 1 } })
    const others = await client.listWorkspaces({ query: { cursor: one.nextCursor ?? '' } })
    expect([one, others].flatMap(({ workspaces }) => workspaces.map(({ path }) => path))).toEqual(
      ['a', 'b', 'c'].map((name) => join(folder, name)),
    )
  })

  test('only an admin sets an agent free of every question', async () => {
    const { client, url, cwd } = await createServedRuntime()
    const { secret } = await client.createToken({ body: { name: 'bot', role: 'operator' } })
    const bot = createClient({ url, token: secret })
    const permissionMode = 'bypassPermissions'
    await expect(bot.createSession({ body: { cwd, permissionMode } })).rejects.toMatchObject({
      code: 'role_insufficient',
      details: { needed: 'admin', role: 'operator' },
    })
    const { session } = await bot.createSession({ body: { cwd, permissionMode: 'acceptEdits' } })
    const change = { params: { id: session.id }, body: { permissionMode } } as const
    await expect(bot.changeSession(change)).rejects.toMatchObject({ code: 'role_insufficient' })

    expect((await client.changeSession(change)).session.permissionMode).toBe(permissionMode)
  })
})

describe('what is open ends with what opened it', () => {
  async function openStream(url: string, secret: string): Promise<{ ended: Promise<string> }> {
    const response = await fetch(`${url}/api/v1/stream`, { headers: { authorization: `Bearer ${secret}` } })
    expect(response.status).toBe(200)
    return { ended: response.text().catch(() => 'cut') }
  }

  test('a stream, when its token is revoked; those of others go on', async () => {
    const { client, url } = await createServedRuntime()
    const one = await client.createToken({ body: { name: 'one', role: 'viewer' } })
    const other = await client.createToken({ body: { name: 'other', role: 'viewer' } })
    const { ended } = await openStream(url, one.secret)
    const open = await openStream(url, other.secret)

    await client.revokeToken({ params: { id: one.token.id } })

    await ended
    const late = Symbol('still open')
    expect(await Promise.race([open.ended, Promise.resolve(late)])).toBe(late)
    await client.revokeToken({ params: { id: other.token.id } })
    await open.ended
  })

  test('a browser login and its stream, when the token that it was made with is revoked', async () => {
    const { client, url, access } = await createServedRuntime()
    const { token, secret } = await client.createToken({ body: { name: 'phone', role: 'operator' } })
    const login = await access.login({ token: secret }, '127.0.0.1')
    expect((await client.listTokens()).tokens.map(({ name, kind }) => [name, kind])).toEqual([
      ['phone', 'token'],
      ['phone', 'browser'],
    ])
    const { ended } = await openStream(url, login)

    await client.revokeToken({ params: { id: token.id } })

    await ended
    expect(await access.identify(login)).toBeNull()
  })

  test('a stream, when its token expires', async () => {
    const { client, url, clock } = await createServedRuntime()
    const expiresAt = new Date(clock.now() + 60_000).toISOString()
    const { secret } = await client.createToken({ body: { name: 'bot', role: 'viewer', expiresAt } })
    const { ended } = await openStream(url, secret)

    clock.advance(60_000)

    await ended
  })
})

test('a login by code may have less than all rights', async () => {
  const { client, access } = await createServedRuntime()
  const { code } = await client.createLoginCode({ body: { role: 'viewer' } })
  const secret = await access.login({ code }, '127.0.0.1')
  expect(await access.identify(secret)).toMatchObject({ role: 'viewer', kind: 'browser' })
})

test('a login by the code of a token acts as that token, and ends with it, also over several codes', async () => {
  const { access, client } = await createServedRuntime()
  const { secret, token } = await access.createToken({ name: 'bob', role: 'admin' })
  const creator = await access.identify(secret)
  if (!creator) throw new Error('unreachable')
  const { code } = await access.createLoginCode('admin', undefined, creator)
  const first = await access.identify(await access.login({ code }, '127.0.0.1'))
  if (!first) throw new Error('unreachable')
  const next = await access.createLoginCode('viewer', undefined, first)
  const second = await access.login({ code: next.code }, '127.0.0.1')
  const unused = await access.createLoginCode('admin', undefined, first)
  expect(first).toMatchObject({ name: 'bob', role: 'admin' })
  expect(await access.identify(second)).toMatchObject({ name: 'bob (viewer)', role: 'viewer' })

  await client.revokeToken({ params: { id: token.id } })

  expect(await access.identify(second)).toBeNull()
  expect((await access.tokens()).map(({ name }) => name)).toEqual([])
  await expect(access.login({ code: unused.code }, '127.0.0.1')).rejects.toMatchObject({
    code: 'login_code_invalid',
  })
})

test('a login never outlives its token', async () => {
  const { client, access, clock } = await createServedRuntime()
  const expiresAt = new Date(clock.now() + 60_000).toISOString()
  const { secret } = await client.createToken({ body: { name: 'bot', role: 'viewer', expiresAt } })
  const login = await access.login({ token: secret }, '127.0.0.1')
  expect(await access.identify(login)).toMatchObject({ expiresAt })
})

test('from elsewhere even the right code is not looked at while too many wrong ones came; on loopback it is', async () => {
  const { access } = await createServedRuntime()
  const { code } = await access.createLoginCode()
  const guess = (address: string) =>
    access.login({ code: 'guess' }, address).catch((error: { code: string }) => error.code)
  for (let n = 0; n < 20; n += 1) await Promise.all([guess('203.0.113.9'), guess('127.0.0.1')])

  await expect(access.login({ code }, '203.0.113.9')).rejects.toMatchObject({ code: 'login_limited' })
  await expect(access.login({ code }, '127.0.0.1')).resolves.toBeTypeOf('string')
})

describe('beyond loopback', () => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((it) => it?.family === 'IPv4' && !it.internal)?.address

  function askSecurely(url: string, host: string, more: Record<string, string> = {}, body?: string) {
    const { port, pathname } = new URL(url)
    return new Promise<{ status: number | undefined; cookie: string; text: string }>((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...more }
      const options = {
        host: '127.0.0.1',
        port,
        path: pathname,
        ca: CERT,
        servername: 'box.example',
        headers,
      }
      const asked = request({ ...options, method: body === undefined ? 'GET' : 'POST' }, (response) => {
        const cookie = String(response.headers['set-cookie'] ?? '')
        text(response).then((all) => resolve({ status: response.statusCode, cookie, text: all }), reject)
      })
      asked.on('error', reject)
      asked.end(body)
    })
  }

  test('over TLS it answers to its name, and the cookie is for TLS only', async () => {
    const { server } = await createServedRuntime({
      reach: { host: '0.0.0.0', hosts: ['box.example'], tls: { cert: CERT, key: KEY } },
    })
    expect(server.url).toBe(`https://box.example:${server.port}`)
    const at = `${server.url}/api/v1/about`
    const name = `box.example:${server.port}`
    expect((await askSecurely(at, name)).status).toBe(200)
    expect((await askSecurely(at, 'box.example')).status).toBe(200)
    expect((await askSecurely(at, 'evil.example')).status).toBe(421)
    const login = await askSecurely(
      `${server.url}/api/v1/login`,
      name,
      { origin: `https://${name}` },
      JSON.stringify({ token: TOKEN }),
    )
    expect(login.cookie).toMatch(/Secure/i)
  })

  test('programs of this machine have a way in over loopback beside it', async () => {
    const { server } = await createServedRuntime({
      reach: { host: '0.0.0.0', hosts: ['box.example'], tls: { cert: CERT, key: KEY } },
    })
    expect(server.localUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const local = createClient({ url: server.localUrl, token: TOKEN })
    expect((await local.about()).about.you.role).toBe('admin')
  })

  test.skipIf(address === undefined)('in the open, only the proxy that was named gets through', async () => {
    const ask = async (trustedProxies: string[]) => {
      const { server } = await createServedRuntime({
        reach: { host: '0.0.0.0', hosts: ['box.example', String(address)], trustedProxies },
      })
      const response = await fetch(`http://${address}:${server.port}/healthz`).catch(() => null)
      return response?.status ?? 'cut off'
    }
    expect(await ask([String(address)])).toBe(200)
    expect(await ask(['203.0.113.9'])).toBe('cut off')
  })

  test('a certificate that is none is told as such', async () => {
    await expect(createServedRuntime({ reach: { tls: { cert: 'no', key: 'no' } } })).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })
})
