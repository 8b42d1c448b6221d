/**
 * The disk is full, or another program keeps the lock of the database, while sessions work. Nothing that was acknowledged
 * is lost, nothing that started stays open, the event loop is never blocked, and all work continues without a restart.
 */

import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { makeStandInPlace } from '../support/stand-in.js'
import {
  holdLock,
  holdReadMarks,
  integrityOf,
  mountSmallDisk,
  watchStalls,
  whyNoSmallDisk,
} from '../support/storage-fault.js'

/** `npm run chaos:faults` holds the lock for 30 seconds. */
const LOCK_MS = Number(process.env['FAULT_MS'] ?? 2_500)
const noDisk = whyNoSmallDisk()
const PYTHON = findCommand('python3')

const isDone = ({ turns, state }: { turns: number; state: string }) => turns > 0 && state === 'idle'

interface Fault {
  begin(): Promise<void>
  end(): Promise<void>
}

async function work(
  { client }: DaemonProcess,
  { cwd }: Place,
  prompt: string,
  count: number,
): Promise<string[]> {
  const begun = await Promise.all(
    Array.from({ length: count }, () => client.createSession({ body: { cwd, prompt } })),
  )
  return begun.map(({ session }) => session.id)
}

const readiness = async (url: string) => {
  const response = await fetch(`${url}/readyz`)
  return {
    status: response.status,
    body: (await response.json()) as { error?: { code: string; details: object } },
  }
}

/** Sessions in the middle of a turn, the fault, and the recovery. */
async function expectToWait(place: Place, daemon: DaemonProcess, fault: Fault, kind: string): Promise<void> {
  const { client, url } = daemon
  const ids = await work(
    daemon,
    place,
    `say one\nwait 1200\nask Read {"file_path":"${place.cwd}/a"}\nsay two`,
    5,
  )
  for (const id of ids) await sessionWhen(client, id, ({ turn }) => turn !== null)
  const before = await Promise.all(ids.map((id) => allEvents(client, id)))

  await fault.begin()
  if (kind === 'full') await useUpLog(daemon, ids[0] ?? '')
  await expect
    .poll(() => readiness(url), { timeout: 10_000 })
    .toMatchObject({
      status: 503,
      body: { error: { code: 'storage_unavailable', details: { kind } } },
    })
  await expect(client.createSession({ body: { cwd: place.cwd, prompt: 'say no' } })).rejects.toMatchObject({
    code: 'storage_unavailable',
  })
  expect((await client.about()).about.storage).toMatchObject({ kind })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(await client.getSession({ params: { id: ids[0] ?? '' } })).toMatchObject({ session: { id: ids[0] } })
  await fault.end()

  await expect.poll(() => readiness(url), { timeout: 10_000 }).toMatchObject({ status: 200 })
  for (const id of ids) await sessionWhen(client, id, isDone)
  await expectKept(client, ids, before)
  await expectOrderly(client)
  const { sessions } = await client.listSessions({ query: {} })
  expect(sessions).toHaveLength(ids.length)
  const after = await Promise.all(ids.map((id) => allEvents(client, id)))
  await daemon.kill()

  const next = await startDaemonProcess(place)
  await expectKept(next.client, ids, after)
  await expectOrderly(next.client)
  await next.stop()
  expect(await integrityOf(join(place.home, 'signalbox.db'))).toEqual({ integrity_check: 'ok' })
}

async function expectKept(
  client: Client,
  ids: readonly string[],
  before: readonly (readonly unknown[])[],
): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const known = before[index] ?? []
    expect((await allEvents(client, id)).slice(0, known.length)).toEqual(known)
  }
}

/**
 * After a checkpoint the write-ahead log is written again from its start, so a full disk still has room for a few events. The
 * title of a session is changed until there is none.
 */
async function useUpLog({ client }: DaemonProcess, id: string): Promise<void> {
  const fill = async () => {
    for (let count = 0; count < 2_000; count += 1)
      await client.changeSession({ params: { id }, body: { title: `${count} ${'x'.repeat(80)}` } })
  }
  await expect(fill()).rejects.toMatchObject({ code: 'storage_unavailable' })
}

