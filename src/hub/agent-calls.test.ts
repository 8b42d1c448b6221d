import { expect, test } from 'vitest'
import { aPerson, ids, permissionRequested } from '../../test/support/build.js'
import type { FakeClaude } from '../../test/support/fake-claude.js'
import {
  createTestRuntime,
  type TestRuntime,
  type TestRuntimeOptions,
} from '../../test/support/test-runtime.js'
import type { ToolResult } from '../tool/output.js'
import { lineageOf } from './lineage.js'

const agents = { writer: { prompt: 'You write.' }, reviewer: {} }

async function workingClaude({ claudes }: TestRuntime, index: number): Promise<FakeClaude> {
  await expect.poll(() => claudes.started[index]?.received.length).toBe(1)
  const claude = claudes.started[index]
  const [message] = claude?.received ?? []
  if (!claude || !message) throw new Error('no process')
  claude.begin(message)
  return claude
}

async function setup(options: TestRuntimeOptions = {}) {
  const runtime = await createTestRuntime({ agents, ...options })
  const { id } = await runtime.createSession('go')
  const claude = await workingClaude(runtime, 0)
  const call = (target_agent: string, caller = claude, toolUseId = 'toolu_1') => {
    const host = new AbortController()
    const result = caller.callbacks
      .callTool({
        name: 'agent_caller',
        args: { target_agent, message: 'Do it.' },
        toolUseId,
        signal: host.signal,
      })
      .then(textOf)
    return { result, abort: () => host.abort() }
  }
  const children = async (parentId = id) =>
    (await runtime.store.sessions()).filter((session) => session.parentId === parentId).toReversed()
  return { ...runtime, runtime, id, claude, call, children }
}

function textOf({ content, isError }: ToolResult): string {
  const [part] = content
  return `${isError ? 'failed: ' : ''}${part?.type === 'text' ? part.text : ''}`
}

test('where a session stands: who has called whom, how often, and what it has cost', async () => {
  const { runtime, id, call, children, hub } = await setup()
  const first = call('writer')
  const writer = await workingClaude(runtime, 1)
  const second = call('reviewer', writer, 'toolu_2')
  const reviewer = await workingClaude(runtime, 2)
  const [writerSession] = await children()
  const [reviewerSession] = await children(writerSession?.id)

  expect(await lineageOf(reviewerSession?.id ?? '', runtime)).toEqual({
    rootId: id,
    agents: ['writer', 'reviewer'],
    calls: 2,
    spentUsd: 0,
  })
  reviewer.finish()
  expect(await second.result).toBe('Done.')
  expect(await lineageOf(id, runtime)).toMatchObject({ agents: [], calls: 2, spentUsd: 0.1 })
  // A copy belongs to the user who made it, not to the tree.
  const copy = await hub.fork(writerSession?.id ?? '', {}, aPerson)
  expect(await lineageOf(copy.id, runtime)).toMatchObject({ rootId: copy.id, agents: [], calls: 0 })
  writer.finish()
  expect(await first.result).toBe('Done.')
})

test('a child waits for its background tasks before it has ended', async () => {
  const { runtime, call, children } = await setup()
  const { result } = call('writer')
  const writer = await workingClaude(runtime, 1)
  const task = { type: 'system', task_id: 'b1' }
  writer.say({ ...task, subtype: 'task_started', task_type: 'local_bash', is_backgrounded: true })
  writer.finish()
  const [child] = await children()
  await expect.poll(async () => (await runtime.hub.session(child?.id ?? '')).turns).toBe(1)
  expect(await runtime.hub.session(child?.id ?? '')).toMatchObject({ state: 'idle', endedAt: null })

  writer.say({ ...task, subtype: 'task_notification', status: 'completed' })
  writer.say({ type: 'system', subtype: 'init', session_id: writer.launch.start.id })
  writer.finish()

  expect(await result).toBe('Done.')
  expect(await runtime.hub.session(child?.id ?? '')).toMatchObject({ state: 'ended', outcome: 'completed' })
})

test('an agent that says it could not do it has failed, with its own words', async () => {
  const { runtime, call } = await setup()
  const { result } = call('writer')
  const writer = await workingClaude(runtime, 1)
  const { signal } = new AbortController()
  const args = { result: 'There is no paper.', success: false }
  await writer.callbacks.callTool({ name: 'attempt_completion', args, toolUseId: 'toolu_9', signal })
  writer.finish()

  expect(await result).toBe(
    'failed: writer failed: it says that it could not do it. Its last words: There is no paper.',
  )
})

