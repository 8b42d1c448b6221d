/** 200 events a second to 1,000 readers: what it costs the daemon, against a bare server that writes one shared buffer. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { percentile, report } from './support/measure.mjs'
import { cpuMsOf } from './support/process-figures.mjs'

const READERS = 1_000
const PER_SECOND = 200
const SECONDS = 6
const self = fileURLToPath(import.meta.url)

if (process.argv[2] === 'bare') bareServer()
else if (process.argv[2] === 'ours') await ourServer()
else await measure()

/** Writes the same bytes to every socket, 20 ms of events at a time. */
function bareServer() {
  const sockets = new Set()
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
      sockets.add(socket)
    })
    socket.on('error', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
  whenTold((text) => {
    const frame = Buffer.from(`data: ${JSON.stringify({ type: 'notice.raised', data: { text } })}\n\n`)
    for (const socket of sockets) socket.write(frame)
  })
}

async function ourServer() {
  const { serveJournal } = await import('./support/served-journal.mjs')
  const { port, append } = await serveJournal()
  process.send({ port })
  whenTold(append)
}

function whenTold(tell) {
  process.on('message', () => void feed(tell).then(() => process.send('done')))
}

/** Calls the callback at an even rate, with the time in the text. */
async function feed(tell) {
  const start = performance.now()
  for (let index = 0; index < PER_SECOND * SECONDS; index += 1) {
    const due = start + (index * 1_000) / PER_SECOND
    if (due > performance.now()) await wait(due - performance.now())
    tell(`${Date.now()} ${'x'.repeat(200)}`)
  }
  await wait(1_000)
}

async function measure() {
  const results = {}
  const delays = {}
  for (const kind of ['bare', 'ours', 'bare', 'ours']) {
    const { cpu, late, delivered } = await one(kind)
    results[kind] = [...(results[kind] ?? []), cpu]
    delays[kind] = [...(delays[kind] ?? []), { late, delivered }]
  }
  report({
    name: `${PER_SECOND} events a second to ${READERS} readers`,
    unit: 'µs of CPU an event and reader',
    figures: { 'a bare server': results.bare, signalbox: results.ours },
    goals: [{ row: 'signalbox', most: 1.3 }],
    notes: ['bare', 'ours'].map(
      (kind) =>
        `${kind}: delivered ${delays[kind].map(({ delivered }) => `${(delivered * 100).toFixed(1)} %`).join(' and ')}`,
    ),
  })
  const late = (kind) => delays[kind].map((delay) => delay.late)
  report({
    name: `${PER_SECOND} events a second to ${READERS} readers, the slowest of a hundred`,
    figures: { 'a bare server': late('bare'), signalbox: late('ours') },
    goals: [{ row: 'signalbox', absolute: 50 }],
  })
}

async function one(kind) {
  const child = fork(self, [kind])
  const [{ port }] = await once(child, 'message')
  const late = []
  let received = 0
  const sockets = await Promise.all(
    Array.from({ length: READERS }, async (_, index) => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `GET /api/v1/stream?deltas=0 HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer bench-token\r\n\r\n`,
      )
      socket.on('data', (chunk) => {
        const text = chunk.toString('latin1')
        let at = text.indexOf('"text":"')
        while (at >= 0) {
          received += 1
          // One reader in fifty is watched closely; to read all of them would measure the reader.
          if (index % 50 === 0) late.push(Date.now() - Number(text.slice(at + 8, at + 21)))
          at = text.indexOf('"text":"', at + 8)
        }
      })
      return socket
    }),
  )
  await wait(500)
  const before = cpuMsOf(child.pid)
  child.send('go')
  await once(child, 'message')
  const cpu = cpuMsOf(child.pid) - before
  for (const socket of sockets) socket.destroy()
  child.kill()
  await once(child, 'exit')
  const sent = PER_SECOND * SECONDS * READERS
  return { cpu: (cpu * 1_000) / sent, late: percentile(late, 0.99), delivered: received / sent }
}
