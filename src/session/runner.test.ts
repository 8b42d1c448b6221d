import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aPerson, ids } from '../../test/support/build.js'
import type { FakeClaude } from '../../test/support/fake-claude.js'
import { createTestRuntime, type TestRuntime } from '../../test/support/test-runtime.js'
import { uuidOf } from '../lib/id.js'
import { createMemoryStore } from '../store/memory.js'

/** The process of a session that was given a prompt, with the prompt in its hands. */
async function firstClaude({ claudes }: TestRuntime, count = 1): Promise<FakeClaude> {
  await expect.poll(() => claudes.started[count - 1]?.received.length).toBeGreaterThan(0)
  expect(claudes.started).toHaveLength(count)
  const claude = claudes.started.at(-1)
  if (!claude) throw new Error('no process')
  return claude
}

function promptOf(claude: FakeClaude) {
  const message = claude.received.at(-1)
  if (!message) throw new Error('nothing received')
  return message
}

test('a message starts a process in the session’s folder and is handed to it', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')

  const claude = await firstClaude(runtime)

  expect(claude.launch).toMatchObject({
    cwd: runtime.cwd,
    permissionMode: 'default',
    start: { kind: 'new', id: uuidOf(session.id) },
  })
  const queued = (await runtime.events(session.id)).find((event) => event.type === 'message.queued')
  expect(claude.received).toEqual([
    {
      uuid: uuidOf(queued?.type === 'message.queued' ? queued.data.messageId : ''),
      content: 'hello',
    },
  ])
})

test('a change of a session that another client deletes at the same time is refused as not found', async () => {
  const { hub, bus, createSession } = await createTestRuntime()
  const { id: sessionId } = await createSession()
  await hub.deleteSession(sessionId, aPerson)

  const change = { permissionMode: 'plan' } as const
  await expect(bus.call({ type: 'session.configure', sessionId, change, by: aPerson })).rejects.toMatchObject(
    { code: 'session_not_found' },
  )
})

test('a change to bypassPermissions lists the messages that wait and will now run without asking', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  await expect.poll(async () => (await runtime.hub.session(session.id)).turn).not.toBeNull()
  const notices = async () =>
    (await runtime.events(session.id)).flatMap((event) =>
      event.type === 'notice.raised' ? [event.data] : [],
    )
  const { messageId } = await runtime.hub.send(
    session.id,
    { text: 'deploy', whenBusy: 'queue' },
    { ...aPerson, who: 'lee', role: 'operator' },
  )

  await runtime.hub.change(session.id, { permissionMode: 'acceptEdits' }, aPerson)
  await runtime.hub.change(session.id, { permissionMode: 'bypassPermissions' }, aPerson)

  await expect.poll(notices).toEqual([
    {
      level: 'warning',
      topic: 'queued_before_bypass',
      text: expect.stringContaining(`${messageId} from lee`),
      textParts: [{ code: 'notice.queued-before-bypass', params: { messages: `${messageId} from lee` } }],
      details: { messageIds: [messageId] },
    },
  ])
})

test('a change to bypassPermissions of a session without waiting messages gives no notice', async () => {
  const runtime = await createTestRuntime()
  const { id } = await runtime.createSession()

  await runtime.hub.change(id, { permissionMode: 'bypassPermissions' }, aPerson)
  await runtime.runner.close()

  expect(await runtime.types(id)).not.toContain('notice.raised')
})

test('the branch is told when the process starts, and again when a turn has left another', async () => {
  let branch: string | null = 'main'
  const runtime = await createTestRuntime({ branch: () => branch })
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  await expect.poll(async () => (await runtime.hub.session(session.id)).branch).toBe('main')

  claude.begin(promptOf(claude))
  branch = 'feature'
  claude.finish()

  await expect.poll(async () => (await runtime.hub.session(session.id)).branch).toBe('feature')
})

