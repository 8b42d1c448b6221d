/** Control while a session works: messages in flight, mode, model, files, and inspection of the process. */

import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WAIT = (ms: number) => `node -e 'setTimeout(()=>{},${ms})'`

const script = (cwd: string): ScriptInput => ({
  rules: [
    {
      when: { user: 'write' },
      reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: '{{user}}' } }],
    },
    { when: { user: 'run a while' }, reply: [{ tool: 'Bash', input: { command: WAIT(1_500) } }] },
    { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(1_000), delayMs: 10 }] },
    { when: { injected: 'by the way' }, reply: [{ text: 'Noted: {{injected}}' }] },
    {
      when: { user: '/summary of the conversation|Your task is to create a detailed summary/i' },
      reply: [{ text: '<summary>All of it.</summary>' }],
    },
    { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
})

async function setup(more: Parameters<Client['createSession']>[0]['body'] | object = {}) {
  const place = await makePlace(script)
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd, ...more } })
  const params = { id: session.id }
  const send = (text: string, whenBusy?: 'inject' | 'queue' | 'replace') =>
    client.sendMessage({ params, body: { text, ...(whenBusy && { whenBusy }) } })
  const finish = async () => {
    await expectOrderly(client)
    expect(await daemon.stop()).toBe(0)
  }
  return { place, daemon, client, id: session.id, params, send, finish }
}

const idleAfter = (turns: number) => (session: { state: string; turns: number; queue: unknown[] }) =>
  session.state === 'idle' && session.turns === turns && session.queue.length === 0

async function texts(client: Client, id: string): Promise<string[]> {
  return (await allEvents(client, id)).flatMap((event) =>
    event.type === 'text.ended' ? [event.data.text] : [],
  )
}

async function allowNext(client: Client, id: string): Promise<void> {
  const { id: requestId } = await pendingRequest(client, id)
  await client.answerRequest({ params: { id: requestId }, body: { decision: 'allow' } })
}

test('inject: a message reaches the running turn behind the current tool, and has no turn of its own', async () => {
  const { client, id, send, finish } = await setup()
  await send('run a while')
  await allowNext(client, id)
  await sessionWhen(client, id, ({ state }) => state === 'working')
  const { messageId } = await send('by the way: be quick')

  await sessionWhen(client, id, idleAfter(1))
  expect(await texts(client, id)).toEqual(['Noted: by the way: be quick'])
  const events = await allEvents(client, id)
  const turns = events.flatMap((event) => (event.type === 'turn.started' ? [event.data.turnId] : []))
  const delivered = events.find(
    (event) => event.type === 'message.delivered' && event.data.messageId === messageId,
  )
  expect(delivered?.data).toEqual({ messageId, turnId: turns[0] })
  await finish()
})

test('queue: messages wait for the result and get a turn each', async () => {
  const { client, id, send, finish } = await setup()
  await send('run a while')
  await allowNext(client, id)
  await send('one', 'queue')
  await send('two', 'queue')

  await sessionWhen(client, id, idleAfter(3))
  expect(await texts(client, id)).toEqual([
    expect.stringContaining('Result:'),
    'You said: one',
    'You said: two',
  ])
  await finish()
})

test('replace: the running turn is stopped first', async () => {
  const { client, id, send, finish } = await setup()
  await send('talk')
  await sessionWhen(client, id, ({ partial }) => partial?.kind === 'text')
  await send('enough', 'replace')

  await sessionWhen(client, id, idleAfter(2))
  const outcomes = (await allEvents(client, id)).flatMap((event) =>
    event.type === 'turn.ended' ? [event.data.outcome] : [],
  )
  expect(outcomes).toEqual(['interrupted', 'completed'])
  expect((await texts(client, id)).at(-1)).toBe('You said: enough')
  await finish()
})

test('a message that waits is taken back or changed, in our queue and in the CLI’s; one that was read is not', async () => {
  const { client, id, params, send, finish } = await setup()
  const first = await send('talk')
  await sessionWhen(client, id, ({ partial }) => partial?.kind === 'text')
  const queued = await send('never', 'queue')
  const injected = await send('neither')
  const changed = await send('wrong', 'queue')
  await expect(
    client.cancelMessage({ params: { ...params, messageId: first.messageId } }),
  ).rejects.toMatchObject({
    code: 'message_already_delivered',
  })

  await client.cancelMessage({ params: { ...params, messageId: queued.messageId } })
  await client.cancelMessage({ params: { ...params, messageId: injected.messageId } })
  const edited = await client.editMessage({
    params: { ...params, messageId: changed.messageId },
    body: { text: 'right' },
  })
  expect(edited.messageId).not.toBe(changed.messageId)
  await client.interruptSession({ params, body: {} })

  await sessionWhen(client, id, idleAfter(2))
  expect((await texts(client, id)).at(-1)).toBe('You said: right')
  await finish()
})

test('a message may hold an image; one that is none is refused before it reaches the CLI', async () => {
  const { client, id, params, finish } = await setup()
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } } as const
  await client.sendMessage({ params, body: { content: [{ type: 'text', text: 'look' }, image] } })
  await sessionWhen(client, id, idleAfter(1))
  expect(await texts(client, id)).toEqual([expect.stringMatching(/^You said: look\n\[Image: /)])

  const broken = { ...image, source: { ...image.source, data: 'not base64!' } }
  await expect(client.sendMessage({ params, body: { content: [broken] } })).rejects.toMatchObject({
    code: 'request_invalid',
  })
  await expect(client.sendMessage({ params, body: { content: [] } })).rejects.toMatchObject({
    code: 'request_invalid',
  })
  await finish()
})

