/** Pulling the plug: on the daemon, on the CLI, in the middle of everything. Nothing stored is lost, nothing runs on. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

/** A tool that keeps writing into a file for as long as any process of it lives, whatever happens to its parents. */
const TICKING = `node -e 'setInterval(()=>require("fs").appendFileSync("ticks","x"),50)'`

const place = () =>
  makePlace(() => ({
    rules: [
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
      { when: { user: 'run' }, reply: [{ tool: 'Bash', input: { command: TICKING } }] },
      { reply: [{ text: 'Here I am: {{user}}' }] },
    ],
  }))

async function begin({ client }: DaemonProcess, { cwd }: Place, prompt: string): Promise<string> {
  return (await client.createSession({ body: { cwd, prompt } })).session.id
}

const isTalking = ({ partial }: Session) => partial?.kind === 'text' && partial.text.length > 50

/** Brings a session into the middle of something. */
const MIDDLES = {
  'a text': async (daemon: DaemonProcess, at: Place) => {
    const id = await begin(daemon, at, 'talk')
    await sessionWhen(daemon.client, id, isTalking)
    return id
  },
  'a tool': async (daemon: DaemonProcess, at: Place) => {
    const id = await begin(daemon, at, 'run')
    const asked = await pendingRequest(daemon.client, id)
    await daemon.client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })
    await expect.poll(() => ticks(at), { timeout: 10_000 }).toBeGreaterThan(0)
    return id
  },
} as const

async function ticks({ cwd }: Place): Promise<number> {
  return readFile(join(cwd, 'ticks'), 'utf8').then(
    (text) => text.length,
    () => 0,
  )
}

async function expectToGoOn(client: Client, id: string, turns: number): Promise<void> {
  await client.sendMessage({ params: { id }, body: { text: 'hello again' } })
  const session = await sessionWhen(
    client,
    id,
    ({ state, turns: done }) => state === 'idle' && done === turns,
  )
  expect(session.lastText).toContain('hello again')
}

describe.each(Object.entries(MIDDLES))('in the middle of %s', (_, reach) => {
  test('the daemon is killed: the log is whole, no process remains, a message goes on', async () => {
    const at = await place()
    const daemon = await startDaemonProcess(at)
    const id = await reach(daemon, at)
    const before = await allEvents(daemon.client, id)
    await daemon.kill()

    const next = await startDaemonProcess(at)

    await expect.poll(() => processesOf(at.home), { timeout: 10_000 }).toEqual([])
    const written = await ticks(at)
    const after = await allEvents(next.client, id)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.find((event) => event.type === 'turn.ended')?.data).toMatchObject({
      outcome: 'failed',
      stopReason: 'daemon_restarted',
    })
    expect((await next.client.getSession({ params: { id } })).session).toMatchObject({
      state: 'idle',
      process: 'none',
    })
    await expectOrderly(next.client)
    await expectToGoOn(next.client, id, 2)
    expect(await ticks(at)).toBe(written)
    await next.stop()
  })

  test('the CLI is killed: the turn ends as crashed, nothing runs on, a message goes on', async () => {
    const at = await place()
    const daemon = await startDaemonProcess(at)
    const id = await reach(daemon, at)
    const [cli] = processesOf(at.home).toSorted((one, other) => one - other)
    process.kill(cli ?? 0, 'SIGKILL')

    await sessionWhen(
      daemon.client,
      id,
      ({ state, process: behind }) => state === 'idle' && behind === 'none',
    )

    expect(processesOf(at.home)).toEqual([])
    const written = await ticks(at)
    const ended = (await allEvents(daemon.client, id)).find((event) => event.type === 'turn.ended')
    expect(ended?.data).toMatchObject({ outcome: 'failed', stopReason: 'crashed' })
    await expectOrderly(daemon.client)
    await expectToGoOn(daemon.client, id, 2)
    expect(await ticks(at)).toBe(written)
    await daemon.stop()
  })

  test('the daemon is asked to stop: it does so in time, tells everybody, and leaves no process', async () => {
    const at = await place()
    const daemon = await startDaemonProcess(at)
    const id = await reach(daemon, at)
    const started = Date.now()

    expect(await daemon.stop()).toBe(0)

    expect(Date.now() - started).toBeLessThan(10_000)
    expect(processesOf(at.home)).toEqual([])
    const next = await startDaemonProcess(at)
    const ended = (await allEvents(next.client, id)).find((event) => event.type === 'turn.ended')
    expect(ended?.data).toMatchObject({ outcome: 'interrupted', stopReason: 'interrupted' })
    await expectOrderly(next.client)
    await expectToGoOn(next.client, id, 2)
    await next.stop()
  })
})

test('a message that was accepted but not yet read survives the death of the daemon', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const id = await MIDDLES['a text'](daemon, at)
  await daemon.client.sendMessage({ params: { id }, body: { text: 'do not forget me', whenBusy: 'queue' } })
  await daemon.kill()

  const next = await startDaemonProcess(at)

  const session = await sessionWhen(
    next.client,
    id,
    ({ state, queue, turns }) => state === 'idle' && queue.length === 0 && turns > 1,
  )
  expect(session.lastText).toContain('do not forget me')
  await expectOrderly(next.client)
  await next.stop()
})

test('a browser login and the token survive a restart', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { code } = await daemon.client.createLoginCode({ body: {} })
  const login = await fetch(`${daemon.url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: daemon.url },
    body: JSON.stringify({ code }),
  })
  const secret = /=([^;]+)/.exec(login.headers.get('set-cookie') ?? '')?.[1] ?? ''
  await daemon.kill()

  const next = await startDaemonProcess(at)

  const cookie = `signalbox-${new URL(next.url).port}=${secret}`
  expect((await fetch(`${next.url}/api/v1/about`, { headers: { cookie } })).status).toBe(200)
  expect(next.token).toBe(daemon.token)
  await next.stop()
})