test('a turn is told from its start to its end, and the next message goes to the same process', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  claude.finish()
  await expect.poll(async () => (await runtime.hub.session(session.id)).turns).toBe(1)

  await runtime.hub.send(session.id, { text: 'more' }, aPerson)
  await expect.poll(() => claude.received.length).toBe(2)

  expect(runtime.claudes.started).toHaveLength(1)
  expect(await runtime.types(session.id)).toEqual([
    'session.created',
    'message.queued',
    'session.changed',
    'turn.started',
    'session.changed',
    'message.delivered',
    'session.changed',
    'session.started',
    'turn.ended',
    'session.changed',
    'message.queued',
  ])
  expect(await runtime.hub.session(session.id)).toMatchObject({
    state: 'idle',
    costUsd: 0.1,
    process: 'live',
  })
})

test('messages reach the process in the order in which they were sent', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession()

  await Promise.all(
    Array.from({ length: 20 }, (_, n) => runtime.hub.send(session.id, { text: String(n) }, aPerson)),
  )

  await expect.poll(() => runtime.claudes.started[0]?.received.length).toBe(20)
  expect(runtime.claudes.started[0]?.received.map(({ content }) => content)).toEqual(
    Array.from({ length: 20 }, (_, n) => String(n)),
  )
})

test('to replace stops the running turn first', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  await expect.poll(async () => (await runtime.hub.session(session.id)).state).toBe('working')

  await runtime.hub.send(session.id, { text: 'other', whenBusy: 'replace' }, aPerson)
  await expect.poll(() => claude.received.length).toBe(2)

  expect(claude.interrupts).toBe(1)
})

test('a process that crashes in a turn ends the turn as crashed; the next message starts another', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  claude.crash()

  await expect.poll(async () => (await runtime.hub.session(session.id)).process).toBe('none')
  const ended = (await runtime.events(session.id)).find((event) => event.type === 'turn.ended')
  expect(ended?.data).toMatchObject({ outcome: 'failed', stopReason: 'crashed' })
  expect(await runtime.hub.session(session.id)).toMatchObject({ state: 'idle', turn: null })

  await runtime.hub.send(session.id, { text: 'go on' }, aPerson)
  expect(promptOf(await firstClaude(runtime, 2)).content).toBe('go on')
})

test('what a crashed process had not read yet goes to the next one', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('first')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  await runtime.hub.send(session.id, { text: 'second' }, aPerson)
  await expect.poll(() => claude.received.length).toBe(2)

  claude.crash()

  expect(promptOf(await firstClaude(runtime, 2)).content).toBe('second')
})

test('a process that dies before it begins is not started again and again', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)

  claude.crash('Claude Code process exited with code 1')

  await expect.poll(async () => (await runtime.types(session.id)).at(-2)).toBe('message.cancelled')
  expect(
    (await runtime.events(session.id)).find((event) => event.type === 'error.raised')?.data,
  ).toMatchObject({
    code: 'claude_failed',
  })
  expect(runtime.claudes.started).toHaveLength(1)
  expect(await runtime.hub.session(session.id)).toMatchObject({ state: 'idle', queue: [] })
})

test('a process that cannot be started cancels the message and says why', async () => {
  const runtime = await createTestRuntime()
  runtime.claudes.failNext(new Error('spawn ENOENT'))
  const session = await runtime.createSession('hello')

  await expect.poll(async () => (await runtime.types(session.id)).at(-2)).toBe('message.cancelled')

  const error = (await runtime.events(session.id)).find((event) => event.type === 'error.raised')
  expect(error?.data).toEqual({
    code: 'claude_failed',
    message: 'Claude Code could not be started: spawn ENOENT',
  })
})

