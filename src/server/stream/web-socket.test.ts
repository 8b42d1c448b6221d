import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ids, notice, permissionRequested } from '../../../test/support/build.js'
import { createServedRuntime, TOKEN } from '../../../test/support/served-runtime.js'
import { ServerMessage } from '../../protocol/web-socket.js'

interface Opened {
  socket: WebSocket
  /** Messages from the server so far. */
  heard: ServerMessage[]
  say(message: object): void
  /** Says it and waits for the answer to it. */
  ask(message: object): Promise<ServerMessage>
}

async function open(url: string, token = TOKEN): Promise<Opened> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${token}` },
  })
  onTestFinished(() => socket.terminate())
  const heard: ServerMessage[] = []
  socket.on('message', (data: Buffer) => heard.push(ServerMessage.parse(JSON.parse(data.toString()))))
  await once(socket, 'open')
  let tags = 0
  const say = (message: object) => socket.send(JSON.stringify(message))
  return {
    socket,
    heard,
    say,
    async ask(message) {
      tags += 1
      const id = `ask ${tags}`
      say({ ...message, id })
      const answer = () => heard.find((one) => 'id' in one && one.id === id)
      await expect.poll(answer).toBeDefined()
      return answer() as ServerMessage
    },
  }
}

/** How the server answers a connection that it does not take. */
async function refusal(url: string, headers: Record<string, string>, path = '/api/v1/ws'): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers })
  socket.on('error', () => {})
  return new Promise((resolve) => {
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
  })
}

const cursorsIn = (heard: readonly ServerMessage[]) =>
  heard.flatMap((message) => (message.type === 'event' && message.cursor !== null ? [message.cursor] : []))

describe('who may connect', () => {
  test('a token, or the cookie of our own page; nobody else', async () => {
    const { url, access } = await createServedRuntime()
    const authorization = `Bearer ${TOKEN}`
    const cookie = `signalbox-${new URL(url).port}=${await access.login({ token: TOKEN }, '127.0.0.1')}`
    expect(await refusal(url, { authorization })).toBe(101)
    expect(await refusal(url, { cookie, origin: url })).toBe(101)
    expect(await refusal(url, {})).toBe(403)
    expect(await refusal(url, { origin: url })).toBe(401)
    expect(await refusal(url, { authorization: 'Bearer wrong' })).toBe(401)
    expect(await refusal(url, { cookie })).toBe(403)
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1'])
      expect(await refusal(url, { cookie, authorization, origin })).toBe(403)
    expect(await refusal(url, { authorization, host: 'evil.example' })).toBe(421)
    expect(await refusal(url, { authorization }, '/api/v1/sessions')).toBe(404)
  })

  test('a revoked token is cut off', async () => {
    const { url, client } = await createServedRuntime()
    const { token, secret } = await client.createToken({ body: { name: 'bot', role: 'viewer' } })
    const { socket } = await open(url, secret)
    const closed = once(socket, 'close')
    await client.revokeToken({ params: { id: token.id } })
    await closed
  })
})

describe('events', () => {
  test('of one session from a cursor, then live, with fragments between', async () => {
    const { url, journal, createSession } = await createServedRuntime()
    const { id } = await createSession()
    await createSession()
    await journal.append(id, [notice('a')])
    const { heard, ask } = await open(url)
    expect(await ask({ type: 'subscribe', sessions: [id], after: 1 })).toMatchObject({
      type: 'ack',
      after: 1,
    })
    await expect.poll(() => cursorsIn(heard)).toEqual([2])
    journal.publish(id, { type: 'text.delta', data: { messageId: 'm', index: 0, offset: 0, text: 'x' } })
    await journal.append(id, [notice('x'.repeat(200)), notice('y'.repeat(70_000))])

    await expect.poll(() => cursorsIn(heard)).toEqual([2, 3, 4])
    expect(heard.flatMap((message) => (message.type === 'event' ? [message.event.type] : []))).toEqual([
      'notice.raised',
      'text.delta',
      'notice.raised',
      'notice.raised',
    ])
  })

  test('of all sessions, by their position; a new wish takes the place of the old one', async () => {
    const { url, journal, createSession } = await createServedRuntime()
    const { heard, ask } = await open(url)
    await ask({ type: 'subscribe', sessions: ['*'], after: 0, deltas: false })
    const one = await createSession()
    const two = await createSession()
    await expect.poll(() => cursorsIn(heard)).toEqual([1, 2])
    await ask({ type: 'subscribe', sessions: [two.id], types: ['notice.raised'] })
    await journal.append(one.id, [notice('a')])
    await journal.append(two.id, [notice('b')])
    await expect.poll(() => cursorsIn(heard)).toEqual([1, 2, 2])
    await ask({ type: 'unsubscribe' })
    await journal.append(two.id, [notice('c')])
    await ask({ type: 'ping' })

    expect(cursorsIn(heard)).toEqual([1, 2, 2])
  })

  test('a cursor that this log never had is a gap', async () => {
    const { url, createSession } = await createServedRuntime()
    const { id } = await createSession()
    const { heard, ask } = await open(url)
    await ask({ type: 'subscribe', sessions: [id], after: 99 })
    await expect.poll(() => heard.at(-1)).toEqual({ type: 'gap', after: 99, next: 2 })
  })
})

describe('orders', () => {
  test('a message is sent, a permission answered, a turn interrupted', async () => {
    const { url, journal, createSession, hub } = await createServedRuntime()
    const { id: sessionId } = await createSession()
    const requestId = ids.next('per')
    await journal.append(sessionId, [permissionRequested(requestId)])
    const { ask } = await open(url)

    const sent = await ask({ type: 'send', sessionId, text: 'hello', idempotencyKey: 'k' })
    expect(sent).toMatchObject({ type: 'ack', messageId: expect.stringMatching(/^msg_/) })
    expect(await ask({ type: 'send', sessionId, text: 'hello', idempotencyKey: 'k' })).toMatchObject({
      messageId: (sent as { messageId?: string }).messageId,
    })
    expect(
      await ask({ type: 'permission_response', requestId, decision: 'deny', message: 'no' }),
    ).toMatchObject({ type: 'ack', request: { id: requestId, state: 'resolved' } })
    expect(await hub.inbox.request(requestId)).toMatchObject({ resolution: { who: 'admin', via: 'api' } })
    expect(await ask({ type: 'permission_response', requestId, decision: 'allow' })).toMatchObject({
      type: 'error',
      error: { code: 'request_already_resolved' },
    })
    expect(await ask({ type: 'interrupt', sessionId })).toMatchObject({ type: 'ack' })
  })

  test('what is not understood is told, and the connection goes on', async () => {
    const { url, faults } = await createServedRuntime()
    const { ask, say, heard, socket } = await open(url)
    for (const text of ['', '{', '[]', 'null', '7', '"x"', '{"type":"dance"}', '{"type":"toString"}'])
      socket.send(text)
    socket.send(Buffer.from('{"type":"ping"}'))
    say({ type: 'subscribe', sessions: ['*'], colour: 'blue' })
    say({ type: 'send', sessionId: ids.next('ses'), text: 'x' })
    expect(await ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
    expect(heard.map((message) => (message.type === 'error' ? message.error.code : message.type))).toEqual([
      ...Array.from({ length: 10 }, () => 'request_invalid'),
      'session_not_found',
      'pong',
    ])
    expect(faults).toEqual([])
  })

  test('they are carried out in the order in which they came', async () => {
    const { url, createSession, events } = await createServedRuntime()
    const { id: sessionId } = await createSession()
    const { say, ask } = await open(url)
    for (let n = 0; n < 100; n += 1) say({ type: 'send', sessionId, text: `${n}` })
    await ask({ type: 'ping' })
    const texts = (await events(sessionId)).flatMap((it) =>
      it.type === 'message.queued' ? [it.data.text] : [],
    )
    expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`))
  })
})
