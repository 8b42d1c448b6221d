/** Readers that never read: their effect on the others (p99 from the event to the reader), and their cost in memory. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { percentile, report } from './support/measure.mjs'

const READERS = 20
const STUCK = 5
const PER_SECOND = 200
const SECONDS = 3
const ROUNDS = 3
/** So large that a reader which reads nothing is full within a second. */
const FILLING = 'x'.repeat(8_000)
const self = fileURLToPath(import.meta.url)
const now = () => performance.timeOrigin + performance.now()

if (process.argv[2] === 'server') await server()
else await measure()

async function server() {
  const { serveJournal } = await import('./support/served-journal.mjs')
  const { port, append } = await serveJournal()
  const answer = async (what) => {
    if (what === 'feed') await feed(append)
    process.send(memory())
  }
  process.on('message', (what) => void answer(what))
  process.send({ port })
}

async function feed(append) {
  const start = performance.now()
  for (let index = 0; index < PER_SECOND * SECONDS; index += 1) {
    const due = start + (index * 1_000) / PER_SECOND
    if (due > performance.now()) await wait(due - performance.now())
    append(`${now().toFixed(3)} ${FILLING}`)
  }
  await wait(500)
}

function memory() {
  for (let round = 0; round < 3; round += 1) globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { held: (heapUsed + external) / 1e6, rss: rss / 1e6 }
}

async function measure() {
  const child = fork(self, ['server'], { execArgv: ['--expose-gc'] })
  const [{ port }] = await once(child, 'message')
  const ask = async (what) => {
    child.send(what)
    return (await once(child, 'message'))[0]
  }
  const late = { 'without them': [], 'with them': [] }
  const held = { 'without them': [], 'with them': [] }
  const rss = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [row, stuck] of [
      ['without them', 0],
      ['with them', STUCK],
    ]) {
      const before = await ask('measure')
      const { p99, grown, after } = await one(port, stuck, ask, before)
      if (round === 0) continue // Warms up.
      late[row].push(p99)
      held[row].push(Math.max(grown, 0.01))
      rss.push(after.rss)
    }
  }
  child.kill()
  report({
    name: `${PER_SECOND} events a second of 8 KB to ${READERS} readers, beside ${STUCK} that never read: p99`,
    figures: late,
    goals: [{ row: 'with them', most: 1.2 }],
  })
  const sent = (PER_SECOND * SECONDS * 8 * STUCK) / 1_000
  report({
    name: `Memory that the server holds meanwhile (${sent.toFixed(0)} MB were meant for those who never read)`,
    unit: 'MB',
    figures: held,
    goals: [{ row: 'with them', absolute: STUCK * 1.5 }],
    notes: [`resident: ${rss.map((mb) => mb.toFixed(0)).join(', ')} MB, in turns`],
  })
}

async function one(port, stuck, ask, before) {
  const late = []
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `GET /api/v1/stream?deltas=0 HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer bench-token\r\n\r\n`,
    )
    return socket
  }
  const idle = await Promise.all(Array.from({ length: stuck }, open))
  for (const socket of idle) socket.pause()
  const sockets = await Promise.all(Array.from({ length: READERS }, open))
  for (const socket of sockets) {
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      for (let at = text.indexOf('"text":"'); at >= 0; at = text.indexOf('"text":"', at + 8)) {
        const sent = Number(text.slice(at + 8, at + 25))
        if (sent > 0) late.push(now() - sent)
      }
    })
  }
  await wait(300)
  const after = await ask('feed')
  for (const socket of [...idle, ...sockets]) socket.destroy()
  await wait(300)
  return { p99: percentile(late, 0.99), grown: after.held - before.held, after }
}