function lockOf(place: Place): Fault {
  let release = async () => {}
  return {
    begin: async () => {
      release = await holdLock(join(place.home, 'signalbox.db'))
    },
    end: () => release(),
  }
}

test('another program holds the write lock', async () => {
  const place = await makeStandInPlace()
  const daemon = await startDaemonProcess(place)
  await expectToWait(place, daemon, lockOf(place), 'locked')
})

test(
  'a lock never stops the event loop',
  async () => {
    const place = await makeStandInPlace()
    const daemon = await startDaemonProcess(place)
    const run = async (fault: Fault) => {
      const ids = await work(daemon, place, 'talk 40 50\nsay one', 3)
      const stalls = watchStalls(daemon.url)
      for (const id of ids) await sessionWhen(daemon.client, id, ({ turn }) => turn !== null)
      await fault.begin()
      await new Promise((resolve) => setTimeout(resolve, LOCK_MS)) // The length of the fault, not a wait for something.
      await fault.end()
      for (const id of ids) await sessionWhen(daemon.client, id, isDone)
      return stalls.stop()
    }
    const nothing = { begin: async () => {}, end: async () => {} }
    await run(nothing) // Warms everything up.
    const control = await run(nothing)
    const locked = await run(lockOf(place))
    // The bound that is promised is 50 ms; processes that start beside the daemon take the processor away from both runs.
    expect(locked).toBeLessThan(control + 250)
    await daemon.stop()
  },
  90_000 + 3 * LOCK_MS,
)

/**
 * SQLite waits up to ten seconds for these bytes, inside the statement, so it is tried only by `npm run chaos:faults`. Without a
 * stop before the next statement, the event loop would be blocked for as long as the lock is held.
 */
test.skipIf(LOCK_MS < 20_000 || PYTHON === null)(
  'a lock on the read marks stops one statement, and no other',
  async () => {
    const place = await makeStandInPlace()
    const daemon = await startDaemonProcess(place)
    const { client, url } = daemon
    const ids = await work(daemon, place, 'talk 40 500\nsay one', 3)
    for (const id of ids) await sessionWhen(client, id, ({ turn }) => turn !== null)
    const before = await Promise.all(ids.map((id) => allEvents(client, id)))
    const first = watchStalls(url)
    const release = await holdReadMarks(join(place.home, 'signalbox.db'))

    const unavailable = { status: 503, body: { error: { details: { kind: 'locked' } } } }
    await expect.poll(() => readiness(url), { timeout: 20_000 }).toMatchObject(unavailable)
    process.stdout.write(`The first statement waited ${Math.round(await first.stop())} ms.\n`)
    const later = watchStalls(url)
    await new Promise((resolve) => setTimeout(resolve, LOCK_MS - 15_000)) // The length of the fault, not a wait for something.
    expect(await readiness(url)).toMatchObject(unavailable)
    expect(JSON.stringify(await readiness(url))).toContain('python')
    const stall = await later.stop()
    await release()

    process.stdout.write(
      `While the lock was held afterwards, the longest stall was ${Math.round(stall)} ms.\n`,
    )
    expect(stall).toBeLessThan(1_000)
    await expect.poll(() => readiness(url), { timeout: 10_000 }).toMatchObject({ status: 200 })
    for (const id of ids) await sessionWhen(client, id, isDone)
    await expectKept(client, ids, before)
    await expectOrderly(client)
    await daemon.stop()
  },
  120_000,
)

