/**
 * Sessions started and ended in every way at once. Afterwards nothing of them runs, and each has an end with a reason.
 * `npm run chaos:sessions` does it with 240 sessions, 72 of them with the real CLI, 30 alive at once.
 */

import { mkdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { makeStandInPlace } from '../support/stand-in.js'

const isFull = process.env['CHAOS'] === 'full'
const STAND_INS = isFull ? { rounds: 4, size: 40 } : { rounds: 1, size: 14 }
const REAL = isFull ? { rounds: 6, size: 10 } : { rounds: 1, size: 5 }
const settings = { SIGNALBOX_MAX_LIVE: '45' }

interface Begun {
  id: string
  cwd: string
}

/** One way for a session to go: how it begins, where it gets to, and what is done to it then. */
interface Way {
  prompt: string
  env?: Record<string, string>
  /** Only with the stand-in: the real CLI does not misbehave on demand. */
  isMisbehaviour?: boolean
  reach?(session: Session): boolean
  act?(daemon: DaemonProcess, begun: Begun, place: Place): Promise<unknown>
}

const hasTurn = ({ turn }: Session) => turn !== null
const isDone = ({ state, turns }: Session) => state === 'idle' && turns > 0
const stop = ({ client }: DaemonProcess, { id }: Begun) => client.stopSession({ params: { id }, body: {} })
const interrupt = ({ client }: DaemonProcess, { id }: Begun) =>
  client.interruptSession({ params: { id }, body: {} })

const WAYS: Record<string, Way> = {
  'ends its turn': { prompt: 'say hello', reach: isDone },
  'is stopped in its turn': { prompt: 'hang', reach: hasTurn, act: stop },
  'is interrupted': { prompt: 'hang', reach: hasTurn, act: interrupt },
  'is killed by the system': { prompt: 'hang', reach: hasTurn, act: killProcess },
  'is stopped before it has begun': { prompt: 'say hello', act: stop },
  'cannot be started': {
    prompt: 'say hello',
    env: { STAND_IN_EXIT: '7' },
    isMisbehaviour: true,
    reach: ({ queue }) => queue.length === 0,
  },
  'crashes in its turn': { prompt: 'say one\ncrash 3', isMisbehaviour: true, reach: isDone },
  'ignores everything but a kill': {
    prompt: 'ignore-term\nhang',
    isMisbehaviour: true,
    reach: hasTurn,
    act: stop,
  },
  'leaves a process behind': { prompt: 'orphan 60000\nsay one', isMisbehaviour: true, reach: isDone },
  'asks and is not answered': {
    prompt: 'ask Write {"file_path":"/nowhere/a","content":"a"}',
    reach: ({ pendingRequests }) => pendingRequests.length > 0,
  },
}

/** Each session has a folder of its own, which identifies its process (where the system reports the folder). */
async function killProcess(_: DaemonProcess, { cwd }: Begun, { home }: Place): Promise<void> {
  for (const pid of processesOf(home)) {
    if ((await readlink(`/proc/${pid}/cwd`).catch(() => null)) === cwd) process.kill(pid, 'SIGKILL')
  }
}

async function begin({ client }: DaemonProcess, place: Place, way: Way, name: string): Promise<Begun> {
  const cwd = join(place.cwd, name)
  await mkdir(cwd)
  const options = way.env ? { env: way.env } : {}
  const { session } = await client.createSession({ body: { cwd, prompt: way.prompt, options } })
  return { id: session.id, cwd }
}

/** A round: all of them at once, then each is done to what its way says. */
async function round(
  daemon: DaemonProcess,
  place: Place,
  ways: readonly Way[],
  name: string,
): Promise<number> {
  const begun = await Promise.all(ways.map((way, index) => begin(daemon, place, way, `${name}-${index}`)))
  await Promise.all(
    begun.map(async ({ id }, index) => {
      const reach = ways[index]?.reach
      if (reach) await sessionWhen(daemon.client, id, reach)
    }),
  )
  const { sessions } = await daemon.client.listSessions({ query: { limit: 1_000 } })
  const live = sessions.filter((session) => session.process === 'live').length
  await Promise.all(begun.map(async (one, index) => ways[index]?.act?.(daemon, one, place)))
  return live
}

async function endAll(daemon: DaemonProcess, place: Place, count: number): Promise<void> {
  const { client } = daemon
  const { sessions } = await client.listSessions({ query: { limit: 1_000 } })
  expect(sessions).toHaveLength(count)
  await Promise.all(sessions.map(({ id }) => client.stopSession({ params: { id }, body: {} })))
  await expectOrderly(client)
  const ended = (await client.listSessions({ query: { limit: 1_000 } })).sessions
  expect(ended.filter(({ state, reason }) => state !== 'ended' || !reason)).toEqual([])
  for (const { id } of ended) {
    const ends = (await allEvents(client, id)).filter(({ type }) => type === 'session.ended')
    expect(ends.at(-1)).toMatchObject({ data: { reason: expect.stringMatching(/\w/) } })
  }
  expect(processesOf(place.home)).toEqual([])
}

/** Each round in every way; after the last the daemon is killed in the middle of all, once alone and once with everything. */
async function chaos(place: Place, ways: readonly Way[], { rounds, size }: { rounds: number; size: number }) {
  let daemon = await startDaemonProcess(place)
  let mostAlive = 0
  let count = 0
  const take = (from: number) =>
    Array.from({ length: size }, (_, index) => ways[(from + index) % ways.length] as Way)
  for (let index = 0; index < rounds; index++) {
    mostAlive = Math.max(mostAlive, await round(daemon, place, take(count), `round-${index}`))
    count += size
    const isReboot = index % 2 === 1
    const hanging = { prompt: 'hang', reach: hasTurn }
    const cut = await Promise.all([0, 1].map((one) => begin(daemon, place, hanging, `cut-${index}-${one}`)))
    count += cut.length
    await Promise.all(cut.map(({ id }) => sessionWhen(daemon.client, id, hasTurn)))
    await daemon.kill()
    if (isReboot) for (const pid of processesOf(place.home)) process.kill(pid, 'SIGKILL')
    daemon = await startDaemonProcess(place)
    // Orphans of a previous run are killed before anything new begins.
    expect(processesOf(place.home)).toEqual([])
    for (const { id } of cut) {
      const { session } = await daemon.client.getSession({ params: { id } })
      expect(session).toMatchObject({ turn: null, isInterrupted: true, process: 'none' })
    }
  }
  await endAll(daemon, place, count)
  expect(await daemon.stop()).toBe(0)
  return { count, mostAlive }
}

const real = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { user: 'hang' }, reply: [{ text: 'word '.repeat(20_000), delayMs: 20 }] },
      {
        when: { user: 'ask' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a'), content: 'a' } }],
      },
      { reply: [{ text: 'hello' }] },
    ],
  }))

const timeout = isFull ? 1_200_000 : 90_000

test('with a stand-in for the CLI, misbehaving included', { timeout }, async () => {
  const place = await makeStandInPlace(settings)
  const result = await chaos(place, Object.values(WAYS), STAND_INS)
  if (isFull) expect(result.mostAlive).toBeGreaterThanOrEqual(30)
  process.stderr.write(`stand-in: ${JSON.stringify(result)}\n`)
})

test('with the real CLI', { timeout }, async () => {
  const place = await real()
  Object.assign(place.env, settings)
  const ways = Object.values(WAYS).filter(({ isMisbehaviour }) => !isMisbehaviour)
  const result = await chaos(place, ways, REAL)
  process.stderr.write(`real: ${JSON.stringify(result)}\n`)
})
