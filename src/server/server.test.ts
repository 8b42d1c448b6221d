import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ids } from '../../test/support/build.js'
import { createServedRuntime, TOKEN } from '../../test/support/served-runtime.js'
import { digest } from '../lib/digest.js'
import { ErrorBody } from '../protocol/error-schema.js'
import { COMMENT } from '../protocol/example/value-example.js'
import { isAtLeast } from '../protocol/role-rank.js'
import { type Route, routes } from '../protocol/route.js'

const table = Object.entries(routes as Record<string, Route>)
const withBody = table.filter(([, route]) => route.body)
/** Without those that create what they do not find. */
const withParams = table.filter(
  ([name, route]) => route.params && name !== 'savePrompt' && name !== 'setUser',
)
const guarded = table.filter(([, route]) => route.role !== null)

function pathOf(route: Route, id = ids.next(prefixOf(route))): string {
  return route.path
    .replace(':id', id)
    .replace(':messageId', ids.next('msg'))
    .replace(':taskId', 'task_1')
    .replace(':name', 'unknown')
    .replace(':what', 'models')
}

function prefixOf({ path }: Route): string {
  if (path.includes('/requests/')) return 'per'
  return path.includes('/tokens/') ? 'crd' : 'ses'
}

/** Bodies that are in order, of the routes that want more than an empty one. */
const BODIES: Readonly<Record<string, object>> = {
  sendMessage: { text: 'a' },
  editMessage: { text: 'a' },
  answerRequest: { decision: 'allow' },
  rewindSession: { to: ids.next('msg') },
  setMcpServers: { configured: [] },
  revokeGrant: { tool: 'Bash' },
  sendComments: { comments: [COMMENT] },
  changeWorktree: { action: 'commit' },
}
/** Queries that a route cannot do without. */
const QUERIES: Readonly<Record<string, string>> = { getChangedPicture: '?file=a.png&side=after' }

async function codeOf(response: Response): Promise<string> {
  return ErrorBody.parse(await response.json()).error.code
}

const json = { 'content-type': 'application/json' }