describe.skipIf(noDisk !== null)(`a full disk${noDisk === null ? '' : ` (not tried: ${noDisk})`}`, () => {
  const onSmallDisk = (place: Place): Fault => {
    const disk = mountSmallDisk(place.home, 24)
    return { begin: async () => disk.fill(), end: async () => disk.free() }
  }

  test('while five sessions work', async () => {
    const place = await makeStandInPlace()
    const fault = onSmallDisk(place)
    const daemon = await startDaemonProcess(place)
    await expectToWait(place, daemon, fault, 'full')
  })

  test('no tool starts before its verdict is stored', async () => {
    const place = await makeStandInPlace()
    const fault = onSmallDisk(place)
    const daemon = await startDaemonProcess(place)
    const { client, url } = daemon
    const body = {
      cwd: place.cwd,
      prompt: `say one\nwait 4000\nask Read {"file_path":"${place.cwd}/a"}`,
      options: place.options,
    }
    const { session } = await client.createSession({ body })
    await sessionWhen(client, session.id, ({ turn }) => turn !== null)
    await fault.begin()
    await useUpLog(daemon, session.id)
    await expect.poll(() => readiness(url), { timeout: 10_000 }).toMatchObject({ status: 503 })
    await new Promise((resolve) => setTimeout(resolve, 4_500)) // Until the call is made, and longer.
    expect(await place.decisions()).toEqual([])

    await fault.end()
    await sessionWhen(client, session.id, isDone)
    expect(await place.decisions()).toMatchObject([{ tool: 'Read' }])
    await daemon.stop()
  })

  test('a daemon that is stopped then ends, and the next one closes what is open', async () => {
    const place = await makeStandInPlace()
    const fault = onSmallDisk(place)
    const daemon = await startDaemonProcess(place)
    const ids = await work(daemon, place, 'say one\nhang', 3)
    for (const id of ids) await sessionWhen(daemon.client, id, ({ turn }) => turn !== null)
    await fault.begin()
    expect(await daemon.stop()).toBe(0)
    await fault.end()

    const next = await startDaemonProcess(place)
    await expectOrderly(next.client)
    await next.stop()
  })

  test('with the real CLI', async () => {
    const place = await makePlace((cwd) => ({
      rules: [
        {
          when: { user: 'look' },
          reply: [{ text: 'First. ' }, { tool: 'Read', input: { file_path: `${cwd}/a` } }],
        },
        { reply: [{ text: 'word '.repeat(400), delayMs: 5 }] },
      ],
    }))
    const fault = onSmallDisk(place)
    const daemon = await startDaemonProcess(place)
    const { client, url } = daemon
    const [id = ''] = await work(daemon, place, 'look', 1)
    await sessionWhen(client, id, ({ turn }) => turn !== null)
    await fault.begin()
    await useUpLog(daemon, id)
    await expect.poll(() => readiness(url), { timeout: 20_000 }).toMatchObject({ status: 503 })
    await fault.end()
    await sessionWhen(client, id, isDone)
    await expectOrderly(client)
    await daemon.stop()
  })
})

test('a home that is deleted while sessions work: not ready, no new work, and it says why', async () => {
  const place = await makeStandInPlace()
  const daemon = await startDaemonProcess(place)
  const [id = ''] = await work(daemon, place, 'say one\nhang', 1)
  await sessionWhen(daemon.client, id, ({ turn }) => turn !== null)
  // The daemon may write a file into it meanwhile.
  await rm(place.home, { recursive: true, maxRetries: 20, retryDelay: 10 })

  await expect
    .poll(() => readiness(daemon.url), { timeout: 10_000 })
    .toMatchObject({
      status: 503,
      body: { error: { details: { kind: 'moved' } } },
    })
  expect(daemon.stderr()).toContain('deleted or replaced')
  await expect(
    daemon.client.sendMessage({ params: { id }, body: { text: 'say more' } }),
  ).rejects.toMatchObject({ code: 'storage_unavailable' })
  await daemon.stop()
})

test('the lock file is deleted: no second daemon starts, and the first takes the lock again', async () => {
  const place = await makeStandInPlace()
  const daemon = await startDaemonProcess(place)
  const [id = ''] = await work(daemon, place, 'say one\nhang', 1)
  await sessionWhen(daemon.client, id, ({ turn }) => turn !== null)
  const lock = join(place.home, 'lock')
  await rm(lock)

  await expect(startDaemonProcess(place)).rejects.toThrow('already running')
  expect(JSON.parse(await readFile(join(place.home, 'daemon.json'), 'utf8'))).toMatchObject({
    pid: daemon.pid,
  })
  await expect.poll(() => daemon.stderr(), { timeout: 10_000 }).toContain('lock file')
  await expect.poll(() => readiness(daemon.url), { timeout: 10_000 }).toMatchObject({ status: 200 })
  expect((await daemon.client.getSession({ params: { id } })).session).toMatchObject({ state: 'working' })
  await daemon.client.stopSession({ params: { id }, body: {} })
  expect(await daemon.stop()).toBe(0)
})
