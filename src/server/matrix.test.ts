/**
 * Which role may do what: every route and every message over the WebSocket, by every kind of credential, as
 * declared.
 */

import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ids, permissionRequested } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { Role } from '../protocol/role.js'
import { isAtLeast } from '../protocol/role-rank.js'
import { type Route, routes } from '../protocol/route.js'
import { clientMessages } from '../protocol/web-socket.js'

const CREDENTIALS = ['none', 'bad', 'revoked', ...Role.options] as const
type Credential = (typeof CREDENTIALS)[number]

async function setup() {
  const runtime = await createServedRuntime()
  const secrets: Record<Credential, string | null> = {
    none: null,
    bad: 'sbx_this-is-no-token-of-this-server-at-all-000',
    revoked: null,
    viewer: null,
    operator: null,
    admin: null,
  }
  for (const name of ['revoked', ...Role.options] as const) {
    const role = name === 'revoked' ? 'admin' : name
    const { token, secret } = await runtime.access.createToken({ name: `the ${name}`, role })
    secrets[name] = secret
    if (name === 'revoked') await runtime.access.revoke(token.id)
  }
  const { id: sessionId } = await runtime.createSession()
  const requestId = ids.next('per')
  await runtime.journal.append(sessionId, [permissionRequested(requestId)])
  const other = await runtime.access.createToken({ name: 'another', role: 'viewer' })
  return { ...runtime, secrets, own: { session: sessionId, request: requestId, token: other.token.id } }
}

type Own = Awaited<ReturnType<typeof setup>>['own']

function pathOf({ path }: Route, own: Own | null): string {
  const id = path.includes('/requests/')
    ? (own?.request ?? ids.next('per'))
    : path.includes('/tokens/')
      ? (own?.token ?? ids.next('crd'))
      : (own?.session ?? ids.next('ses'))
  return path
    .replace(':id', id)
    .replace(':messageId', ids.next('msg'))
    .replace(/:taskId|:name/, 'task_1')
    .replace(':what', 'models')
}

/** The declared outcome: the status of a refusal, or that it is let through. */
function declared(needed: Role | null, credential: Credential): number | 'let through' {
  if (needed === null) return 'let through'
  if (credential === 'none' || credential === 'bad' || credential === 'revoked') return 401
  return isAtLeast(credential, needed) ? 'let through' : 403
}

test.each(Object.entries<Route>(routes))('%s', async (_, route) => {
  const { url, secrets, own } = await setup()
  const seen: [Credential, string, number | string][] = []
  const expected: typeof seen = []
  for (const credential of CREDENTIALS) {
    for (const object of ['missing', 'own'] as const) {
      const secret = secrets[credential]
      const leave = new AbortController()
      const response = await fetch(`${url}${pathOf(route, object === 'own' ? own : null)}`, {
        method: route.method,
        signal: leave.signal,
        headers: {
          origin: url,
          ...(secret !== null && { authorization: `Bearer ${secret}` }),
          ...(route.body && { 'content-type': 'application/json' }),
        },
        // Nothing that changes anything: only whether it is let through counts.
        ...(route.body && { body: '{"colour":"blue"}' }),
      })
      const isRefused = response.status === 401 || response.status === 403
      // A login is refused for its content, not for the role of the requester.
      const isAsked = route.path.endsWith('/login')
      seen.push([credential, object, isRefused && !isAsked ? response.status : 'let through'])
      expected.push([credential, object, declared(route.role, credential)])
      leave.abort()
      await response.body?.cancel().catch(() => {})
      if (route.path.endsWith('/logout')) continue
    }
  }
  expect(seen).toEqual(expected)
})

test.each(Object.entries(clientMessages))('WebSocket %s', async (type, { role }) => {
  const { url, secrets } = await setup()
  const seen: [Credential, number | string][] = []
  for (const credential of CREDENTIALS) {
    const secret = secrets[credential]
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
      headers: { origin: url, ...(secret !== null && { authorization: `Bearer ${secret}` }) },
    })
    onTestFinished(() => socket.terminate())
    socket.on('error', () => {})
    const refused = new Promise<number>((resolve) => {
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    })
    const status = await Promise.race([refused, once(socket, 'open').then(() => 101)])
    if (status !== 101) {
      seen.push([credential, status])
      continue
    }
    socket.send(JSON.stringify({ type, colour: 'blue' }))
    const [data] = (await once(socket, 'message')) as [Buffer]
    const answer = JSON.parse(data.toString()) as { error?: { code: string } }
    seen.push([credential, answer.error?.code === 'role_insufficient' ? 403 : 'let through'])
  }
  expect(seen).toEqual(CREDENTIALS.map((credential) => [credential, declared(role, credential)]))
})
