/** The MCP server over HTTP, driven by the client of the MCP SDK, and by clients that mean no good. */

import { request } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ids, messageQueued, notice, permissionRequested, textEnded } from '../../../test/support/build.js'
import { createServedRuntime, TOKEN } from '../../../test/support/served-runtime.js'
import type { Role } from '../../protocol/role.js'
import { MAX_RESULT } from './bounded.js'
import { MAX_OF_ONE } from './mcp-sessions.js'

async function setup() {
  const runtime = await createServedRuntime()
  const { id } = await runtime.createSession('hello', { title: 'Parser' })
  const connect = async (token: string, headers: Record<string, string> = {}) => {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${runtime.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
    })
    await client.connect(transport)
    onTestFinished(() => client.close())
    return client
  }
  let count = 0
  const tokenOf = async (role: Role, answersByMcp = false) => {
    count += 1
    return (await runtime.access.createToken({ name: `t${count}`, role, answersByMcp })).secret
  }
  const ask = async () => {
    const requestId = ids.next('per')
    await runtime.journal.append(id, [permissionRequested(requestId)])
    return requestId
  }
  return { ...runtime, id, connect, tokenOf, ask }
}

type Result = { isError?: boolean; text: string; value: Value }

/** The replies of the tools that are looked at here. */
interface Value {
  session: { id: string }
  sessions: { id: string }[]
  entries: { kind: string; text: string }[]
  nextCursor: number
  results: unknown[]
  requests: unknown[]
  request: { resolution: unknown }
}

async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  const result = await client.callTool({ name, arguments: args })
  const [{ text }] = result.content as [{ text: string }]
  // Cast: a tool whose call fails has no value.
  return {
    isError: result.isError === true,
    text,
    value: result.isError ? (null as never) : (JSON.parse(text) as Value),
  }
}

const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

const READING = ['list_sessions', 'get_session', 'read_transcript', 'search', 'get_usage', 'list_requests']
const STEERING = ['start_session', 'send_message']

test.each([
  ['viewer', false, READING],
  ['operator', false, [...READING, ...STEERING]],
  ['operator', true, [...READING, ...STEERING, 'answer_request']],
  ['admin', false, [...READING, ...STEERING]],
] as const)('a %s (may answer: %s) is offered the tools of its role', async (role, answers, expected) => {
  const { connect, tokenOf } = await setup()
  expect(await names(await connect(await tokenOf(role, answers)))).toEqual(expected)
})

test('the token of the home gives no more than reading', async () => {
  const { connect, cwd, ask } = await setup()
  const client = await connect(TOKEN)
  expect(await names(client)).toEqual(READING)
  expect(await use(client, 'start_session', { folder: cwd, prompt: 'x' })).toMatchObject({ isError: true })
  expect((await use(client, 'answer_request', { requestId: await ask(), decision: 'allow' })).text).toMatch(
    /^role_insufficient: .*--mcp-answers/,
  )
})

test('sessions are listed, started, sent to, read and searched', async () => {
  const { connect, tokenOf, cwd, id, journal, hub } = await setup()
  const client = await connect(await tokenOf('operator'))
  await journal.append(id, [textEnded('The parser is fixed.'), notice('Compacted')])

  const started = await use(client, 'start_session', { folder: cwd, prompt: 'go', idempotencyKey: 'k' })
  const again = await use(client, 'start_session', { folder: cwd, prompt: 'go', idempotencyKey: 'k' })
  expect(again.value.session.id).toBe(started.value.session.id)
  const { sessions } = (await use(client, 'list_sessions')).value
  expect(sessions.map((session) => session.id)).toEqual([started.value.session.id, id])
  await use(client, 'send_message', { sessionId: id, text: 'and the tests' })
  expect((await hub.events(id, { types: ['message.queued'] })).at(-1)?.data).toMatchObject({
    text: 'and the tests',
    from: { who: 't1', via: 'mcp', role: 'operator' },
  })
  const { entries } = (await use(client, 'read_transcript', { sessionId: id })).value
  expect(entries.map(({ kind, text }) => [kind, text])).toEqual([
    ['message from kim', 'hello'],
    ['agent', 'The parser is fixed.'],
    ['info', 'Compacted'],
    ['message from t1', 'and the tests'],
  ])
  expect((await use(client, 'search', { query: 'parser' })).value.results).toHaveLength(2)
  expect((await use(client, 'get_usage')).value).toMatchObject({ by: 'day', total: { key: 'total' } })
  expect((await use(client, 'get_session', { sessionId: 'ses_missing' })).text).toMatch(/Invalid arguments/)
})

