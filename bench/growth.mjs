/**
 * How cost grows: what one more session, event, reader or stored event costs when there are ten and a hundred times as many.
 * Figures are for one of the thing (an append, a list, an event delivered to a reader), so that a flat row is linear cost;
 * processor time where it can be measured, because it is the same on a busy machine. `node bench/growth.mjs PART …` for some of:
 * sessions, events, readers, history.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createJournal } from '../dist/journal/journal.js'
import { systemClock } from '../dist/lib/clock.js'
import { createIdSource } from '../dist/lib/id.js'
import { openSqliteStore } from '../dist/store/sqlite/store.js'
import { inTurns, reportGrowth } from './support/measure.mjs'
import { bench, makePlace, startDaemon, startModel, temporaryFolder } from './support/place.mjs'
import { cpuMsOf } from './support/process-figures.mjs'
import { sessionCreated, textEnded } from './support/sample-event.mjs'
import { fillHome } from './support/stored-history.mjs'

const ROUNDS = 3
const PER_SECOND = 200
const SECONDS = 2
/** In the text of each event. */
const MARK = 'XXXX'
const self = fileURLToPath(import.meta.url)

if (process.argv[2] === 'serve') await serve()
else
  await bench(async () => {
    const parts = { sessions, events, readers, history }
    const named = process.argv.slice(2).filter((word) => !word.startsWith('-'))
    for (const name of named.length > 0 ? named : Object.keys(parts)) await parts[name]()
  })

async function openJournal() {
  const ids = createIdSource()
  const path = join(temporaryFolder(), 'box.db')
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  return { ids, store, journal: createJournal({ store, clock: systemClock, ids }) }
}

/** Microseconds of processor time of this process. */
async function cpuOf(action) {
  const before = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Many sessions: an event to each of them, and the list. */
async function sessions() {
  const sizes = [10, 100, 1_000]
  const worlds = []
  for (const size of sizes) {
    const world = await openJournal()
    const list = Array.from({ length: size }, () => world.ids.next('ses'))
    await Promise.all(list.map((id) => world.journal.append(id, [sessionCreated()])))
    worlds.push({ ...world, list, size })
  }
  const subjects = {}
  for (const { journal, list, size } of worlds) {
    const rounds = 2_000 / size
    subjects[`append ${size}`] = async () =>
      (await cpuOf(async () => {
        for (let round = 0; round < rounds; round += 1)
          await Promise.all(list.map((id) => journal.append(id, [textEnded()])))
      })) / 2_000
  }
  // A commit of its own for each, as when one session works and the others rest.
  for (const { journal, list, size } of worlds)
    subjects[`lone ${size}`] = async () =>
      (await cpuOf(async () => {
        for (let count = 0; count < 200; count += 1)
          await journal.append(list[(count * 7) % list.length], [textEnded()])
      })) / 200
  for (const { store, size } of worlds)
    subjects[`list ${size}`] = async () =>
      (await cpuOf(async () => {
        for (let count = 0; count < 20; count += 1) await store.sessions({ limit: 100 })
      })) /
      20 /
      Math.min(100, size)
  const figures = await inTurns(subjects, ROUNDS)
  reportGrowth({
    name: 'sessions',
    unit: 'µs of CPU',
    sizes,
    figures,
    rows: [
      { row: 'append to each at once, an event', key: 'append' },
      { row: 'append to one of them', key: 'lone' },
      { row: 'list, a session of it (the newest 100)', key: 'list' },
    ],
  })
  await closeAll(worlds)
}

/** One long session. */
async function events() {
  const sizes = [1_000, 10_000, 100_000]
  const worlds = []
  for (const size of sizes) {
    const world = await openJournal()
    const id = world.ids.next('ses')
    await world.journal.append(id, [sessionCreated()])
    // As an agent works: calls, texts, and now and then something else that the snapshot knows of.
    for (let done = 1; done < size; ) {
      const drafts = Array.from({ length: Math.min(50, Math.ceil((size - done) / 10)) }, (_, index) =>
        work(done + index),
      ).flat()
      done += (await world.journal.append(id, drafts)).length
    }
    worlds.push({ ...world, id, size })
  }
  const subjects = {}
  for (const { journal, id, size } of worlds)
    subjects[`append ${size}`] = async () =>
      (await cpuOf(async () => {
        for (let count = 0; count < 200; count += 1) await journal.append(id, [textEnded()])
      })) / 200
  for (const { store, id, size } of worlds)
    subjects[`snapshot ${size}`] = async () => JSON.stringify(await store.session(id)).length
  for (const { store, id, size } of worlds)
    subjects[`tail ${size}`] = async () =>
      (await cpuOf(async () => {
        const { lastSeq } = await store.session(id)
        for (let count = 0; count < 10; count += 1)
          await store.readSession(id, { after: lastSeq - 200, limit: 200 })
      })) / 2_000
  const figures = await inTurns(subjects, ROUNDS)
  reportGrowth({
    name: 'events of one session',
    unit: 'µs of CPU',
    sizes,
    figures,
    rows: [
      { row: 'append', key: 'append' },
      { row: 'read the last 200, an event', key: 'tail' },
      { row: 'snapshot (bytes)', key: 'snapshot' },
    ],
  })
  await closeAll(worlds)
}

/** The work of an agent, about ten events: all that begins has ended. */
function work(number) {
  const toolUseId = `toolu_${number}`
  const [agentId, taskId, hookId] = [`agent_${number}`, `task_${number}`, `hook_${number}`]
  return [
    { type: 'tool.requested', data: { toolUseId, name: 'Agent', input: { prompt: `do ${number}` } } },
    { type: 'hook.started', data: { hookId, command: 'check', event: 'PreToolUse' } },
    { type: 'hook.ended', data: { hookId, exitCode: 0, outcome: 'passed', durationMs: 3 } },
    { type: 'agent.started', data: { agentId, agentType: 'helper', isBackground: false } },
    { type: 'task.started', data: { taskId, kind: 'shell', isBackground: true } },
    textEnded(),
    { type: 'task.ended', data: { taskId, outcome: 'completed' } },
    { type: 'agent.ended', data: { agentId, outcome: 'completed' } },
    { type: 'tool.ended', data: { toolUseId, name: 'Agent', outcome: 'completed', durationMs: 3 } },
    textEnded(),
  ]
}

async function closeAll(worlds) {
  for (const { journal, store } of worlds) {
    await journal.close()
    await store.close()
  }
}

/** Readers of a stream: what the server spends on each event for each of them. */
async function readers() {
  const sizes = [10, 100, 1_000]
  const figures = await inTurns(
    Object.fromEntries(sizes.map((size) => [`readers ${size}`, () => deliver(size)])),
    2,
  )
  reportGrowth({
    name: 'readers',
    unit: 'µs of CPU',
    sizes,
    figures,
    rows: [{ row: 'an event to a reader, its append shared by all', key: 'readers' }],
  })
}

async function deliver(size) {
  const child = fork(self, ['serve'])
  const [{ port }] = await once(child, 'message')
  let opened = 0
  let received = 0
  const sockets = await Promise.all(
    Array.from({ length: size }, async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `GET /api/v1/stream?deltas=0 HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer bench-token\r\n\r\n`,
      )
      socket.on('data', (chunk) => {
        if (chunk.includes('retry:')) opened += 1
        for (let at = chunk.indexOf(MARK); at >= 0; at = chunk.indexOf(MARK, at + 1)) received += 1
      })
      return socket
    }),
  )
  const sent = PER_SECOND * SECONDS * size
  await until(() => opened === size)
  const before = cpuMsOf(child.pid)
  child.send('go')
  await once(child, 'message')
  await until(() => received === sent)
  const spent = cpuMsOf(child.pid) - before
  for (const socket of sockets) socket.destroy()
  child.kill()
  await once(child, 'exit')
  return (spent * 1_000) / sent
}