/** Says exactly these headers: fetch would correct them. */
async function rawRequest(
  url: string,
  method: string,
  headers: Record<string, string>,
  body = '',
  path = new URL(url).pathname,
): Promise<Response> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers }, (response) => {
      text(response).then(
        (answer) => resolve(new Response(answer, { status: response.statusCode ?? 0 })),
        reject,
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}

describe('bad input gets the one error shape and the right status', () => {
  test.each(withBody)('%s: not JSON', async (_, route) => {
    const { ask } = await createServedRuntime()
    const response = await ask(pathOf(route), { method: route.method, headers: json, body: '{"text": ' })
    expect([response.status, await codeOf(response)]).toEqual([400, 'request_invalid'])
  })

  test.each(withBody)('%s: JSON that does not say so', async (_, route) => {
    const { ask } = await createServedRuntime()
    const response = await ask(pathOf(route), {
      method: route.method,
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    })
    expect([response.status, await codeOf(response)]).toEqual([400, 'request_invalid'])
  })

  test.each(withBody)('%s: wrong types', async (_, route) => {
    const { ask } = await createServedRuntime()
    for (const body of ['[]', 'null', '7', '"text"', '{"cwd":7,"text":7,"decision":7,"code":7,"reason":7}']) {
      const response = await ask(pathOf(route), { method: route.method, headers: json, body })
      expect([body, response.status, await codeOf(response)]).toEqual([body, 400, 'request_invalid'])
    }
  })

  test.each(withBody)('%s: an unknown field', async (_, route) => {
    const { ask } = await createServedRuntime()
    const known = { cwd: '/', text: 'a', decision: 'allow', code: 'a' }
    const response = await ask(pathOf(route), {
      method: route.method,
      headers: json,
      body: JSON.stringify({ ...known, colour: 'blue' }),
    })
    expect([response.status, await codeOf(response)]).toEqual([400, 'request_invalid'])
  })

  test.each(withBody)('%s: a body of 2 MB, or more than the route takes', async (_, route) => {
    const { ask } = await createServedRuntime()
    const size = Math.max(2 * 1024 * 1024, (route.maxBodyBytes ?? 0) + 1)
    const body = JSON.stringify({ text: 'a'.repeat(size) })
    const response = await ask(pathOf(route), { method: route.method, headers: json, body })
    expect([response.status, await codeOf(response)]).toEqual([413, 'body_too_large'])
  })

  test('a body that hides its size is cut off where it is too large', async () => {
    const { url } = await createServedRuntime()
    const body = 'a'.repeat(3 * 1024 * 1024)
    const headers = { authorization: `Bearer ${TOKEN}`, 'transfer-encoding': 'chunked', ...json }
    const response = await rawRequest(`${url}/api/v1/sessions`, 'POST', headers, body)
    expect([response.status, await codeOf(response)]).toEqual([413, 'body_too_large'])
  })

  test.each(withParams)('%s: an unknown id', async (name, route) => {
    const { ask } = await createServedRuntime()
    const body = JSON.stringify(BODIES[name] ?? {})
    const response = await ask(`${pathOf(route)}${QUERIES[name] ?? ''}`, {
      method: route.method,
      ...(route.body && { headers: json, body }),
    })
    expect([response.status, await codeOf(response)]).toEqual([404, expect.stringMatching(/_not_found$/)])
  })

  test.each(withParams)('%s: something that is no id', async (_, route) => {
    const { ask } = await createServedRuntime()
    for (const id of ['x', '..%2f..%2fetc', 'ses_', '%00', 'ses_'.padEnd(5_000, '0')]) {
      const response = await ask(pathOf(route, id), {
        method: route.method,
        ...(route.body && { headers: json, body: '{}' }),
      })
      expect([400, 404]).toContain(response.status)
      ErrorBody.parse(await response.json())
    }
  })

  test.each(guarded)('%s: no token, a wrong token', async (_, route) => {
    const { url } = await createServedRuntime()
    const headers = { ...json, origin: url }
    const init = { method: route.method, headers, ...(route.body && { body: '{}' }) }
    const without = await fetch(`${url}${pathOf(route)}`, init)
    expect([without.status, await codeOf(without)]).toEqual([401, 'credential_missing'])

    const wrong = await fetch(`${url}${pathOf(route)}`, {
      ...init,
      headers: { ...init.headers, authorization: 'Bearer wrong' },
    })
    expect([wrong.status, await codeOf(wrong)]).toEqual([401, 'credential_invalid'])
  })

  test.each(table)('%s: a foreign Host', async (_, route) => {
    const { url } = await createServedRuntime()
    for (const host of ['evil.example', '127.0.0.1', `evil.example:${new URL(url).port}`, '127.0.0.1:1']) {
      const response = await rawRequest(`${url}${pathOf(route)}`, route.method, {
        host,
        authorization: `Bearer ${TOKEN}`,
      })
      expect([host, response.status, await codeOf(response)]).toEqual([host, 421, 'host_not_allowed'])
    }
  })

  test.each(table)('%s: a foreign Origin', async (_, route) => {
    const { ask } = await createServedRuntime()
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      const response = await ask(pathOf(route), { method: route.method, headers: { origin } })
      expect([origin, response.status, await codeOf(response)]).toEqual([origin, 403, 'origin_not_allowed'])
    }
  })

  test.each(table.filter(([, route]) => route.role !== null))('%s: an unknown query', async (_, route) => {
    const { ask } = await createServedRuntime()
    const response = await ask(`${pathOf(route)}?colour=blue`, {
      method: route.method,
      ...(route.body && { headers: json, body: '{}' }),
    })
    expect([response.status, await codeOf(response)]).toEqual([400, 'request_invalid'])
  })

  test('lists refuse limits and cursors that make no sense', async () => {
    const { ask } = await createServedRuntime()
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=1e9',
      'limit=x',
      'cursor=x',
      'state=asleep',
      'limit=1&limit=x',
    ]) {
      const response = await ask(`/api/v1/sessions?${query}`)
      expect([query, response.status]).toEqual([query, query.startsWith('limit=1&') ? 200 : 400])
    }
  })

  test('unknown places and methods', async () => {
    const { ask } = await createServedRuntime()
    const nowhere = await ask('/api/v1/nothing')
    expect([nowhere.status, await codeOf(nowhere)]).toEqual([404, 'route_not_found'])
    const posted = await ask('/nothing', { method: 'POST' })
    expect([posted.status, await codeOf(posted)]).toEqual([404, 'route_not_found'])
    const wrongMethod = await ask('/api/v1/sessions', { method: 'DELETE' })
    expect([wrongMethod.status, await codeOf(wrongMethod)]).toEqual([405, 'method_not_allowed'])
  })

  test('what is not HTTP at all', async () => {
    const { url, ask } = await createServedRuntime()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('\u0000\u0001 nonsense\r\n\r\n')
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"request_invalid"/)
    expect((await ask('/healthz')).status).toBe(200)
  })

  test('a failure of our own is a 500 that blames nobody and tells no secret', async () => {
    const { ask, store, faults } = await createServedRuntime()
    store.sessions = () => Promise.reject(new Error('the disk at /secret/place is gone'))
    const response = await ask('/api/v1/sessions')
    const body = await response.text()
    expect(response.status).toBe(500)
    expect(body).toContain('internal_error')
    expect(body).not.toContain('secret')
    expect(faults).toHaveLength(1)
  })
})