describe('answers', () => {
  test('are a right of their own, named in the audit, and not those of a person', async () => {
    const { connect, tokenOf, ask, client: api } = await setup()
    const client = await connect(await tokenOf('operator', true))
    const requestId = await ask()
    expect((await use(client, 'list_requests')).value.requests).toMatchObject([
      { id: requestId, state: 'pending' },
    ])

    const { value } = await use(client, 'answer_request', { requestId, decision: 'allow' })

    expect(value.request.resolution).toMatchObject({ by: 'mcp', who: 't1', decision: 'allow' })
    const { records } = await api.listAudit({ query: {} })
    const entries = records.map(({ kind, by, via, subject }) => [kind, by, via, subject])
    expect(entries).toContainEqual(['token.created', 'person', null, 't1 (operator, answers over MCP)'])
    expect(entries.map((entry) => entry.slice(0, 3))).toContainEqual(['request.resolved', 'mcp', 'mcp'])
    const late = await use(client, 'answer_request', { requestId, decision: 'deny' })
    expect(late.text).toMatch(/^request_already_resolved: .* from an MCP client/)
  })

  test('cover the shown call alone: no grant, no changed input, no mode', async () => {
    const { connect, tokenOf, ask } = await setup()
    const client = await connect(await tokenOf('admin', true))
    const requestId = await ask()
    for (const extra of [{ decision: 'allowAll' }, { updatedInput: {} }, { mode: 'bypassPermissions' }, {}]) {
      const { isError } = await use(client, 'answer_request', { requestId, ...extra })
      expect(isError).toBe(true)
    }
  })

  test('allow nothing that cannot be shown whole', async () => {
    const { connect, tokenOf, journal, id } = await setup()
    const client = await connect(await tokenOf('operator', true))
    const requestId = ids.next('per')
    const command = `echo ${'x '.repeat(3_000)}; make`
    await journal.append(id, [permissionRequested(requestId, { toolName: 'Bash', input: { command } })])

    const refused = await use(client, 'answer_request', { requestId, decision: 'allow' })

    expect(refused.text).toMatch(/^answer_invalid: .*too long to be shown/)
    expect((await use(client, 'answer_request', { requestId, decision: 'deny' })).isError).toBe(false)
  })

  test('of a client that runs inside a session are refused', async () => {
    const { connect, tokenOf, ask } = await setup()
    const client = await connect(await tokenOf('operator', true), { 'signalbox-within': 'session' })
    const { text } = await use(client, 'answer_request', { requestId: await ask(), decision: 'allow' })
    expect(text).toMatch(/^role_insufficient: This client runs inside a session/)
  })

  test('a viewer cannot be given the right', async () => {
    const { tokenOf } = await setup()
    await expect(tokenOf('viewer', true)).rejects.toMatchObject({ code: 'request_invalid' })
  })
})

