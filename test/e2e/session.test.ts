/** A managed session from its start to its end: the daemon as a process, the real CLI, the scripted model. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StreamItem } from '../../src/client/event-stream.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const SLOW = `node -e 'setTimeout(()=>{},60000)'`

const isIdle = (turns: number) => (session: { state: string; turns: number }) =>
  session.state === 'idle' && session.turns === turns

test('a prompt, streamed text, a permission, its answer, a result, a follow-up, an interrupt, an end', async () => {
  const place = await makePlace((cwd) => ({
    defaults: { usage: { input_tokens: 100, output_tokens: 20 } },
    rules: [
      {
        when: { user: 'write' },
        reply: [
          { thinking: 'A file, then.' },
          { text: 'I will write it.' },
          { tool: 'Write', input: { file_path: join(cwd, 'hello.txt'), content: 'hello' } },
        ],
      },
      { when: { toolResult: 'Write', isError: true }, reply: [{ text: 'Then not: {{toolResult}}' }] },
      { when: { toolResult: 'Write' }, reply: [{ text: 'Done.' }] },
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd } })
  const { id } = session
  const streamed: StreamItem[] = []
  const leave = new AbortController()
  const reading = (async () => {
    for await (const item of client.events({ sessionId: id, after: 0, signal: leave.signal }))
      streamed.push(item)
  })()

  await client.sendMessage({ params: { id }, body: { text: 'write a file' } })
  const asked = await pendingRequest(client, id)
  expect(asked).toMatchObject({
    kind: 'permission',
    toolName: 'Write',
    title: 'Write: hello.txt',
  })
  expect((await client.getSession({ params: { id } })).session).toMatchObject({
    state: 'permission',
    process: 'live',
  })

  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })
  const first = await sessionWhen(client, id, isIdle(1))
  expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('hello')
  expect(first).toMatchObject({ lastText: 'Done.', usage: { inputTokens: 200, outputTokens: 40 } })
  // The scripted model is free.
  expect(first).toMatchObject({ costUsd: 0, scriptedCostUsd: expect.closeTo(0.002, 2) })
  expect(first.scriptedCostUsd).toBeGreaterThan(0)

  // A follow-up goes to the same process, and a denial reaches the agent in the user's words.
  const processes = processesOf(place.home)
  await client.sendMessage({ params: { id }, body: { text: 'write it again' } })
  const again = await pendingRequest(client, id)
  await client.answerRequest({
    params: { id: again.id },
    body: { decision: 'deny', message: 'Once is enough.' },
  })
  expect(await sessionWhen(client, id, isIdle(2))).toMatchObject({ lastText: 'Then not: Once is enough.' })
  expect(processesOf(place.home)).toEqual(processes)

  // An interrupt in the middle of a text; the session can be used afterwards.
  await client.sendMessage({ params: { id }, body: { text: 'talk' } })
  await sessionWhen(client, id, ({ partial }) => partial?.kind === 'text' && partial.text.length > 50)
  await client.interruptSession({ params: { id }, body: {} })
  await sessionWhen(client, id, isIdle(3))
  await client.sendMessage({ params: { id }, body: { text: 'still there?' } })
  expect(await sessionWhen(client, id, isIdle(4))).toMatchObject({ lastText: 'You said: still there?' })

  const { session: ended } = await client.stopSession({ params: { id }, body: { reason: 'That was all.' } })
  expect(ended).toMatchObject({
    state: 'ended',
    outcome: 'interrupted',
    reason: 'That was all.',
    process: 'none',
  })
  expect(processesOf(place.home)).toEqual([])

  const events = await allEvents(client, id)
  expect(events.filter(({ type }) => type.startsWith('turn.ended')).map(({ data }) => data)).toMatchObject([
    { outcome: 'completed', stopReason: 'finished', text: 'Done.' },
    { outcome: 'completed' },
    { outcome: 'interrupted', stopReason: 'interrupted' },
    { outcome: 'completed' },
  ])
  await expectOrderly(client)

  // The stream has shown the same, once, with the fragments between.
  await expect.poll(() => streamed.at(-1)?.cursor).toBe(events.length)
  expect(streamed.flatMap(({ event }) => ('seq' in event ? [event] : []))).toEqual(events)
  expect(streamed.some(({ event }) => event.type === 'text.delta')).toBe(true)
  expect(await daemon.stop()).toBe(0)
  leave.abort()
  await reading
})

test('a question is answered by its option, in every mode', async () => {
  const question = {
    question: 'Which database?',
    header: 'Database',
    options: [
      { label: 'SQLite', description: 'a file' },
      { label: 'Postgres', description: 'a server' },
    ],
    multiSelect: false,
  }
  const place = await makePlace(() => ({
    rules: [
      { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: { questions: [question] } }] },
      { reply: [{ text: '{{toolResult}}' }] },
    ],
  }))
  const daemon = await startDaemonProcess({ ...place, env: { ...place.env, IS_SANDBOX: '1' } })
  const { client } = daemon
  const { session } = await client.createSession({
    body: { cwd: place.cwd, prompt: 'ask me', permissionMode: 'bypassPermissions' },
  })

  const asked = await pendingRequest(client, session.id)
  expect(asked).toMatchObject({ kind: 'question', questions: [question] })
  await client.answerRequest({ params: { id: asked.id }, body: { answers: { 'Which database?': 'SQLite' } } })

  const { lastText } = await sessionWhen(client, session.id, isIdle(1))
  expect(lastText).toContain('"Which database?"="SQLite"')
  await expectOrderly(client)
  await daemon.stop()
})

test('several calls in one message are asked one after the other; what was allowed for good is not asked again', async () => {
  const place = await makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'write' },
        reply: ['a', 'b', 'c'].map((name) => ({
          tool: 'Write',
          input: { file_path: join(cwd, name), content: name },
        })),
      },
      { reply: [{ text: 'Done.' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'write three files' } })

  const first = await pendingRequest(client, session.id)
  await client.answerRequest({ params: { id: first.id }, body: { decision: 'deny' } })
  await sessionWhen(client, session.id, ({ pendingRequests: [id] }) => id !== undefined && id !== first.id)
  const second = await pendingRequest(client, session.id)
  await client.answerRequest({ params: { id: second.id }, body: { decision: 'allowAll' } })

  await sessionWhen(client, session.id, isIdle(1))
  const outcomes = (await allEvents(client, session.id)).flatMap((event) =>
    event.type === 'tool.ended' ? [`${event.data.outcome} ${event.data.by ?? ''}`.trim()] : [],
  )
  expect(outcomes).toEqual(['denied person: admin', 'completed', 'completed'])
  expect((await client.listRequests({ query: {} })).requests).toHaveLength(2)
  await expectOrderly(client)
  await daemon.stop()
})

test.each(['acceptEdits', 'bypassPermissions'] as const)(
  'a command that wants out of the sandbox is asked about in mode %s, and others are not',
  async (permissionMode) => {
    const input = { command: 'echo out', description: 'Says out', dangerouslyDisableSandbox: true }
    const place = await makePlace(() => ({
      rules: [
        { when: { user: 'out' }, reply: [{ tool: 'Bash', input }] },
        {
          when: { user: 'in' },
          reply: [{ tool: 'Bash', input: { ...input, dangerouslyDisableSandbox: false } }],
        },
        { reply: [{ text: 'Done.' }] },
      ],
    }))
    const daemon = await startDaemonProcess({ ...place, env: { ...place.env, SIGNALBOX_POLICY: 'classic' } })
    const { client } = daemon
    const { session } = await client.createSession({ body: { cwd: place.cwd, permissionMode, prompt: 'in' } })
    await sessionWhen(client, session.id, isIdle(1))
    expect((await client.listRequests({ query: {} })).requests).toEqual([])

    await client.sendMessage({ params: { id: session.id }, body: { text: 'out' } })
    const asked = await pendingRequest(client, session.id)
    expect(asked).toMatchObject({ kind: 'permission', toolName: 'Bash', input })
    await client.answerRequest({ params: { id: asked.id }, body: { decision: 'deny' } })
    await sessionWhen(client, session.id, isIdle(2))
    await daemon.stop()
  },
)

test('an answer that changes the input changes what runs', async () => {
  const place = await makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'model' } }],
      },
      { reply: [{ text: 'Done.' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'write' } })

  const asked = await pendingRequest(client, session.id)
  const updatedInput = { file_path: join(place.cwd, 'a.txt'), content: 'person' }
  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow', updatedInput } })
  await sessionWhen(client, session.id, isIdle(1))

  expect(await readFile(join(place.cwd, 'a.txt'), 'utf8')).toBe('person')
  await daemon.stop()
})

test('an interrupt while a tool runs ends the tool and all that it has started', async () => {
  const place = await makePlace(() => ({
    rules: [
      { when: { user: 'run' }, reply: [{ tool: 'Bash', input: { command: SLOW } }] },
      { reply: [{ text: 'ok' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'run it' } })
  const asked = await pendingRequest(client, session.id)
  const before = processesOf(place.home).length
  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })
  await expect.poll(() => processesOf(place.home).length, { timeout: 10_000 }).toBeGreaterThan(before)

  await client.interruptSession({ params: { id: session.id }, body: {} })

  await sessionWhen(client, session.id, isIdle(1))
  await expect.poll(() => processesOf(place.home).length, { timeout: 10_000 }).toBe(before)
  await expectOrderly(client)
  await daemon.stop()
})