async function until(isReached) {
  for (let waited = 0; !isReached(); waited += 20) {
    if (waited > 60_000) throw new Error('not every reader has got everything')
    await wait(20)
  }
}

async function serve() {
  const { serveJournal } = await import('./support/served-journal.mjs')
  const { port, append } = await serveJournal()
  process.send({ port })
  process.on('message', () => void feed(append).then(() => process.send('done')))
}

async function feed(append) {
  const start = performance.now()
  for (let index = 0; index < PER_SECOND * SECONDS; index += 1) {
    const due = start + (index * 1_000) / PER_SECOND
    if (due > performance.now()) await wait(due - performance.now())
    append(`${MARK}${'x'.repeat(200)}`)
  }
}

/** Everything that was ever stored. */
async function history() {
  const sizes = [10_000, 100_000, 1_000_000]
  const model = await startModel()
  const places = new Map()
  for (const size of sizes) {
    const place = makePlace()
    await fillHome(place.home, { events: size, sessions: size / 100 })
    places.set(size, place)
  }
  const starts = await inTurns(
    Object.fromEntries(
      Array.from(places, ([size, place]) => [`start ${size}`, () => startAndStop(place, model)]),
    ),
    3,
  )
  const questions = {}
  for (const [size, place] of places) {
    const daemon = await startDaemon(place, model, { WARM: 0 })
    questions[`list ${size}`] = () => ask(daemon, 'sessions')
    questions[`inbox ${size}`] = () => ask(daemon, 'requests?state=pending')
    questions[`usage ${size}`] = () => ask(daemon, 'usage?by=day')
  }
  const asked = await inTurns(questions, ROUNDS)
  reportGrowth({
    name: 'history, a session for each 100 events',
    unit: 'ms of CPU of the daemon',
    sizes,
    figures: { ...starts, ...asked },
    isWhole: true,
    rows: [
      { row: 'start', key: 'start' },
      { row: 'list of sessions', key: 'list' },
      { row: 'inbox', key: 'inbox' },
      { row: 'usage by day', key: 'usage' },
    ],
  })
}

async function startAndStop(place, model) {
  const { pid, stop } = await startDaemon(place, model, { WARM: 0 })
  const spent = cpuMsOf(pid)
  await stop()
  return spent
}

async function ask({ url, token, pid }, path) {
  const before = cpuMsOf(pid)
  for (let count = 0; count < 30; count += 1) {
    const response = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })
    await response.arrayBuffer()
  }
  return (cpuMsOf(pid) - before) / 30
}
