/**
 * `npm run soak`: the daemon under everyday load for a long time, on the stand-in for the CLI: sessions that work, ask and are
 * replaced, readers that come, go and get stuck, a lifecycle stream that is rotated. Its resources must not grow, and nothing
 * may be lost. SOAK_MINUTES=10, SOAK_SESSIONS=50; `--json` prints the result as one line. Ends with 1 if something is wrong.
 */

import { appendFileSync, mkdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { line } from '../bench/support/lifecycle-stream.mjs'
import { bench, makePlace, startDaemon, startModel } from '../bench/support/place.mjs'
import { cpuMsOf, descriptorsOf, residentMbOf } from '../bench/support/process-figures.mjs'
import { openDatabase } from '../dist/lib/sqlite/driver.js'
import { rotateStream } from '../dist/terminal/stream/rotate.js'

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10)
const SESSIONS = Number(process.env.SOAK_SESSIONS ?? 50)
const STAND_IN = fileURLToPath(new URL('../test/support/stand-in-claude.mjs', import.meta.url))
const LENGTH_MS = MINUTES * 60_000
const SAMPLE_MS = Math.min(30_000, LENGTH_MS / 10)
/** By then a connection that is not used any more is closed. */
const RESTING_MS = 11_000
const ROTATE_MS = Math.min(60_000, LENGTH_MS / 4)
const REPLACE_MS = Math.min(5_000, LENGTH_MS / 8)
const READERS = 40
const LINES_PER_SECOND = 20
const PROMPTS = [
  'say I have looked at it and this is what I found, in a sentence of some length.',
  'talk 40 25',
  'ask Write {"file_path":"notes.md","content":"a line"}\nsay written',
  'ask Read {"file_path":"notes.md"}\nwait 300\nsay read',
]

/** Limits of growth: the last third of the time against the one before it. The first is for warming up. */
const LIMITS = {
  memoryMb: { factor: 1.2, plus: 10 },
  descriptors: { factor: 1, plus: 30 },
  requestMs: { factor: 3, plus: 10 },
  eventMs: { factor: 3, plus: 20 },
  walMb: { factor: 1, plus: 40 },
}

const isQuiet = process.argv.includes('--json')
const say = (text) => isQuiet || console.log(text)

await bench(async () => {
  const place = makePlace()
  const stream = join(place.folder, 'streams', 'lifecycle.jsonl')
  mkdirSync(join(place.folder, 'streams'))
  place.env.KW_CHAT_STREAM_PATH = stream
  const daemon = await startDaemon(place, await startModel(), {
    WARM: 0,
    MAX_LIVE: SESSIONS + 10,
    CLAUDE_PATH: STAND_IN,
  })
  const watcher = watchAll(daemon.client)
  const scene = { place, daemon, watcher, stream, isOver: false, sent: 0, lines: 0, problems: [] }

  // Descriptors that stay open after the first session and the first subscribers are not a leak.
  const firstId = await begin(scene)
  await daemon.client.stopSession({ params: { id: firstId }, body: {} })
  await wait(1_000)
  const before = descriptorsOf(daemon.pid)

  const samples = []
  const work = [
    ...Array.from({ length: SESSIONS }, () => keepWorking(scene)),
    keepReading(scene),
    keepWriting(scene),
  ]
  const end = performance.now() + LENGTH_MS
  say('  time   memory  descriptors  request   event     log of writes  CPU     events')
  while (performance.now() < end) {
    await wait(Math.min(SAMPLE_MS, Math.max(0, end - performance.now())))
    samples.push(await sample(scene, samples.at(-1)))
    show(samples.at(-1), samples.length)
  }
  scene.isOver = true
  await Promise.all(work)
  await quiet(scene)
  const until = Date.now() + RESTING_MS
  while (descriptorsOf(daemon.pid) > before + 5 && Date.now() < until) await wait(100)
  const after = descriptorsOf(daemon.pid)

  const problems = [...scene.problems, ...growth(samples), ...(await losses(scene))]
  if (after > before + 5) problems.push(`${after} descriptors are open at the end, ${before} at the start`)
  await watcher.close()
  await daemon.stop()
  const stored = await storedLines(place)
  if (stored !== scene.lines)
    problems.push(`${scene.lines} lifecycle lines were written, ${stored} are stored`)
  const result = {
    minutes: MINUTES,
    sessions: SESSIONS,
    messages: scene.sent,
    events: watcher.seen(),
    lines: scene.lines,
    descriptors: { before, after },
    slopes: slopesOf(samples),
    problems,
    samples,
  }
  if (isQuiet) console.log(JSON.stringify(result))
  else print(result)
  process.exitCode = problems.length > 0 ? 1 : 0
})

