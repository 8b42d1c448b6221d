/** Readers of what is no longer there. */

import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { notice } from '../../test/support/build.js'
import { createServedRuntime, TOKEN } from '../../test/support/served-runtime.js'
import type { StreamGap } from '../client/event-stream.js'

const LATER = '2099-01-01T00:00:00.000Z'

async function setup() {
  const runtime = await createServedRuntime()
  const { id } = await runtime.createSession()
  const ended = { type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } } as const
  await runtime.journal.append(id, [notice('a'), notice('b'), ended])
  const { length } = await runtime.events(id)
  const open = await runtime.createSession()
  const [first] = await runtime.store.readSession(open.id)
  await runtime.store.trim(LATER)
  return { ...runtime, id, length, open, position: first?.position ?? 0 }
}

async function follow({ client, journal, id }: Awaited<ReturnType<typeof setup>>, sessionId?: string) {
  const gaps: StreamGap[] = []
  const cursors: (number | null)[] = []
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const items = client.events({
    after: 0,
    signal: leave.signal,
    onGap: (gap) => gaps.push(gap),
    ...(sessionId !== undefined && { sessionId }),
  })
  void (async () => {
    for await (const { cursor } of items) cursors.push(cursor)
  })()
  await expect.poll(() => gaps.length).toBe(1)
  await journal.append(id, [notice('later')])
  return { gaps, cursors }
}

test('a client is told once what it has missed, and goes on with what is there', async () => {
  const runtime = await setup()
  const { gaps, cursors } = await follow(runtime, runtime.id)
  await expect.poll(() => cursors).toEqual([runtime.length + 1])
  expect(gaps).toEqual([{ after: 0, next: runtime.length + 1 }])
})

test('so is one that follows all sessions', async () => {
  const runtime = await setup()
  const { gaps, cursors } = await follow(runtime)
  await expect.poll(() => cursors).toHaveLength(2)
  expect(gaps).toEqual([{ after: 0, next: runtime.position }])
})

test('so is one over the WebSocket, and one that asks page by page', async () => {
  const { url, client, id, length, open } = await setup()
  const gap = { after: 1, next: length + 1 }
  expect(await client.listEvents({ params: { id }, query: { after: 1 } })).toEqual({
    events: [],
    nextCursor: null,
    gap,
  })
  expect((await client.listEvents({ params: { id: open.id } })).gap).toBeNull()
  expect((await client.listEvents({ params: { id }, query: { after: length } })).gap).toBeNull()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => socket.terminate())
  const heard: unknown[] = []
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
  socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', sessions: [id], after: 1 })))

  await expect
    .poll(() => heard)
    .toEqual([
      { type: 'ack', after: 1 },
      { type: 'gap', ...gap },
    ])
})

test('what is known of the session itself stays, and it goes on where it was', async () => {
  const { client, id, length, events } = await setup()
  const { session } = await client.getSession({ params: { id } })
  expect(session).toMatchObject({ state: 'ended', lastSeq: length })
  await client.resumeSession({ params: { id }, body: {} })
  expect((await events(id)).map(({ seq }) => seq)[0]).toBe(length + 1)
})

test.each(['junk', '-3', '1e9', '99999999999999999999'])(
  'so is one whose Last-Event-ID cannot be read: %s',
  async (lastEventId) => {
    const { url, open } = await setup()
    const leave = new AbortController()
    onTestFinished(() => leave.abort())
    const response = await fetch(`${url}/api/v1/sessions/${open.id}/stream`, {
      headers: { authorization: `Bearer ${TOKEN}`, 'last-event-id': lastEventId },
      signal: leave.signal,
    })
    const { value } = (await response.body?.getReader().read()) ?? {}
    expect(Buffer.from(value ?? []).toString()).toMatch(/^event: gap\ndata: \{"after":0,"next":\d+\}\n/m)
  },
)