test('a viewer sees no secret, an operator the real call', async () => {
  const { connect, tokenOf, journal, id, secrets } = await setup()
  secrets.learn(['hunter2-hunter2'])
  await journal.append(id, [
    messageQueued('the key is hunter2-hunter2'),
    permissionRequested(ids.next('per'), { input: { command: 'login hunter2-hunter2' } }),
  ])
  const seen = async (client: Client) => {
    const parts = [
      (await use(client, 'read_transcript', { sessionId: id })).text,
      (await use(client, 'list_requests')).text,
      (await use(client, 'search', { query: 'key' })).text,
      JSON.stringify(await client.readResource({ uri: 'signalbox://inbox' })),
    ]
    return parts.join('\n').includes('hunter2')
  }
  expect(await seen(await connect(await tokenOf('viewer')))).toBe(false)
  expect(await seen(await connect(await tokenOf('operator')))).toBe(true)
})

test('an error repeats no word of the request to a viewer', async () => {
  const { connect, tokenOf } = await setup()
  const client = await connect(await tokenOf('viewer'))
  const sessionId = ids.next('ses')
  const texts = [
    (await use(client, 'get_session', { sessionId })).text,
    (await use(client, 'search', { query: 'x', hunter2: true })).text,
  ]
  expect(texts).toEqual([
    'session_not_found: No session has this id. List sessions with "signalbox sessions --all".',
    'request_invalid: The call is invalid. It contains an unknown field. See docs/protocol.md.',
  ])
})

test('resources can be read, and a subscriber hears of each change once', async () => {
  const { connect, tokenOf, journal, id, clock, ask } = await setup()
  const client = await connect(await tokenOf('viewer'))
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
    'signalbox://sessions',
    'signalbox://inbox',
  ])
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2)
  const updated: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.push(params.uri)
  })
  const transcript = `signalbox://sessions/${id}/transcript`
  await client.subscribeResource({ uri: 'signalbox://inbox' })
  await client.subscribeResource({ uri: transcript })

  await ask()
  await journal.append(id, [textEnded('one'), textEnded('two', 1)])
  // The stream of the client may open only now: what has changed waits for it.
  await expect.poll(() => (clock.advance(250), updated.toSorted())).toEqual(['signalbox://inbox', transcript])
  const { contents } = await client.readResource({ uri: transcript })
  expect(JSON.stringify(contents)).toContain('two')

  await client.unsubscribeResource({ uri: transcript })
  await journal.append(id, [textEnded('three', 2)])
  await ask()
  await expect.poll(() => (clock.advance(250), updated.length)).toBe(3)
  expect(updated[2]).toBe('signalbox://inbox')
  await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(/No such resource/)
})

test('an older protocol version is accepted, an unknown one is answered with ours', async () => {
  const { ask: _, url, tokenOf } = await setup()
  const token = await tokenOf('viewer')
  const versionFor = async (protocolVersion: string) => {
    const reply = await post(url, token, initialize(protocolVersion))
    return (JSON.parse(reply.text) as { result: { protocolVersion: string } }).result.protocolVersion
  }
  expect(await versionFor('2024-11-05')).toBe('2024-11-05')
  expect(await versionFor('2025-06-18')).toBe('2025-06-18')
  expect(await versionFor('2025-11-25')).toBe('2025-11-25')
  expect(await versionFor('2099-01-01')).toBe('2025-11-25')
})

