import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  ids,
  permissionRequested,
  permissionResolved,
  turnEnded,
  turnStarted,
} from '../../../test/support/build.js'
import { createServedRuntime, TOKEN } from '../../../test/support/served-runtime.js'

interface Told {
  id: number | null
  event: { type: string; [key: string]: unknown }
}

/** Reads a stream until `isEnough`. */
async function read(
  ask: (path: string, init?: RequestInit & { headers?: Record<string, string> }) => Promise<Response>,
  path: string,
  isEnough: (told: readonly Told[]) => boolean,
): Promise<Told[]> {
  const leave = new AbortController()
  const response = await ask(path, { signal: leave.signal })
  expect(response.status).toBe(200)
  const told: Told[] = []
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1]
      const id = /^id: (\d+)$/m.exec(part)?.[1]
      if (data !== undefined) told.push({ id: id === undefined ? null : Number(id), event: JSON.parse(data) })
    }
    if (isEnough(told)) break
  }
  leave.abort()
  return told
}

async function boxWithTurn() {
  const runtime = await createServedRuntime()
  const { id } = await runtime.createSession()
  const [turnId, requestId] = [ids.next('trn'), ids.next('per')]
  const block = { messageId: 'msg_1', index: 0 }
  await runtime.journal.append(id, [
    turnStarted(turnId),
    { type: 'text.ended', data: { ...block, text: 'I will write it.' } },
    permissionRequested(requestId),
  ])
  const finish = () => runtime.journal.append(id, [permissionResolved(requestId), turnEnded(turnId)])
  return { ...runtime, id, turnId, requestId, finish }
}

type Runtime = Awaited<ReturnType<typeof boxWithTurn>>

/** A WebSocket, and everything that was said over it. */
async function openSocket({ url }: Pick<Runtime, 'url'>) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => socket.terminate())
  const heard: { type: string; event?: Told['event']; [key: string]: unknown }[] = []
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
  await once(socket, 'open')
  return { heard, say: (message: object) => socket.send(JSON.stringify(message)) }
}

test('a session is told in a dialect, and taken up again from where a reader was', async () => {
  const { id, ask, finish } = await boxWithTurn()
  const path = `/api/v1/sessions/${id}/stream?dialect=manager`
  const begun = await read(ask, `${path}&after=0`, (told) => told.length === 4)
  expect(begun.map(({ event }) => event)).toEqual([
    { type: 'state', state: 'working', sessionId: id },
    { type: 'textComplete', text: 'I will write it.', sessionId: id },
    expect.objectContaining({ type: 'permission_request', toolName: 'Write', toolUseId: 'toolu_1' }),
    { type: 'state', state: 'permission', sessionId: id },
  ])
  await finish()
  const rest = await read(ask, `${path}&after=${begun.at(-1)?.id}`, (told) => told.length === 3)
  expect(rest.map(({ event }) => event)).toEqual([
    { type: 'state', state: 'working', sessionId: id },
    expect.objectContaining({ type: 'result', subtype: 'end_turn' }),
    { type: 'state', state: 'idle', sessionId: id },
  ])
})

test('the same over the WebSocket', async () => {
  const runtime = await boxWithTurn()
  await runtime.finish()
  const { heard, say } = await openSocket(runtime)
  say({ type: 'subscribe', sessions: [runtime.id], after: 0, dialect: 'unified' })
  await expect
    .poll(() => heard.flatMap(({ event }) => (event ? [event.type] : [])))
    .toEqual([
      'message_start',
      'text_delta',
      'content_block_stop',
      'message_stop',
      'permission_request',
      'run_complete',
    ])
})

test.each(['manager', 'unified'])('in %s, every event of all sessions names its session', async (dialect) => {
  const runtime = await boxWithTurn()
  const { id: other } = await runtime.createSession()
  await runtime.finish()
  await runtime.journal.append(other, [
    turnStarted(ids.next('trn')),
    { type: 'text.ended', data: { messageId: 'msg_2', index: 0, text: 'Elsewhere.' } },
  ])
  const isOther = ({ event }: Told) => JSON.stringify(event).includes('Elsewhere.')
  const told = await read(runtime.ask, `/api/v1/stream?dialect=${dialect}&after=0`, (some) =>
    some.some(isOther),
  )
  for (const { event } of told) expect([runtime.id, other]).toContain(event['sessionId'])
  expect(told.find(isOther)?.event['sessionId']).toBe(other)
  expect(told.find(({ event }) => event.type === 'permission_request')?.event['sessionId']).toBe(runtime.id)
})