test('to stop a session ends its process, its turn and its requests, and cancels what waits', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  const asked = claude.callbacks.canUseTool({
    toolUseId: 'toolu_1',
    name: 'Write',
    input: { file_path: 'a' },
    suggestions: [],
    reason: null,
    signal: new AbortController().signal,
  })
  await expect.poll(async () => (await runtime.hub.session(session.id)).state).toBe('permission')
  await runtime.hub.send(session.id, { text: 'later', whenBusy: 'queue' }, aPerson)

  const stopped = await runtime.hub.stop(session.id, undefined, aPerson)

  expect(stopped).toMatchObject({
    state: 'ended',
    outcome: 'interrupted',
    reason: 'Stopped by kim.',
    process: 'none',
    turn: null,
    pendingRequests: [],
    queue: [],
  })
  expect(await asked).toEqual({ allow: false, message: 'Stopped by kim.' })
  expect(claude.isClosed).toBe(true)
  const ended = (await runtime.events(session.id)).find((event) => event.type === 'turn.ended')
  expect(ended?.data).toMatchObject({ outcome: 'interrupted' })
})

test('an ended session takes no messages until it is resumed', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession()
  await runtime.hub.stop(session.id, undefined, aPerson)

  await expect(runtime.hub.send(session.id, { text: 'hello' }, aPerson)).rejects.toMatchObject({
    code: 'session_ended',
  })
  await runtime.hub.resume(session.id, {}, aPerson)
  await runtime.hub.send(session.id, { text: 'hello' }, aPerson)

  expect(promptOf(await firstClaude(runtime)).content).toBe('hello')
})

test('a conversation that the CLI has written about is resumed', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession()
  const project = join(runtime.folder, 'claude', 'projects', '-project')
  await mkdir(project, { recursive: true })
  await writeFile(join(project, `${uuidOf(session.id)}.jsonl`), '{}\n')

  await runtime.hub.send(session.id, { text: 'go on' }, aPerson)

  const claude = await firstClaude(runtime)
  expect(claude.launch.start).toEqual({ kind: 'resume', id: uuidOf(session.id), at: null })
})

test('after a life that ended without a word everything that had started is told as ended', async () => {
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const before = await createTestRuntime({ store })
  const session = await before.createSession('hello')
  const claude = await firstClaude(before)
  claude.begin(promptOf(claude))
  claude.say(
    {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Agent', input: {} }] },
    },
    {
      type: 'system',
      subtype: 'task_started',
      task_id: 'a1',
      task_type: 'local_agent',
      tool_use_id: 'toolu_1',
    },
    {
      type: 'system',
      subtype: 'task_started',
      task_id: 'b1',
      task_type: 'local_bash',
      is_backgrounded: true,
    },
  )
  void claude.callbacks.canUseTool({
    toolUseId: 'toolu_2',
    name: 'Write',
    input: {},
    suggestions: [],
    reason: null,
    signal: new AbortController().signal,
  })
  await expect.poll(async () => (await before.hub.session(session.id)).pendingRequests.length).toBe(1)
  await before.hub.send(session.id, { text: 'unread', whenBusy: 'queue' }, aPerson)
  const known = (await store.readSession(session.id)).length

  const after = await createTestRuntime({ store })

  const told = async () => (await after.events(session.id)).slice(known).map((event) => event.type)
  await expect
    .poll(async () => (await told()).slice(0, 8))
    .toEqual([
      'request.parked',
      'tool.ended',
      'agent.ended',
      'task.ended',
      'turn.ended',
      'session.changed',
      // The CLI has written no transcript, so no process can resume the turn.
      'permission.resolved',
      'session.changed',
    ])
  const request = (await after.inbox.requests({})).at(0)
  expect(request?.resolution).toMatchObject({
    decision: 'deny',
    by: 'shutdown',
    reason: 'The agent ended before an answer and cannot be resumed.',
  })
  expect(promptOf(await firstClaude(after)).content).toBe('unread')
})

