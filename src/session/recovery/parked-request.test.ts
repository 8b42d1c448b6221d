/** Requests outlive the process that raised them, and each ends exactly once, whatever happens next. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aPerson, ids } from '../../../test/support/build.js'
import type { FakeClaude } from '../../../test/support/fake-claude.js'
import {
  createTestRuntime,
  type TestRuntime,
  type TestRuntimeOptions,
} from '../../../test/support/test-runtime.js'
import { uuidOf } from '../../lib/id.js'
import { createMemoryStore } from '../../store/memory.js'

const aStore = () => createMemoryStore({ newId: () => ids.next('evt') })
const input = { file_path: 'a', content: 'a' }

function callAgain(claude: FakeClaude, content = 'a', toolUseId = 'toolu_2') {
  const signal = new AbortController().signal
  const call = {
    toolUseId,
    name: 'Write',
    input: { ...input, content },
    suggestions: [],
    reason: null,
    signal,
  }
  return claude.callbacks.canUseTool(call)
}

/** A session in the middle of a turn that waits for a permission. */
async function waiting(options: TestRuntimeOptions = {}) {
  const runtime = await createTestRuntime(options)
  const session = await runtime.createSession('write')
  await expect.poll(() => runtime.claudes.started[0]?.received.length).toBe(1)
  const claude = processOf(runtime, 0)
  const [message] = claude.received
  if (message) claude.begin(message)
  void callAgain(claude, 'a', 'toolu_1')
  await expect.poll(async () => (await runtime.hub.session(session.id)).pendingRequests.length).toBe(1)
  const { pendingRequests, conversation } = await runtime.hub.session(session.id)
  await writeConversation(runtime, conversation.id)
  return {
    ...runtime,
    id: session.id,
    requestId: pendingRequests[0] ?? '',
    claude,
    conversationId: conversation.id,
  }
}

/** Writes the transcript that the CLI would have written by then. */
async function writeConversation(
  { folder }: Pick<TestRuntime, 'folder'>,
  id: string,
  line = '{}',
): Promise<void> {
  const project = join(folder, 'claude', 'projects', '-project')
  await mkdir(project, { recursive: true })
  await writeFile(join(project, `${id}.jsonl`), `${line}\n`)
}

function processOf({ claudes }: Pick<TestRuntime, 'claudes'>, index: number): FakeClaude {
  const claude = claudes.started[index]
  if (!claude) throw new Error(`There is no process ${index + 1}.`)
  return claude
}

/** The next process of a session. */
async function nextProcess(runtime: Pick<TestRuntime, 'claudes'>, count: number): Promise<FakeClaude> {
  await expect.poll(() => runtime.claudes.started.length).toBe(count)
  return processOf(runtime, count - 1)
}

async function crash(runtime: Awaited<ReturnType<typeof waiting>>): Promise<void> {
  runtime.claude.crash()
  await expect.poll(async () => (await runtime.hub.session(runtime.id)).process).toBe('none')
}