test.each(['manager', 'unified'])('in %s, events name the conversation of the caller', async (dialect) => {
  const runtime = await boxWithTurn()
  await runtime.hub.change(runtime.id, { externalId: 'chat-1' }, { who: 'kim', via: 'api' })
  const { id: other } = await runtime.createSession(undefined, { externalId: 'chat-2' })
  const { heard, say } = await openSocket(runtime)
  const said = (sessionId: string) =>
    heard.flatMap(({ event }) => (event?.['sessionId'] === sessionId ? [event['externalId']] : []))
  say({ type: 'subscribe', sessions: ['*'], dialect })
  await expect.poll(() => heard.length).toBeGreaterThan(1)
  await runtime.journal.append(other, [turnStarted(ids.next('trn')), turnEnded(ids.next('trn'))])
  await runtime.hub.change(runtime.id, { externalId: 'chat-9' }, { who: 'kim', via: 'api' })
  await runtime.finish()
  await expect.poll(() => said(runtime.id).at(-1)).toBe('chat-9')
  expect(said(runtime.id)[0]).toBe('chat-1')
  expect(new Set(said(other))).toEqual(new Set(['chat-2']))

  const one = `/api/v1/sessions/${runtime.id}/stream?dialect=${dialect}`
  await runtime.journal.append(runtime.id, [permissionRequested(ids.next('per'))])
  const [told] = await read(runtime.ask, one, (some) => some.length > 0)
  expect(told?.event).toMatchObject({
    type: 'permission_request',
    sessionId: runtime.id,
    externalId: 'chat-9',
  })
})

describe('a reader without a cursor', () => {
  test.each([
    ['one session', (id: string) => `/api/v1/sessions/${id}/stream?dialect=manager`],
    ['all sessions', () => '/api/v1/stream?dialect=manager'],
  ])('of %s gets what is pending first, then what is new, nothing twice', async (_, pathOf) => {
    const { id, ask, finish, journal } = await boxWithTurn()
    let hasGone = false
    const told = await read(ask, pathOf(id), (some) => {
      if (some.length >= 2 && !hasGone) {
        hasGone = true
        void journal.append(id, [permissionRequested(ids.next('per'), { toolUseId: 'toolu_2' })]).then(finish)
      }
      return some.some(({ event }) => event.type === 'result')
    })
    const asked = told.filter(({ event }) => event.type === 'permission_request')
    expect(told.slice(0, 2)).toEqual([
      { id: null, event: expect.objectContaining({ type: 'permission_request', toolUseId: 'toolu_1' }) },
      { id: null, event: { type: 'state', state: 'permission', sessionId: id } },
    ])
    expect(asked.map(({ event }) => event['toolUseId'])).toEqual(['toolu_1', 'toolu_2'])
  })

  test('gets it over the WebSocket, in each dialect, and not what was answered', async () => {
    const runtime = await boxWithTurn()
    const second = ids.next('per')
    await runtime.journal.append(runtime.id, [permissionRequested(second, { toolUseId: 'toolu_2' })])
    await runtime.journal.append(runtime.id, [permissionResolved(second)])
    const { heard, say } = await openSocket(runtime)
    say({ type: 'subscribe', sessions: ['*'], dialect: 'unified' })
    await expect.poll(() => heard).toHaveLength(2)
    expect(heard[1]).toMatchObject({
      type: 'event',
      cursor: null,
      event: { type: 'permission_request', requestId: runtime.requestId, sessionId: runtime.id },
    })
    await runtime.finish()
    await expect.poll(() => heard.at(-1)?.event?.type).toBe('run_complete')
    expect(heard.filter(({ event }) => event?.type === 'permission_request')).toHaveLength(1)
  })

  test('gets nothing first in our own events, nor where other types are wanted', async () => {
    const runtime = await boxWithTurn()
    const { heard, say } = await openSocket(runtime)
    say({ type: 'subscribe', sessions: [runtime.id] })
    await expect.poll(() => heard).toHaveLength(1)
    say({ type: 'subscribe', sessions: [runtime.id], dialect: 'manager', types: ['turn.ended'] })
    await runtime.finish()
    await expect.poll(() => heard.some(({ event }) => event?.type === 'result')).toBe(true)
    expect(heard.filter(({ event }) => event?.type === 'permission_request')).toEqual([])
  })
})

