/**
 * Messages, modes and stops that come while the process of a session starts, or while it waits for a slot. The
 * reply is what happens: a cancelled message never runs, a changed mode is the one in force, and nothing waits for ever.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
      { when: { user: 'block' }, reply: [{ tool: 'Bash', input: { command: 'tail -f /dev/null' } }] },
      {
        when: { user: '/^run ([\\w-]+)/' },
        reply: [{ tool: 'Bash', input: { command: `echo {{match.1}} >> ${join(cwd, 'ran')}` } }],
      },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

const ran = async ({ cwd }: Place) =>
  (await readFile(join(cwd, 'ran'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')

const create = async (client: Client, { cwd }: Place, prompt: string) =>
  (await client.createSession({ body: { cwd, prompt, permissionMode: 'bypassPermissions' } })).session

const isSettled = ({ state, queue, turn, condition }: Session) =>
  (state === 'idle' || state === 'ended') && queue.length === 0 && turn === null && condition === null

/** The ends of a message, which must be one. */
const endsOf = (events: readonly SessionEvent[], messageId: string) =>
  events.flatMap(({ type, data }) =>
    (type === 'message.delivered' || type === 'message.cancelled') && data.messageId === messageId
      ? [type]
      : [],
  )

async function firstMessage(client: Client, id: string): Promise<string> {
  const queued = (await allEvents(client, id)).find(({ type }) => type === 'message.queued')
  return queued?.type === 'message.queued' ? queued.data.messageId : ''
}

/** Actions of a client on a message of its own; each resolves with whether it was accepted. */
const ACTIONS = {
  interrupt: async (client: Client, id: string) => {
    await client.interruptSession({ params: { id }, body: {} })
    return true
  },
  cancel: (client: Client, id: string, messageId: string) =>
    isAccepted(client.cancelMessage({ params: { id, messageId } })),
  edit: (client: Client, id: string, messageId: string, name: string) =>
    isAccepted(client.editMessage({ params: { id, messageId }, body: { text: `run ${name}-edited` } })),
}

async function isAccepted(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'message_already_delivered' })
      return false
    },
  )
}

/** From before the process is spawned until after its first turn. */
const DELAYS_MS =
  process.env['CHAOS'] === 'full' ? [0, 20, 80, 150, 250, 350, 450, 600, 800, 1_100] : [0, 80, 250, 450, 800]

describe.each([0, 1])('with %d processes in reserve', (warm) => {
  test('a message that is cancelled, edited or interrupted while its process starts ends as it was answered', async () => {
    const at = await place()
    const env = { ...at.env, SIGNALBOX_WARM: String(warm) }
    const daemon = await startDaemonProcess({ ...at, env })
    const { client } = daemon
    const expected = new Set<string>()
    const impossible = new Set<string>()

    async function attempt(action: keyof typeof ACTIONS, delayMs: number): Promise<void> {
      const name = `${action}-${delayMs}`
      const { id } = await create(client, at, `run ${name}`)
      const messageId = await firstMessage(client, id)
      await wait(delayMs)
      const isDone = await ACTIONS[action](client, id, messageId, name)
      await sessionWhen(client, id, isSettled)
      const ends = endsOf(await allEvents(client, id), messageId)
      expect(ends, name).toHaveLength(1)
      const isCancelled = ends[0] === 'message.cancelled'
      if (action !== 'interrupt') expect(isCancelled, name).toBe(isDone)
      if (isCancelled) impossible.add(name)
      else if (action !== 'interrupt') expected.add(name)
      if (action === 'edit' && isDone) expected.add(`${name}-edited`)
      if (action === 'edit' && !isDone) impossible.add(`${name}-edited`)
      await client.stopSession({ params: { id }, body: {} })
    }

    for (const delayMs of DELAYS_MS)
      await Promise.all((['interrupt', 'cancel', 'edit'] as const).map((action) => attempt(action, delayMs)))

    const found = await ran(at)
    expect(found.filter((name) => impossible.has(name))).toEqual([])
    expect([...expected].filter((name) => !found.includes(name))).toEqual([])
    expect(found.length).toBe(new Set(found).size)
    expect(impossible.size).toBeGreaterThan(0)
    await expectOrderly(client)
    expect(await daemon.stop()).toBe(0)
  })
})