test('the mode can be changed at any time: what is asked, is not asked, and is asked again', async () => {
  const { client, id, params, send, place, finish } = await setup()
  await client.changeSession({ params, body: { permissionMode: 'bypassPermissions' } })
  await send('write one')
  await sessionWhen(client, id, idleAfter(1))
  expect(await readFile(join(place.cwd, 'a.txt'), 'utf8')).toBe('write one')
  expect((await client.getSession({ params })).session.permissionMode).toBe('bypassPermissions')

  const { session } = await client.changeSession({ params, body: { permissionMode: 'default' } })
  expect(session).toMatchObject({ permissionMode: 'default', process: 'live' })
  await send('write two')
  await allowNext(client, id)
  await sessionWhen(client, id, idleAfter(2))
  expect((await client.listRequests({ query: {} })).requests).toHaveLength(1)

  await client.changeSession({ params, body: { permissionMode: 'plan' } })
  await send('hello')
  expect(await sessionWhen(client, id, idleAfter(3))).toMatchObject({ permissionMode: 'plan' })
  await finish()
})

test('model, thinking, effort and title can be changed, and the next turn uses them', async () => {
  const { client, id, params, send, finish } = await setup()
  await send('hello')
  await sessionWhen(client, id, idleAfter(1))
  const { session } = await client.changeSession({
    params,
    body: { model: 'claude-sonnet-5-5', thinkingTokens: 2_000, effort: 'low', title: 'A better name' },
  })
  expect(session).toMatchObject({
    model: 'claude-sonnet-5-5',
    thinkingTokens: 2_000,
    effort: 'low',
    title: 'A better name',
  })

  await send('again')
  const after = await sessionWhen(client, id, idleAfter(2))
  expect(Object.keys(after.modelUsage)).toContain('claude-sonnet-5-5')
  await finish()
})

test('files go back to how they were before a message', async () => {
  const { client, id, params, send, place, finish } = await setup({
    permissionMode: 'bypassPermissions',
    options: { enableFileCheckpointing: true },
  })
  const file = join(place.cwd, 'a.txt')
  const first = await send('write one')
  await sessionWhen(client, id, idleAfter(1))
  const second = await send('write two')
  await sessionWhen(client, id, idleAfter(2))
  expect(await readFile(file, 'utf8')).toBe('write two')

  const planned = await client.rewindSession({ params, body: { to: second.messageId, dryRun: true } })
  expect(planned.rewound.files).toEqual([file])
  expect(await readFile(file, 'utf8')).toBe('write two')
  await client.rewindSession({ params, body: { to: second.messageId } })
  expect(await readFile(file, 'utf8')).toBe('write one')
  await client.rewindSession({ params, body: { to: first.messageId } })
  await expect(access(file)).rejects.toThrow()
  const rewound = (await allEvents(client, id)).filter((event) => event.type === 'files.rewound')
  expect(rewound.map((event) => event.data.messageId)).toEqual([second.messageId, first.messageId])
  const { records } = await client.listAudit({ query: { sessionId: id } })
  expect(records.filter(({ kind }) => kind === 'files.rewound')).toHaveLength(2)
  await finish()
})

test('what the process can tell about itself', async () => {
  const { client, params, finish } = await setup()
  const tell = async (what: 'commands' | 'models' | 'agents' | 'mcp' | 'account' | 'context') =>
    (await client.inspectSession({ params: { ...params, what } })).value

  expect(await tell('commands')).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'compact' })]),
  )
  expect(await tell('models')).toEqual(
    expect.arrayContaining([expect.objectContaining({ value: expect.any(String) })]),
  )
  expect(await tell('agents')).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'general-purpose' })]),
  )
  expect(await tell('mcp')).toMatchObject([{ name: 'signalbox', status: 'connected' }])
  expect(await tell('account')).toEqual(expect.any(Object))
  expect(await tell('context')).toMatchObject({ categories: expect.any(Array) })
  await finish()
})

test('a conversation is compacted on demand', async () => {
  const { client, id, params, send, finish } = await setup()
  await send('hello')
  await sessionWhen(client, id, idleAfter(1))
  await client.compactSession({ params, body: { instructions: 'keep the names' } })

  await sessionWhen(client, id, idleAfter(2))
  expect(
    (await allEvents(client, id)).find((event) => event.type === 'context.compacted')?.data,
  ).toMatchObject({
    trigger: 'manual',
  })
  await finish()
})

test('a process that cannot be stopped politely is stopped all the same', async () => {
  const { client, id, params, send, daemon, place } = await setup()
  await send('talk')
  await sessionWhen(client, id, ({ partial }) => partial?.kind === 'text')
  const [cli = 0] = processesOf(place.home)
  process.kill(cli, 'SIGSTOP')

  const { session } = await client.stopSession({ params, body: {} })

  expect(session).toMatchObject({ state: 'ended', process: 'none' })
  await expectOrderly(client)
  expect(await daemon.stop()).toBe(0)
})

test('a long message that waits is held in the session by its beginning, and the agent gets all of it', async () => {
  const { client, id, params, send, finish } = await setup({
    prompt: 'run a while',
    permissionMode: 'bypassPermissions',
  })
  await sessionWhen(client, id, ({ turn }) => turn !== null)
  const long = `${'many words '.repeat(20_000)}the end`

  await send(long, 'queue')
  await send(long, 'queue')

  const { session } = await client.getSession({ params })
  expect(session.queue).toMatchObject([{ hasContent: true }, { hasContent: true }])
  expect(JSON.stringify(session).length).toBeLessThan(30_000)
  await sessionWhen(client, id, idleAfter(3))
  const said = await texts(client, id)
  expect(
    said.filter((text) => text.startsWith('You said: many words') && text.endsWith('the end')),
  ).toHaveLength(2)
  await finish()
})
