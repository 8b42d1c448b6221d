import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  ids,
  permissionRequested,
  permissionResolved,
  turnEnded,
  turnStarted,
} from '../../test/support/build.js'
import { createServedBox, TOKEN } from '../../test/support/served-box.js'

interface Told {
  id: number | null
  event: { type: string; [key: string]: unknown }
}

/** What a stream says until `isEnough`. */
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
  const box = await createServedBox()
  const { id } = await box.createSession()
  const [turnId, requestId] = [ids.next('trn'), ids.next('per')]
  const block = { messageId: 'msg_1', index: 0 }
  await box.journal.append(id, [
    turnStarted(turnId),
    { type: 'text.ended', data: { ...block, text: 'I will write it.' } },
    permissionRequested(requestId),
  ])
  const finish = () => box.journal.append(id, [permissionResolved(requestId), turnEnded(turnId)])
  return { ...box, id, finish }
}

test('a session is told in a dialect, and taken up again from where a reader was', async () => {
  const { id, ask, finish } = await boxWithTurn()
  const path = `/api/v1/sessions/${id}/stream?dialect=manager`
  const begun = await read(ask, `${path}&after=0`, (told) => told.length === 4)
  expect(begun.map(({ event }) => event)).toEqual([
    { type: 'state', state: 'working' },
    { type: 'textComplete', text: 'I will write it.' },
    expect.objectContaining({ type: 'permission_request', toolName: 'Write', toolUseId: 'toolu_1' }),
    { type: 'state', state: 'permission' },
  ])
  await finish()
  const rest = await read(ask, `${path}&after=${begun.at(-1)?.id}`, (told) => told.length === 3)
  expect(rest.map(({ event }) => event)).toEqual([
    { type: 'state', state: 'working' },
    expect.objectContaining({ type: 'result', subtype: 'end_turn' }),
    { type: 'state', state: 'idle' },
  ])
})

test('the same over the WebSocket', async () => {
  const { id, url, finish } = await boxWithTurn()
  await finish()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => socket.terminate())
  const types: string[] = []
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { type: string; event?: { type: string } }
    if (message.event) types.push(message.event.type)
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'subscribe', sessions: [id], after: 0, dialect: 'unified' }))
  await expect
    .poll(() => types)
    .toEqual([
      'message_start',
      'text_delta',
      'content_block_stop',
      'message_stop',
      'permission_request',
      'run_complete',
    ])
})

test('a dialect that nobody speaks is refused', async () => {
  const { ask, id } = await boxWithTurn()
  const response = await ask(`/api/v1/sessions/${id}/stream?dialect=pirate`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'request_invalid' } })
})