test('after a crash of the CLI a request can be answered: the turn goes on and gets the answer', async () => {
  const runtime = await waiting()
  await crash(runtime)
  expect(await runtime.inbox.request(runtime.requestId)).toMatchObject({ state: 'pending', isParked: true })
  expect(await runtime.hub.session(runtime.id)).toMatchObject({
    state: 'permission',
    turn: null,
    isInterrupted: true,
  })
  expect(runtime.claudes.started).toHaveLength(1)

  await runtime.inbox.answer(runtime.requestId, { decision: 'allow' }, aPerson)

  const next = await nextProcess(runtime, 2)
  expect(next.launch).toMatchObject({
    start: { kind: 'resume', id: runtime.conversationId },
    env: { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1' },
  })
  expect(await callAgain(next)).toMatchObject({ allow: true, input })
  expect(await runtime.inbox.requests({})).toHaveLength(1)
  expect(await runtime.hub.session(runtime.id)).toMatchObject({ parkedRequests: [], pendingRequests: [] })
})

test('an agent that asks for something else when it goes on is asked about anew', async () => {
  const runtime = await waiting()
  await crash(runtime)
  await runtime.inbox.answer(runtime.requestId, { decision: 'allow' }, aPerson)
  const next = await nextProcess(runtime, 2)

  const other = callAgain(next, 'something else')
  await expect.poll(async () => (await runtime.hub.session(runtime.id)).pendingRequests.length).toBe(1)
  const [request] = await runtime.inbox.requests({ state: 'pending' })
  expect(request).toMatchObject({ input: { content: 'something else' } })
  await runtime.inbox.answer(request?.id ?? '', { decision: 'deny' }, aPerson)
  expect(await other).toMatchObject({ allow: false })

  next.say({ type: 'command_lifecycle', command_uuid: crypto.randomUUID(), state: 'started' })
  next.finish()
  await expect.poll(() => runtime.types(runtime.id)).toContain('request.lapsed')
  expect((await runtime.hub.session(runtime.id)).parkedRequests).toEqual([])
})

test('a message instead of an answer: the session goes on with it, and the request says so', async () => {
  const runtime = await waiting()
  await crash(runtime)

  await runtime.hub.send(runtime.id, { text: 'never mind' }, aPerson)

  const next = await nextProcess(runtime, 2)
  await expect.poll(() => next.received.map(({ content }) => content)).toEqual(['never mind'])
  expect((await runtime.inbox.request(runtime.requestId)).resolution).toMatchObject({
    decision: 'deny',
    by: 'shutdown',
    reason: 'The session continued with another message.',
  })
})

test('what was queued behind the turn waits for the answer too', async () => {
  const runtime = await waiting()
  await runtime.hub.send(runtime.id, { text: 'afterwards', whenBusy: 'queue' }, aPerson)
  await crash(runtime)
  expect(runtime.claudes.started).toHaveLength(1)

  await runtime.inbox.answer(runtime.requestId, { decision: 'allow' }, aPerson)

  const next = await nextProcess(runtime, 2)
  expect(await callAgain(next)).toMatchObject({ allow: true })
  await expect.poll(() => next.received.map(({ content }) => content)).toEqual(['afterwards'])
})

test.each(['interrupt', 'stop'] as const)(
  'to %s a session that waits takes its request back',
  async (command) => {
    const runtime = await waiting()
    await crash(runtime)

    if (command === 'interrupt') await runtime.hub.interrupt(runtime.id)
    else await runtime.hub.stop(runtime.id, 'Enough.', aPerson)

    expect((await runtime.inbox.request(runtime.requestId)).resolution).toMatchObject({
      by: 'shutdown',
      decision: 'deny',
    })
    expect(runtime.claudes.started).toHaveLength(1)
  },
)

test('an orderly end of the daemon leaves the turn as it is, and the next life takes it up with the answer', async () => {
  const store = aStore()
  const before = await waiting({ store })
  await before.runner.close()
  expect(before.claude.wasKilled).toBe(true)

  const after = await createTestRuntime({ store, folder: before.folder })
  expect(await after.inbox.request(before.requestId)).toMatchObject({ state: 'pending', isParked: true })
  await after.inbox.answer(before.requestId, { decision: 'deny', message: 'no' }, aPerson)

  expect(await callAgain(await nextProcess(after, 1))).toEqual({ allow: false, message: 'no' })
})

test('a life that begins with an answer that nobody has used goes on with it', async () => {
  const store = aStore()
  const before = await waiting({ store })
  await crash(before)
  before.claudes.failNext(new Error('no room'))
  await before.inbox.answer(before.requestId, { decision: 'allow' }, aPerson)
  await expect.poll(() => before.types(before.id)).toContain('error.raised')
  await before.runner.close()

  const after = await createTestRuntime({ store, folder: before.folder })

  expect(await callAgain(await nextProcess(after, 1))).toMatchObject({ allow: true })
})

test('with onRestart "continue" the turn goes on by itself and meets its request again', async () => {
  const store = aStore()
  const before = await waiting({ store })
  await before.runner.close()

  const after = await createTestRuntime({ store, folder: before.folder, onRestart: 'continue' })
  const reply = callAgain(await nextProcess(after, 1))
  await expect.poll(async () => (await after.inbox.request(before.requestId)).isParked).toBe(false)
  await after.inbox.answer(before.requestId, { decision: 'allow' }, aPerson)

  expect(await reply).toMatchObject({ allow: true })
  expect(await after.inbox.requests({})).toHaveLength(1)
})

test('a process that is about to go on is not parked to make room for another', async () => {
  const runtime = await waiting({ limits: { maxLive: 1 } })
  await crash(runtime)
  await runtime.inbox.answer(runtime.requestId, { decision: 'allow' }, aPerson)
  const next = await nextProcess(runtime, 2)

  const other = await runtime.createSession('me too')
  await expect.poll(async () => (await runtime.hub.session(other.id)).queue.length).toBe(1)
  expect(next.isClosed).toBe(false)
  next.say({ type: 'command_lifecycle', command_uuid: crypto.randomUUID(), state: 'started' })
  expect(await callAgain(next)).toMatchObject({ allow: true })
  next.finish()

  await nextProcess(runtime, 3)
})

test('a message that a process had read before anybody heard of it is not sent again: its turn goes on', async () => {
  const store = aStore()
  const before = await createTestRuntime({ store })
  const { id } = await before.createSession('write')
  await expect.poll(() => before.claudes.started[0]?.received.length).toBe(1)
  await before.hub.send(id, { text: 'and then' }, aPerson)
  const { conversation, queue } = await before.hub.session(id)
  const uuid = uuidOf(queue[0]?.messageId ?? '')
  await writeConversation(before, conversation.id, JSON.stringify({ type: 'user', uuid, message: {} }))

  const after = await createTestRuntime({ store, folder: before.folder })

  const next = await nextProcess(after, 1)
  expect(next.launch.env).toMatchObject({ CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1' })
  await expect.poll(() => next.received.map(({ content }) => content)).toEqual(['and then'])
  expect(await after.types(id)).toContain('message.delivered')
})