test('to close ends every process and leaves sessions that can go on', async () => {
  const runtime = await createTestRuntime()
  const one = await runtime.createSession('one')
  const two = await runtime.createSession('two')
  await expect.poll(() => runtime.claudes.started.map((claude) => claude.received.length)).toEqual([1, 1])
  for (const claude of runtime.claudes.started) claude.begin(promptOf(claude))
  await expect.poll(async () => (await runtime.hub.session(two.id)).state).toBe('working')

  await runtime.runner.close()
  await runtime.runner.close()

  expect(runtime.claudes.started.every((claude) => claude.isClosed)).toBe(true)
  for (const { id } of [one, two]) {
    expect(await runtime.hub.session(id)).toMatchObject({ state: 'idle', process: 'none', turn: null })
  }
  expect(runtime.faults).toEqual([])
})

test('without a runner an interrupt says so', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession()
  await runtime.runner.close()

  await expect(runtime.hub.interrupt(session.id)).rejects.toMatchObject({ code: 'session_not_driven' })
})

test('an event that could not be stored is kept as it came, with the reason', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  const append = runtime.store.append
  runtime.store.append = () => Promise.reject(new Error('disk full'))
  claude.begin(promptOf(claude))
  await expect.poll(() => runtime.faults.length).toBeGreaterThan(0)
  runtime.store.append = append

  expect(runtime.faults[0]).toEqual(new Error('disk full'))
  claude.finish()
  await expect.poll(async () => (await runtime.types(session.id)).includes('turn.ended')).toBe(true)
})

test('what a crashed process had not read goes to the next one whole and in order, before what came later', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('first')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } } as const
  await runtime.hub.send(session.id, { content: [image] }, aPerson)
  await expect.poll(() => claude.received.length).toBe(2)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const close = claude.close.bind(claude)
  claude.close = async () => {
    await held
    await close()
  }

  claude.crash()
  await new Promise((resolve) => setImmediate(resolve))
  await runtime.hub.send(session.id, { text: 'later' }, aPerson)
  expect(runtime.claudes.started).toHaveLength(1)
  release()

  await expect.poll(() => runtime.claudes.started[1]?.received.length).toBe(2)
  expect(runtime.claudes.started[1]?.received.map(({ content }) => content)).toEqual([[image], 'later'])
  expect(runtime.claudes.started).toHaveLength(2)
})

test('an interrupt before the CLI has taken up the message takes it back', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  await runtime.hub.interrupt(session.id)

  expect(await runtime.hub.session(session.id)).toMatchObject({ state: 'idle', queue: [] })
  const cancelled = (await runtime.events(session.id)).find((event) => event.type === 'message.cancelled')
  expect(cancelled?.data).toMatchObject({ reason: 'Interrupted before it was read.' })
})

test('a process that does not react to an interrupt keeps nobody from stopping the session or the runner', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession('hello')
  const claude = await firstClaude(runtime)
  claude.begin(promptOf(claude))
  await expect.poll(async () => (await runtime.hub.session(session.id)).state).toBe('working')
  claude.interrupt = () => new Promise(() => {})
  await runtime.hub.send(session.id, { text: 'instead', whenBusy: 'replace' }, aPerson)

  const closed = runtime.runner.close()

  await closed
  expect(claude.isClosed).toBe(true)
  expect(await runtime.hub.session(session.id)).toMatchObject({ process: 'none', turn: null })
})

test('a message that comes while a session is stopped is either refused or told as cancelled', async () => {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession()
  const [, ...sent] = await Promise.allSettled([
    runtime.hub.stop(session.id, undefined, aPerson),
    ...Array.from({ length: 12 }, (_, n) => runtime.hub.send(session.id, { text: String(n) }, aPerson)),
  ])

  const accepted = sent.filter(({ status }) => status === 'fulfilled').length
  for (const result of sent)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'session_ended' })
  const types = await runtime.types(session.id)
  const settled = types.filter((type) => type === 'message.cancelled' || type === 'message.delivered').length
  expect(settled).toBe(accepted)
  expect(await runtime.hub.session(session.id)).toMatchObject({ state: 'ended', queue: [] })
})