test('an interrupted message does not run after a restart, and the session goes on with the next one', async () => {
  const at = await place()
  const first = await startDaemonProcess(at)
  const { id } = await create(first.client, at, 'run interrupted')
  await first.client.interruptSession({ params: { id }, body: {} })
  await first.kill()
  const { client, stop } = await startDaemonProcess(at)

  await client.sendMessage({ params: { id }, body: { text: 'run next' } })

  await sessionWhen(client, id, (session) => isSettled(session) && session.turns > 0)
  expect(await ran(at)).toEqual(['next'])
  await expectOrderly(client)
  await stop()
})

async function blocked(): Promise<{ at: Place; daemon: DaemonProcess; client: Client; blocker: string }> {
  const at = await place()
  const daemon = await startDaemonProcess({ ...at, env: { ...at.env, SIGNALBOX_MAX_LIVE: '1' } })
  const { client } = daemon
  const { id } = await create(client, at, 'block')
  await expect
    .poll(async () => (await allEvents(client, id)).some(({ type }) => type === 'tool.started'), {
      timeout: 20_000,
    })
    .toBe(true)
  return { at, daemon, client, blocker: id }
}

async function waiting(client: Client, at: Place, prompt: string): Promise<string> {
  const { id } = await create(client, at, prompt)
  await sessionWhen(client, id, ({ condition }) => condition === 'waiting_for_slot')
  return id
}

describe('a session that waits for a slot', () => {
  test('starts with what was changed meanwhile, and only with the messages that are left', async () => {
    const { at, daemon, client, blocker } = await blocked()
    const asks = await waiting(client, at, 'run mode')
    const cancelled = await waiting(client, at, 'run cancelled')
    const edited = await waiting(client, at, 'run edited')
    await client.changeSession({ params: { id: asks }, body: { permissionMode: 'default' } })
    const ids = { params: { id: cancelled, messageId: await firstMessage(client, cancelled) } }
    await client.cancelMessage(ids)
    await client.editMessage({
      params: { id: edited, messageId: await firstMessage(client, edited) },
      body: { text: 'run changed' },
    })

    await client.stopSession({ params: { id: blocker }, body: {} })

    const request = await pendingRequest(client, asks)
    expect(request).toMatchObject({ toolName: 'Bash' })
    expect(await client.getSession({ params: { id: asks } })).toMatchObject({
      session: { permissionMode: 'default' },
    })
    await client.answerRequest({ params: { id: request.id }, body: { decision: 'deny' } })
    for (const id of [asks, cancelled, edited]) await sessionWhen(client, id, isSettled)
    expect(await ran(at)).toEqual(['changed'])
    expect((await allEvents(client, cancelled)).some(({ type }) => type === 'turn.started')).toBe(false)
    await expectOrderly(client)
    expect(await daemon.stop()).toBe(0)
  })

  test('is stopped, deleted and interrupted at once, and keeps no other session waiting', async () => {
    const { at, daemon, client, blocker } = await blocked()
    const stopped = await waiting(client, at, 'run stopped')
    const deleted = await waiting(client, at, 'run deleted')
    const interrupted = await waiting(client, at, 'run interrupted')
    const last = await waiting(client, at, 'run last')
    const start = performance.now()

    await Promise.all([
      client.stopSession({ params: { id: stopped }, body: {} }),
      client.deleteSession({ params: { id: deleted } }),
      client.interruptSession({ params: { id: interrupted }, body: {} }),
    ])

    expect(performance.now() - start).toBeLessThan(3_000)
    expect(await sessionWhen(client, stopped, isSettled)).toMatchObject({ state: 'ended' })
    expect(await sessionWhen(client, interrupted, isSettled)).toMatchObject({ state: 'idle' })
    await expect(client.getSession({ params: { id: deleted } })).rejects.toMatchObject({
      code: 'session_not_found',
    })
    // A command that needs a process fails in bounded time when there is none.
    await expect(client.inspectSession({ params: { id: last, what: 'models' } })).rejects.toMatchObject({
      code: 'claude_failed',
    })
    await client.stopSession({ params: { id: blocker }, body: {} })
    await sessionWhen(client, last, (session) => isSettled(session) && session.turns > 0)
    expect(await ran(at)).toEqual(['last'])
    await expectOrderly(client)
    expect(await daemon.stop()).toBe(0)
  })
})
