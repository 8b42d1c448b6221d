/** A reader over the WebSocket that is cut off again and again. `npm run cuts` does it a thousand times. */

import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { notice } from '../../../test/support/build.js'
import { createDice } from '../../../test/support/generated-request.js'
import { createServedRuntime, TOKEN } from '../../../test/support/served-runtime.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import { ServerMessage, WEB_SOCKET_PATH } from '../../protocol/web-socket.js'

const CUTS = Number(process.env['CUTS'] ?? 60)
const EVENTS = 100

/** A proxy that passes a number of bytes, then breaks both connections. */
async function openBridge(target: number, bytesToPass: () => number): Promise<number> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    let left = bytesToPass()
    far.on('data', (chunk: Buffer) => {
      near.write(chunk.subarray(0, left), () => left <= 0 && near.resetAndDestroy())
      left -= chunk.byteLength
    })
  })
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

interface Way {
  url: string
  sessionId: string
  /** Where the connection goes instead. */
  port: number
}

interface Reader {
  events: SessionEvent[]
  cursor: number
  connections: number
}

/**
 * Resumes from its cursor, over as many connections as it takes. With `isEnough` the reader drops the
 * connection after each event.
 */
async function readAll(way: Way, isEnough = false): Promise<Reader> {
  const reader: Reader = { events: [], cursor: 0, connections: 0 }
  while (reader.cursor < EVENTS) {
    reader.connections += 1
    await readSome(way, reader, isEnough)
  }
  return reader
}

function readSome({ url, sessionId, port }: Way, reader: Reader, isEnough: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${TOKEN}` },
      createConnection: () => connect(port, '127.0.0.1'),
    })
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'subscribe', sessions: [sessionId], after: reader.cursor })),
    )
    socket.on('message', (data: Buffer) => {
      const message = ServerMessage.parse(JSON.parse(data.toString()))
      if (message.type !== 'event') return
      reader.events.push(message.event as SessionEvent)
      reader.cursor = message.cursor ?? reader.cursor
      if (isEnough || reader.cursor === EVENTS) socket.terminate()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

test('cut again and again, at every event and at any byte, it ends with the very list of one that was never cut', {
  timeout: 300_000,
}, async () => {
  const runtime = await createServedRuntime()
  const { id } = await runtime.createSession()
  for (let n = 1; n < EVENTS; n += 1)
    await runtime.journal.append(id, [notice(`${n} ${'세'.repeat(n % 50)}`)])
  const dice = createDice(4_711)
  const bridge = await openBridge(runtime.server.port, () => 200 + dice.next(3_000))
  const url = `${runtime.url.replace('http', 'ws')}${WEB_SOCKET_PATH}`
  const way = { url, sessionId: id, port: runtime.server.port }

  const whole = await readAll(way)
  expect(whole.connections).toBe(1)
  expect(whole.events.map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1))
  let cuts = 0
  do {
    for (const cut of [await readAll(way, true), await readAll({ ...way, port: bridge })]) {
      expect(cut.events).toEqual(whole.events)
      cuts += cut.connections
    }
  } while (cuts < CUTS)
  expect(runtime.faults).toEqual([])
})
