/**
 * Other programs read the database at random moments while five sessions work, then the daemon is killed and started again:
 * nothing that was acknowledged to a client is lost, the file is intact, the audit verifies, nothing stays open.
 * `npm run chaos:store` does 1,000 rounds, 50 of them with the real CLI. CHAOS_MINUTES ends it earlier; CHAOS_STATE names a
 * file in which the rounds that were done are counted, so that the next run continues there.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyDatabase } from '../../src/audit/database.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { createRandom, type Random } from '../support/inbox-chaos.js'
import { outsideReaders } from '../support/outside-readers.js'
import { makeStandInPlace } from '../support/stand-in.js'
import { integrityOf } from '../support/storage-fault.js'

const isFull = process.env['CHAOS'] === 'full'
const ROUNDS = isFull ? { 'stand-in': 950, real: 50 } : { 'stand-in': 3, real: 1 }
const MINUTES = Number(process.env['CHAOS_MINUTES'] ?? (isFull ? 120 : 5))
const STATE = process.env['CHAOS_STATE']
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261_116)
/** A new home after this many, so that the checks do not grow with the log. */
const PER_HOME = 10
const SESSIONS = 5
const READERS = 4

type Kind = keyof typeof ROUNDS

const PROMPTS: Readonly<Record<Kind, (cwd: string) => readonly string[]>> = {
  'stand-in': (cwd) => [
    'say hello\nsay again',
    'talk 20 10',
    `ask Read {"file_path":"${cwd}/a"}\nsay read`,
    'say one\nwait 50\nsay two',
  ],
  real: () => ['hello', 'talk'],
}

const makeKind: Readonly<Record<Kind, () => Promise<Place>>> = {
  'stand-in': () => makeStandInPlace({ SIGNALBOX_MAX_LIVE: '10' }),
  real: () =>
    makePlace(() => ({
      rules: [
        { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(100), delayMs: 5 }] },
        { reply: [{ text: 'Here I am: {{user}}' }] },
      ],
    })),
}

/** Events and replies that clients have received. */
interface Known {
  events: Map<string, Map<number, SessionEvent>>
  messageIds: Set<string>
}

function follow({ client }: DaemonProcess, known: Known): () => Promise<void> {
  const enough = new AbortController()
  const following = (async () => {
    for await (const { event } of client.events({ after: 0, deltas: false, signal: enough.signal })) {
      if (!('seq' in event)) continue
      const log = known.events.get(event.sessionId) ?? new Map<number, SessionEvent>()
      known.events.set(event.sessionId, log.set(event.seq, event))
    }
  })().catch(() => {})
  return () => {
    enough.abort()
    return following
  }
}

/** Gives each session something to do, lets others read, and kills the daemon in the middle of it. */
async function round(
  daemon: DaemonProcess,
  place: Place,
  kind: Kind,
  known: Known,
  ids: string[],
  random: Random,
): Promise<void> {
  const { client } = daemon
  await expectKept(daemon, known)
  const leave = follow(daemon, known)
  const database = join(place.home, 'signalbox.db')
  const prompt = () => pick(PROMPTS[kind](place.cwd), random)
  const sent = Array.from({ length: SESSIONS }, async (_, index) => {
    const id = ids[index]
    if (id === undefined) {
      const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: prompt() } })
      ids[index] = session.id
    } else {
      const { messageId } = await client.sendMessage({ params: { id }, body: { text: prompt() } })
      known.messageIds.add(messageId)
    }
  })
  const read = Array.from({ length: READERS }, async () => {
    await pause(random.next(400))
    await pick(outsideReaders, random)
      .read(database, place.folder)
      .catch(() => {}) // It may find a lock, or a half copy.
  })
  await Promise.all(sent)
  await pause(random.next(500))
  if (random.next(2) === 0) await Promise.all(read)
  await daemon.kill()
  await leave()
  await Promise.all(read)
}

async function expectKept({ client }: DaemonProcess, { events, messageIds }: Known): Promise<void> {
  const queued = new Set<string>()
  for (const [id, log] of events) {
    const stored = await allEvents(client, id)
    for (const event of stored) if (event.type === 'message.queued') queued.add(event.data.messageId)
    for (const [seq, event] of log) expect(stored[seq - 1]).toEqual(event)
  }
  expect([...messageIds].filter((id) => !queued.has(id))).toEqual([])
}

/** After the last round of a home: everything comes to an end, and the file is as it should be. */
async function expectWhole(daemon: DaemonProcess, place: Place, known: Known): Promise<void> {
  await expectKept(daemon, known)
  const busy = async () => {
    const { sessions } = await daemon.client.listSessions({ query: {} })
    return sessions
      .filter(({ turn, queue }) => turn !== null || queue.length > 0)
      .map(({ id, state, process, turn, queue }) => ({ id, state, process, turn, queue: queue.length }))
  }
  await expect
    .poll(busy, { timeout: 60_000, interval: 200 })
    .toEqual([])
    .catch(async (cause) => {
      const [stuck] = await busy()
      const events = stuck ? (await allEvents(daemon.client, stuck.id)).slice(-12) : []
      throw new Error(`Still busy: ${JSON.stringify({ stuck, events }, null, 1)}`, { cause })
    })
  await expectOrderly(daemon.client)
  await daemon.stop()
  const path = join(place.home, 'signalbox.db')
  expect(await integrityOf(path)).toEqual({ integrity_check: 'ok' })
  expect(await verifyDatabase(path, join(place.home, 'audit-seal.json'))).toMatchObject({ isIntact: true })
}

/** A failure says in which round, whether the daemon lives, and what it wrote. */
async function withReason(
  what: string,
  place: Place,
  act: (daemon: DaemonProcess) => Promise<void>,
): Promise<void> {
  const daemon = await startDaemonProcess(place)
  try {
    await act(daemon)
  } catch (cause) {
    const { exitCode, signalCode } = daemon.child
    const state = JSON.stringify({ exitCode, signalCode, stderr: daemon.stderr().slice(-2_000) })
    throw new Error(`${what}: ${state}`, { cause })
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random.next(items.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function readState(): Record<Kind, number> {
  if (STATE === undefined || !existsSync(STATE)) return { 'stand-in': 0, real: 0 }
  return JSON.parse(readFileSync(STATE, 'utf8')) as Record<Kind, number>
}

test.each(Object.keys(ROUNDS) as Kind[])('%s', { timeout: (MINUTES + 3) * 60_000 }, async (kind) => {
  const until = Date.now() + (MINUTES * 60_000) / 2
  const done = readState()
  const random = createRandom(SEED + done[kind])
  while (done[kind] < ROUNDS[kind] && Date.now() < until) {
    const place = await makeKind[kind]()
    const known: Known = { events: new Map(), messageIds: new Set() }
    const ids: string[] = []
    let count = 0
    for (; count < PER_HOME && done[kind] + count < ROUNDS[kind] && Date.now() < until; count++)
      await withReason(`round ${done[kind] + count + 1}`, place, (daemon) =>
        round(daemon, place, kind, known, ids, random),
      )
    await withReason('the end', place, (daemon) => expectWhole(daemon, place, known))
    done[kind] += count
    if (STATE !== undefined) writeFileSync(STATE, JSON.stringify(done))
  }
})
