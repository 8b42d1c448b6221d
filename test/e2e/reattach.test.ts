/** Sessions outlive the daemon: it is killed or restarted in the middle of a turn, and the next one attaches to their processes. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findMarked, markOf } from '../../src/session/claude/process-identity.js'
import {
  allEvents,
  type DaemonProcess,
  makePlace,
  type Place,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')

async function keptPlace(keepMs = 60_000): Promise<Place> {
  const place = await makePlace((cwd) => ({
    defaults: { chunk: 8, delayMs: 0 },
    rules: [
      { when: { user: 'stream' }, reply: [{ text: WORDS, delayMs: 60 }] },
      {
        when: { user: 'write' },
        reply: [{ tool: 'Bash', input: { command: `echo run >> ${cwd}/effects; node -e 0` } }],
      },
      {
        when: { user: 'choose' },
        reply: [
          {
            tool: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Which?',
                  header: 'Which',
                  multiSelect: false,
                  options: [
                    { label: 'A', description: 'a' },
                    { label: 'B', description: 'b' },
                  ],
                },
              ],
            },
          },
        ],
      },
      { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
      { reply: [{ text: 'noted' }] },
    ],
  }))
  Object.assign(place.env, { SIGNALBOX_KEEPER: 'auto', SIGNALBOX_KEEP_MS: String(keepMs) })
  return place
}

const isDone = ({ turn, turns, state }: { turn: unknown; turns: number; state: string }) =>
  turn === null && turns > 0 && state === 'idle'
const start = async (daemon: DaemonProcess, { cwd }: Place, prompt: string) =>
  (await daemon.client.createSession({ body: { cwd, prompt } })).session.id
const isStreaming = ({ partial }: { partial?: unknown }) => partial !== null && partial !== undefined
/** The processes of sessions and the model that is held with them. */
const everything = (home: string) => [...processesOf(home), ...findMarked(`model-${markOf(home)}`)]

async function crash(daemon: DaemonProcess, place: Place): Promise<DaemonProcess> {
  await daemon.kill()
  return startDaemonProcess(place)
}

async function ended(daemon: DaemonProcess, id: string) {
  const events = await allEvents(daemon.client, id)
  const turns = events.filter(({ type }) => type === 'turn.ended')
  const notices = events.flatMap((event) => (event.type === 'notice.raised' ? [event.data.topic] : []))
  return { events, turns, notices, types: events.map(({ type }) => type) }
}

test('a turn goes on while the daemon is killed twice, and its log is that of an undisturbed one', {
  timeout: 150_000,
}, async () => {
  const place = await keptPlace()
  let daemon = await startDaemonProcess(place)
  const calm = await start(daemon, place, 'stream')
  await sessionWhen(daemon.client, calm, isDone)
  const id = await start(daemon, place, 'stream')
  await sessionWhen(daemon.client, id, isStreaming)
  const [process] = processesOf(place.home)

  daemon = await crash(daemon, place)
  await sessionWhen(daemon.client, id, isStreaming)
  daemon = await crash(daemon, place)
  await sessionWhen(daemon.client, id, isDone)

  const { events, turns, notices, types } = await ended(daemon, id)
  expect(turns).toMatchObject([{ data: { outcome: 'completed', text: WORDS } }])
  expect(notices).toEqual(['reconnected', 'reconnected'])
  expect(types.filter((type) => type !== 'notice.raised')).toEqual((await ended(daemon, calm)).types)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(processesOf(place.home)).toContain(process)

  await daemon.client.sendMessage({ params: { id }, body: { text: 'again' } })
  await sessionWhen(daemon.client, id, (session) => isDone(session) && session.turns === 2)
  expect(await daemon.stop()).toBe(0)
  expect(everything(place.home)).toEqual([])
})

test('a permission that waits keeps its request, and the call runs once', { timeout: 150_000 }, async () => {
  const place = await keptPlace()
  let daemon = await startDaemonProcess(place)
  const id = await start(daemon, place, 'write')
  const before = await pendingRequest(daemon.client, id)

  daemon = await crash(daemon, place)
  const after = await pendingRequest(daemon.client, id)
  expect(after).toEqual(before)
  await daemon.client.answerRequest({ params: { id: after.id }, body: { decision: 'allow' } })
  await sessionWhen(daemon.client, id, isDone)

  expect(readFileSync(join(place.cwd, 'effects'), 'utf8')).toBe('run\n')
  const { turns, types } = await ended(daemon, id)
  expect(turns).toMatchObject([{ data: { outcome: 'completed' } }])
  for (const type of ['permission.requested', 'permission.resolved', 'tool.started', 'tool.ended'])
    expect(types.filter((one) => one === type)).toHaveLength(1)
  expect(types).not.toContain('request.parked')
  expect(await daemon.stop()).toBe(0)
})

test('a question that waits is answered after the restart', { timeout: 150_000 }, async () => {
  const place = await keptPlace()
  let daemon = await startDaemonProcess(place)
  const id = await start(daemon, place, 'choose')
  const before = await pendingRequest(daemon.client, id)

  daemon = await crash(daemon, place)
  await daemon.client.answerRequest({ params: { id: before.id }, body: { answers: { 'Which?': 'B' } } })
  await sessionWhen(daemon.client, id, isDone)

  const { turns, types } = await ended(daemon, id)
  expect(turns).toMatchObject([{ data: { text: expect.stringContaining('"Which?"="B"') } }])
  expect(types.filter((type) => type === 'question.requested')).toHaveLength(1)
  expect(await daemon.stop()).toBe(0)
})

test('when the keeper is killed, the turn ends as with a crash of Claude Code', {
  timeout: 150_000,
}, async () => {
  const place = await keptPlace()
  const daemon = await startDaemonProcess(place)
  const id = await start(daemon, place, 'stream')
  await sessionWhen(daemon.client, id, isStreaming)

  process.kill(keeperOf(place.home), 'SIGKILL')
  await expect
    .poll(async () => (await ended(daemon, id)).turns, { timeout: 15_000 })
    .toMatchObject([{ data: { outcome: 'failed', stopReason: 'crashed' } }])

  expect(await daemon.stop()).toBe(0)
  expect(everything(place.home)).toEqual([])
})

test('processes that no daemon comes back to are ended', { timeout: 150_000 }, async () => {
  const place = await keptPlace(1_000)
  const daemon = await startDaemonProcess(place)
  const id = await start(daemon, place, 'stream')
  await sessionWhen(daemon.client, id, isStreaming)
  const keeper = keeperOf(place.home)

  await daemon.kill()
  await expect.poll(() => everything(place.home), { timeout: 15_000 }).toEqual([])
  await expect.poll(() => existsSync(`/proc/${keeper}`), { timeout: 5_000 }).toBe(false)
})

/** Its arguments name the folder. */
function keeperOf(home: string): number {
  const found = readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`keeper.js\0${home}/run`)
    } catch {
      return false
    }
  })
  expect(found).toHaveLength(1)
  return Number(found[0])
}