test('an agent that cannot be started is a failure that says why', async () => {
  const { call, claudes, children } = await setup()
  claudes.failNext(new Error('no such program'))

  expect(await call('writer').result).toBe(
    'failed: writer failed: Claude Code could not be started: no such program.',
  )
  expect((await children())[0]).toMatchObject({ state: 'ended', outcome: 'failed' })
})

test('a person can stop a called agent, as a task of its caller', async () => {
  const { runtime, id, call, children, hub } = await setup()
  const { result } = call('writer')
  await workingClaude(runtime, 1)
  const [child] = await children()
  await expect.poll(async () => Object.keys((await hub.session(id)).agents)).toEqual([child?.id])

  await hub.stopTask(id, child?.id ?? '')

  expect(await result).toMatch(/^failed: writer was interrupted: it was stopped\.$/i)
  await expect.poll(async () => (await hub.session(id)).agents).toEqual({})
})

test('when everything is stopped, a called agent has ended and its caller knows', async () => {
  const { runtime, id, call, children, runner, agentPort } = await setup()
  const { abort } = call('writer')
  await workingClaude(runtime, 1)
  await runner.close()
  // As the SDK does when the process of the caller ends.
  abort()
  await agentPort.close()

  expect((await children())[0]).toMatchObject({ state: 'ended', outcome: 'interrupted' })
  expect((await runtime.types(id)).filter((type) => type.startsWith('agent.'))).toEqual([
    'agent.started',
    'agent.ended',
  ])
})

test('after a crash a called agent is not continued: nobody waits for it', async () => {
  const before = await setup()
  before.call('writer')
  await workingClaude(before.runtime, 1)
  const [child] = await before.children()
  await expect.poll(async () => (await before.hub.session(child?.id ?? '')).turn).not.toBeNull()

  const after = await createTestRuntime({ agents, store: before.store, onRestart: 'continue' })

  await expect
    .poll(() => after.hub.session(child?.id ?? ''))
    .toMatchObject({ state: 'ended', outcome: 'interrupted' })
  expect(await after.hub.session(before.id)).toMatchObject({ agents: {}, endedAt: null })
})

const FREE = { free: { mode: 'bypassPermissions' as const }, editor: { mode: 'acceptEdits' as const } }

/** The request that the gate makes of such a call, answered. */
async function answered(
  { journal, inbox }: TestRuntime,
  sessionId: string,
  toolUseId: string,
  decision: 'allow' | 'deny',
) {
  const requestId = ids.next('per')
  const data = {
    toolUseId,
    toolName: 'mcp__signalbox__agent_caller',
    freerMode: 'bypassPermissions' as const,
  }
  await journal.append(sessionId, [permissionRequested(requestId, data)])
  await inbox.answer(requestId, { decision }, aPerson)
}

test('a called agent never runs in a freer mode than its caller unless that very call was allowed', async () => {
  const { runtime, id, call, children } = await setup({ agents: FREE })
  await answered(runtime, id, 'toolu_other', 'allow')
  await answered(runtime, id, 'toolu_2', 'deny')
  for (const [index, toolUseId] of ['toolu_1', 'toolu_2', 'toolu_3'].entries()) {
    if (toolUseId === 'toolu_3') await answered(runtime, id, 'toolu_3', 'allow')
    const { result } = call('free', undefined, toolUseId)
    const claude = await workingClaude(runtime, index + 1)
    claude.finish()
    await result
  }

  expect((await children()).map(({ permissionMode }) => permissionMode)).toEqual([
    'default',
    'default',
    'bypassPermissions',
  ])
})

test('nor does one that a called agent calls, and all of them become less free with their caller', async () => {
  const { runtime, id, call, children, hub } = await setup({ agents: FREE })
  await hub.change(id, { permissionMode: 'acceptEdits' }, aPerson)
  const first = call('editor')
  const editor = await workingClaude(runtime, 1)
  const [started] = await children()
  // The stand-in says that it is in the default mode when it begins.
  await expect.poll(async () => (await hub.session(started?.id ?? '')).permissionMode).toBe('default')
  await hub.change(started?.id ?? '', { permissionMode: 'acceptEdits' }, aPerson)
  const second = call('free', editor, 'toolu_2')
  const free = await workingClaude(runtime, 2)
  const [editorSession] = await children()
  const [freeSession] = await children(editorSession?.id)
  expect(editorSession?.permissionMode).toBe('acceptEdits')
  expect(freeSession?.permissionMode).not.toBe('bypassPermissions')
  await hub.change(freeSession?.id ?? '', { permissionMode: 'acceptEdits' }, aPerson)

  await hub.change(id, { permissionMode: 'default' }, aPerson)

  for (const session of [editorSession, freeSession])
    expect((await hub.session(session?.id ?? '')).permissionMode).toBe('default')
  free.finish()
  await second.result
  editor.finish()
  await first.result
})