/** Follows all sessions, answers what they ask, and notes how late events come and whether a number is missing. */
function watchAll(client) {
  const leave = new AbortController()
  const lastSeq = new Map()
  const waiting = new Map()
  const gaps = []
  let late = []
  let seen = 0
  const done = (async () => {
    for await (const { event } of client.events({ after: 0, deltas: false, signal: leave.signal })) {
      if (!('seq' in event)) continue
      seen += 1
      const { sessionId, seq, type, data, at } = event
      const last = lastSeq.get(sessionId) ?? 0
      if (seq !== last + 1) gaps.push(`${sessionId}: ${last} is followed by ${seq}`)
      lastSeq.set(sessionId, seq)
      // Lines of terminals carry times of their own.
      if (waiting.has(sessionId)) late.push(Date.now() - Date.parse(at))
      if (type === 'permission.requested')
        client
          .answerRequest({ params: { id: data.requestId }, body: { decision: 'allow' } })
          .catch((error) => gaps.push(`an answer failed: ${wordsOf(error)}`))
      if (type === 'turn.ended' || type === 'session.ended') waiting.get(sessionId)?.()
    }
  })().catch(() => {})
  return {
    gaps,
    lastSeq,
    seen: () => seen,
    /** How late events have come since it was asked last. */
    lateness() {
      const middle = late.toSorted((one, other) => one - other)[late.length >> 1] ?? 0
      late = []
      return middle
    },
    /** Resolves when a turn or the session itself has ended. */
    turnOf: (sessionId) => new Promise((resolve) => waiting.set(sessionId, resolve)),
    async close() {
      leave.abort()
      await done
    },
  }
}

async function begin({ daemon, place, watcher }) {
  const { session } = await daemon.client.createSession({ body: { cwd: place.cwd } })
  const ended = watcher.turnOf(session.id)
  await daemon.client.sendMessage({ params: { id: session.id }, body: { text: 'say hello' } })
  await ended
  return session.id
}

/** A session after the other, each for a while. */
async function keepWorking(scene) {
  const { daemon, watcher } = scene
  try {
    while (!scene.isOver) {
      const id = await begin(scene)
      scene.sent += 1
      const until = performance.now() + REPLACE_MS * SESSIONS * (0.5 + Math.random())
      while (!scene.isOver && performance.now() < until) {
        await wait(500 + Math.random() * 2_000)
        const ended = watcher.turnOf(id)
        const text = PROMPTS[Math.floor(Math.random() * PROMPTS.length)]
        await daemon.client.sendMessage({ params: { id }, body: { text } })
        scene.sent += 1
        await ended
      }
      await daemon.client.stopSession({ params: { id }, body: {} })
    }
  } catch (error) {
    scene.problems.push(`a session failed: ${wordsOf(error)}`)
  }
}

/** The error with its causes. */
function wordsOf(error) {
  const text = [error.code, error.message].filter(Boolean).join(' ')
  return error.cause instanceof Error ? `${text} < ${wordsOf(error.cause)}` : text
}

/** Readers that come and go; every fifth never reads what it is sent. */
async function keepReading(scene) {
  const { url, token } = scene.daemon
  const open = new Set()
  for (let count = 0; !scene.isOver; count += 1) {
    await wait(200)
    if (open.size >= READERS) continue
    const close =
      count % 2 === 0 ? readSse(url, token, count % 5 === 0) : readWebSocket(url, token, count % 5 === 0)
    open.add(close)
    setTimeout(
      () => {
        open.delete(close)
        close()
      },
      1_000 + Math.random() * Math.min(20_000, LENGTH_MS / 10),
    )
  }
  for (const close of open) close()
}

function readSse(url, token, isStuck) {
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `GET /api/v1/stream?after=0 HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  if (isStuck) socket.pause()
  else socket.resume()
  return () => socket.destroy()
}

function readWebSocket(url, token, isStuck) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${token}` },
  })
  socket.on('error', () => {})
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'subscribe', sessions: ['*'], after: 0 }))
    if (isStuck) socket.pause()
  })
  return () => socket.terminate()
}

/** The hooks of terminals, and the rotation of what they write. */
async function keepWriting(scene) {
  let rotatedAt = performance.now()
  while (!scene.isOver) {
    await wait(250)
    for (let count = 0; count < LINES_PER_SECOND / 4; count += 1) {
      appendFileSync(scene.stream, line(scene.lines, { time: Date.now() - scene.lines }))
      scene.lines += 1
    }
    if (performance.now() - rotatedAt < ROTATE_MS) continue
    rotateStream(scene.stream, Date.now())
    rotatedAt = performance.now()
  }
}