describe('a request by the id of its tool call', () => {
  const allow = { method: 'POST', headers: { 'content-type': 'application/json' } }

  test('is shown and answered over HTTP; of several pending ones the newest', async () => {
    const { id, ask, journal, requestId } = await boxWithTurn()
    const newest = ids.next('per')
    await journal.append(id, [permissionRequested(newest)])
    const shown = await ask('/api/v1/requests/toolu_1')
    expect(await shown.json()).toMatchObject({ request: { id: newest } })
    for (const expected of [newest, requestId]) {
      const body = JSON.stringify({ decision: 'allow' })
      const answered = await ask('/api/v1/requests/toolu_1/answer', { ...allow, body })
      expect(await answered.json()).toMatchObject({ request: { id: expected, state: 'resolved' } })
    }
    const shownLater = await ask('/api/v1/requests/toolu_1')
    expect(await shownLater.json()).toMatchObject({ request: { id: newest, state: 'resolved' } })
    expect((await ask('/api/v1/requests/toolu_9')).status).toBe(404)
  })

  test('says who was first where another client has answered already, over HTTP and the WebSocket', async () => {
    const runtime = await boxWithTurn()
    await runtime.inbox.answer(runtime.requestId, { decision: 'deny' }, { who: 'kim', via: 'cli' })
    const body = JSON.stringify({ decision: 'allow' })
    const late = await runtime.ask('/api/v1/requests/toolu_1/answer', { ...allow, body })
    expect(late.status).toBe(409)
    const refused = { code: 'request_already_resolved', details: { resolution: { who: 'kim' } } }
    expect(await late.json()).toMatchObject({ error: refused })
    const { heard, say } = await openSocket(runtime)
    say({ type: 'permission_response', id: 1, requestId: 'toolu_1', decision: 'allow' })
    await expect.poll(() => heard).toMatchObject([{ type: 'error', id: 1, error: refused }])
  })

  test('is answered over the WebSocket; an unknown one is not found', async () => {
    const runtime = await boxWithTurn()
    const { heard, say } = await openSocket(runtime)
    say({ type: 'permission_response', id: 1, requestId: 'toolu_9', decision: 'allow' })
    say({ type: 'permission_response', id: 2, requestId: 'toolu_1', decision: 'allow' })
    await expect.poll(() => heard).toHaveLength(2)
    expect(heard).toMatchObject([
      { type: 'error', id: 1, error: { code: 'request_not_found' } },
      { type: 'ack', id: 2, request: { id: runtime.requestId, state: 'resolved' } },
    ])
  })

  test.each(['per_1', 'toolu 1', 'toolu_1%2F..', ''])('%j names none', async (name) => {
    const { ask } = await boxWithTurn()
    const body = JSON.stringify({ decision: 'allow' })
    const answered = await ask(`/api/v1/requests/${name}/answer`, { ...allow, body })
    expect([400, 404]).toContain(answered.status)
    expect(await answered.json()).toMatchObject({
      error: { code: expect.stringMatching(/^(request_invalid|route_not_found)$/) },
    })
  })

  test('needs the same right as by its own id', async () => {
    const { id, ask, access, journal } = await boxWithTurn()
    await journal.append(id, [
      permissionRequested(ids.next('per'), { toolUseId: 'toolu_2', freerMode: 'bypassPermissions' }),
    ])
    const { secret } = await access.createToken({ name: 'op', role: 'operator' }, { who: 'kim', via: 'api' })
    const answered = await ask('/api/v1/requests/toolu_2/answer', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ decision: 'allow' }),
    })
    expect(answered.status).toBe(403)
  })
})

test('a dialect that nobody speaks is refused', async () => {
  const { ask, id } = await boxWithTurn()
  const response = await ask(`/api/v1/sessions/${id}/stream?dialect=pirate`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'request_invalid' } })
})