describe('access', () => {
  test('orders without a token need our own page as their origin', async () => {
    const { url } = await createServedRuntime()
    const without = await fetch(`${url}/api/v1/login`, {
      method: 'POST',
      headers: json,
      body: '{"code":"x"}',
    })
    expect([without.status, await codeOf(without)]).toEqual([403, 'origin_not_allowed'])
    const crossSite = await fetch(`${url}/api/v1/sessions`, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(crossSite.status).toBe(403)
  })

  test.each(guarded)('%s: only who has the role may', async (name, route) => {
    const { url, store } = await createServedRuntime()
    const needed = route.role ?? 'viewer'
    for (const role of ['viewer', 'operator', 'admin'] as const) {
      const secret = `the-secret-of-a-${role}`
      await store.addCredential({
        id: role,
        name: role,
        role,
        kind: 'token',
        digest: digest(secret),
        createdAt: '',
        expiresAt: null,
        parentId: null,
        user: null,
        device: null,
        answersByMcp: false,
      })
      const response = await fetch(`${url}${pathOf(route)}`, {
        method: route.method,
        headers: { authorization: `Bearer ${secret}`, ...(route.body && json) },
        ...(route.body && { body: JSON.stringify(BODIES[name] ?? {}) }),
      })
      const isRefused = response.status === 403
      await response.body?.cancel()
      expect([role, isRefused]).toEqual([role, !isAtLeast(role, needed)])
    }
  })

  test('a page of the same site, but not our own, is foreign', async () => {
    const { ask } = await createServedRuntime()
    for (const site of ['same-site', 'cross-site']) {
      expect((await ask('/api/v1/about', { headers: { 'sec-fetch-site': site } })).status).toBe(403)
    }
    expect((await ask('/api/v1/about', { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(200)
  })

  test('a one-time code opens the door once; the cookie keeps it open and cannot be read by scripts', async () => {
    const { url, access } = await createServedRuntime()
    const { code } = await access.createLoginCode()
    const login = (body: object) =>
      fetch(`${url}/api/v1/login`, {
        method: 'POST',
        headers: { ...json, origin: url },
        body: JSON.stringify(body),
      })

    const first = await login({ code })
    const cookie = first.headers.get('set-cookie') ?? ''
    expect(first.status).toBe(200)
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Strict/i)
    const seen = await fetch(`${url}/api/v1/about`, { headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect(await seen.json()).toMatchObject({ about: { you: { name: 'admin', role: 'admin' } } })

    const second = await login({ code })
    expect([second.status, await codeOf(second)]).toEqual([401, 'login_code_invalid'])
  })

  test('a code grows old', async () => {
    const { access, clock } = await createServedRuntime()
    const { code } = await access.createLoginCode()
    clock.advance(10 * 60_000)
    await expect(access.login({ code }, '127.0.0.1')).rejects.toMatchObject({ code: 'login_code_invalid' })
  })

  test('to log out ends the login', async () => {
    const { url, access } = await createServedRuntime()
    const secret = await access.login({ token: TOKEN }, '127.0.0.1')
    const cookie = `signalbox-${new URL(url).port}=${secret}`
    const logout = await fetch(`${url}/api/v1/logout`, {
      method: 'POST',
      headers: { ...json, cookie, origin: url },
      body: '{}',
    })
    expect(logout.status).toBe(200)
    expect((await fetch(`${url}/api/v1/about`, { headers: { cookie } })).status).toBe(401)
  })
})

test('a connection that has rested a little longer than was promised can still be used', async () => {
  const { url } = await createServedRuntime()
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  const askAgain = async () => {
    socket.write(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [string]
    return answer
  }
  const answer = await askAgain()
  const promised = Number(/^keep-alive: timeout=(\d+)/im.exec(answer)?.[1])
  expect(promised).toBeGreaterThan(0)

  await wait(promised * 1_000 + 2_500)

  expect(await askAgain()).toMatch(/^HTTP\/1.1 200/)
  socket.destroy()
}, 20_000)

test('who wants no connection kept gets none', async () => {
  const { url } = await createServedRuntime()
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(/^connection: close$/im)
})

test('a reader that has gone is forgotten', async () => {
  const { ask, hub, createSession } = await createServedRuntime()
  const { id } = await createSession()
  let readers = 0
  const { subscribe } = hub.journal
  hub.journal.subscribe = (options) => {
    readers += 1
    const subscription = subscribe.call(hub.journal, options)
    return {
      close() {
        readers -= 1
        subscription.close()
      },
    }
  }
  const leave = new AbortController()
  await ask(`/api/v1/sessions/${id}/stream`, { signal: leave.signal })
  expect(readers).toBe(1)

  leave.abort()

  await expect.poll(() => readers).toBe(0)
})

describe('the dashboard’s files', () => {
  test('the page comes for every view, with a policy that allows only its own scripts', async () => {
    const { url } = await createServedRuntime()
    for (const path of ['/', '/sessions/ses_1', '/inbox']) {
      const response = await fetch(`${url}${path}`)
      expect(response.headers.get('content-type')).toMatch(/^text\/html/)
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(response.headers.get('content-security-policy')).not.toContain('unsafe')
    }
  })

  test('nothing outside of its folder is given out', async () => {
    const { url } = await createServedRuntime()
    const up = [
      '/..',
      '/%2e%2e',
      '/.%2e',
      '/..%2f',
      '/.%00.',
      '/%2e%00%2e',
      '/\\..',
      '/%5c..',
      '/assets/..%2f..',
      '/assets/.%00./.%00.',
    ]
    for (const path of up.flatMap((start) => [`${start}/secret.js`, `${start}${start}/secret.js`])) {
      const response = await rawRequest(`${url}/`, 'GET', { host: new URL(url).host }, '', path)
      expect([path, await codeOf(response)]).toEqual([
        path,
        expect.stringMatching(/^(route_not_found|request_invalid)$/),
      ])
    }
  })
})

test('our own tools are listed, in pages', async () => {
  const { client } = await createServedRuntime()
  const { tools, nextCursor } = await client.listTools({ query: { limit: 2 } })
  expect(tools.map(({ id }) => id)).toEqual(['directory_lister', 'file_reader'])
  expect(tools[1]).toMatchObject({
    agentName: 'mcp__signalbox__file_reader',
    source: 'built-in',
    input: { required: ['path'] },
  })

  const rest = await client.listTools({ query: { cursor: nextCursor ?? '' } })

  expect(rest.nextCursor).toBeNull()
  expect(rest.tools.map(({ id, input }) => [id, input !== null])).toEqual([
    ['text_edit_tool', true],
    // No agents are configured, so it is not published.
    ['agent_caller', false],
    ['datetime', true],
    ['attempt_completion', true],
  ])
})