async function sample({ daemon, place, watcher }, last) {
  const times = []
  for (let count = 0; count < 11; count += 1) {
    const begun = performance.now()
    await daemon.client.listSessions({ query: { limit: 20 } })
    times.push(performance.now() - begun)
  }
  const at = performance.now()
  const cpuMs = cpuMsOf(daemon.pid)
  return {
    at,
    cpuMs,
    memoryMb: residentMbOf(daemon.pid),
    descriptors: descriptorsOf(daemon.pid),
    requestMs: times.toSorted((one, other) => one - other)[5],
    eventMs: watcher.lateness(),
    walMb: (statSync(join(place.home, 'signalbox.db-wal'), { throwIfNoEntry: false })?.size ?? 0) / 1e6,
    cpu: last ? (cpuMs - last.cpuMs) / (at - last.at) : 0,
    events: watcher.seen(),
  }
}

function show({ memoryMb, descriptors, requestMs, eventMs, walMb, cpu, events }, number) {
  const time = `${((number * SAMPLE_MS) / 60_000).toFixed(1)} min`
  say(
    `  ${time.padEnd(7)}${memoryMb.toFixed(0)} MB  ${String(descriptors).padEnd(11)}  ${requestMs.toFixed(1)} ms  ${eventMs.toFixed(0)} ms`.padEnd(
      53,
    ) + `${walMb.toFixed(1)} MB  ${(cpu * 100).toFixed(0)} %  ${events}`,
  )
}

/** Waits until the reader has all that the sessions have. */
async function quiet({ daemon, watcher }) {
  for (let count = 0; count < 100; count += 1) {
    const before = watcher.seen()
    await wait(500)
    const { sessions } = await daemon.client.listSessions({ query: { limit: 1_000 } })
    const isBehind = sessions.some(({ id, lastSeq }) => (watcher.lastSeq.get(id) ?? 0) < lastSeq)
    if (!isBehind && watcher.seen() === before) return
  }
}

/** Violations in the log: missing sequence numbers, sessions that have not ended, unanswered requests. */
async function losses({ daemon, watcher }) {
  const found = [...watcher.gaps]
  for (let cursor; ; ) {
    const page = await daemon.client.listSessions({
      query: { limit: 1_000, kind: 'managed', ...(cursor && { cursor }) },
    })
    for (const { id, state, lastSeq, queue } of page.sessions) {
      if (state !== 'ended') found.push(`${id} has not ended`)
      if (queue.length > 0) found.push(`${id} has messages that wait`)
      if (watcher.lastSeq.get(id) !== lastSeq)
        found.push(`${id}: ${lastSeq} events, ${watcher.lastSeq.get(id)} seen`)
    }
    cursor = page.nextCursor
    if (!cursor) break
  }
  const { requests } = await daemon.client.listRequests({ query: { state: 'pending' } })
  return [...found, ...requests.map(({ id }) => `${id} is pending`)]
}

async function storedLines({ home }) {
  const database = await openDatabase(join(home, 'signalbox.db'))
  const { count } = database.prepare('SELECT count(*) AS count FROM session_lifecycle_events').get()
  database.close()
  return Number(count)
}

function growth(samples) {
  const third = Math.floor(samples.length / 3)
  if (MINUTES < 2) return [] // Nothing is warm yet.
  return Object.entries(LIMITS).flatMap(([name, { factor, plus }]) => {
    const [middle, last] = [samples.slice(third, -third), samples.slice(-third)].map((part) =>
      median(part.map((one) => one[name])),
    )
    return last > middle * factor + plus
      ? [`${name} grows: ${middle.toFixed(1)}, then ${last.toFixed(1)}`]
      : []
  })
}

function median(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 1]
}

/** By hour, over all but the first third. */
function slopesOf(samples) {
  const used = samples.slice(Math.floor(samples.length / 3))
  return Object.fromEntries(
    Object.keys(LIMITS).map((name) => [name, slope(used.map(({ at, [name]: value }) => [at, value]))]),
  )
}

function slope(points) {
  const mean = (pick) => points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)]
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  const together = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0)
  return spread === 0 ? 0 : (together / spread) * 3_600_000
}

function print({ messages, events, lines, descriptors, slopes, problems }) {
  console.log(`\n${messages} messages, ${events} events, ${lines} lines of terminals`)
  console.log(`descriptors: ${descriptors.before} at the start, ${descriptors.after} at the end`)
  for (const [name, value] of Object.entries(slopes)) console.log(`${name}: ${value.toFixed(1)} an hour`)
  for (const problem of problems) console.log(`WRONG: ${problem}`)
  console.log(problems.length === 0 ? 'Nothing is lost and nothing grows.' : 'The soak has failed.')
}