describe('a hostile client', () => {
  test('is refused from another page, under another name, and without a token', async () => {
    const { url, tokenOf } = await setup()
    const token = await tokenOf('viewer')
    const status = async (headers: Record<string, string>, from = token) =>
      (await post(url, from, initialize(), headers)).status
    expect(await status({ origin: 'https://evil.example' })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await status({ host: 'evil.example' })).toBe(421)
    expect(await status({ authorization: '' })).toBe(403)
    expect(await status({}, 'wrong')).toBe(401)
  })

  test('gets clear errors for huge, malformed and endless input', async () => {
    const { url, tokenOf, connect } = await setup()
    const token = await tokenOf('operator')
    const huge = { ...initialize(), filler: 'x'.repeat(1024 * 1024) }
    expect(await post(url, token, huge)).toMatchObject({ status: 413 })
    expect(await post(url, token, 'no JSON')).toMatchObject({ status: 400 })
    expect(await post(url, token, { hello: 1 })).toMatchObject({ status: 400 })
    expect(
      await post(
        url,
        token,
        Array.from({ length: 17 }, () => initialize()),
      ),
    ).toMatchObject({ status: 400 })
    const client = await connect(token)
    const long = await use(client, 'send_message', { sessionId: 'x', text: 'y'.repeat(200_000) })
    expect(long.isError).toBe(true)
    expect(long.text.length).toBeLessThan(3_000)
    await expect(client.callTool({ name: 'delete_everything' })).rejects.toThrow(/No such tool/)
    const foreign = { 'mcp-session-id': 'not-mine' }
    expect(await post(url, token, { jsonrpc: '2.0', id: 1, method: 'ping' }, foreign)).toMatchObject({
      status: 404,
    })
  })

  test('cannot use the session of another credential', async () => {
    const { url, tokenOf } = await setup()
    const own = await post(url, await tokenOf('operator'), initialize())
    const headers = { 'mcp-session-id': own.session }
    expect(await post(url, await tokenOf('viewer'), PING, headers)).toMatchObject({ status: 404 })
  })

  test('holds a bounded number of sessions and requests', async () => {
    const { url, tokenOf } = await setup()
    const token = await tokenOf('viewer')
    const first = await post(url, token, initialize())
    for (let count = 0; count < MAX_OF_ONE; count += 1) await post(url, token, initialize())
    // The one that was used least recently made room.
    expect(await post(url, token, PING, { 'mcp-session-id': first.session })).toMatchObject({ status: 404 })
    const { session } = await post(url, token, initialize())
    const headers = { 'mcp-session-id': session }
    const twice = [PING, PING]
    expect(await post(url, token, twice, headers)).toMatchObject({ status: 400 })
    const many = Array.from({ length: 51 }, (_, index) => ({
      jsonrpc: '2.0',
      id: index,
      method: 'resources/subscribe',
      params: { uri: `signalbox://sessions/${ids.next('ses')}` },
    }))
    const replies = []
    for (const one of many) replies.push((await post(url, token, one, headers)).text)
    expect(replies.filter((text) => text.includes('"error"'))).toEqual([
      expect.stringContaining('requests_limited'),
    ])
  })

  test('loses its sessions with its token', async () => {
    const { url, access } = await setup()
    const { token, secret } = await access.createToken({ name: 'gone', role: 'viewer' })
    const { session } = await post(url, secret, initialize())
    const stream = await fetch(`${url}/mcp`, {
      headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream', 'mcp-session-id': session },
    })
    await access.revoke(token.id)
    // The stream ends with it.
    await stream.text()
    expect(await post(url, secret, PING)).toMatchObject({ status: 401 })
  })

  test('gets a bounded result of a session with long texts', async () => {
    const { connect, tokenOf, journal, id } = await setup()
    for (let index = 0; index < 40; index += 1)
      await journal.append(id, [textEnded('word '.repeat(10_000), index)])
    const client = await connect(await tokenOf('viewer'))
    const { text, value } = await use(client, 'read_transcript', { sessionId: id })
    expect(text.length).toBeLessThanOrEqual(MAX_RESULT)
    // The page ends where it has become large, and says where to go on.
    expect(value.entries.length).toBeGreaterThan(10)
    expect(value.nextCursor).toBeGreaterThan(10)
    expect(value.entries[5]?.text).toMatch(/more characters\)$/)
  })
})

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

function initialize(protocolVersion = '2025-11-25') {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params }
}

/** Node's own request: `fetch` refuses to send some of these headers. */
function post(url: string, token: string, body: unknown, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string; session: string }>((resolve, reject) => {
    const all: Record<string, string> = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    }
    if (all['authorization'] === '') delete all['authorization']
    const sent = request(`${url}/mcp`, { method: 'POST', headers: all }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text,
          session: String(response.headers['mcp-session-id']),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}
