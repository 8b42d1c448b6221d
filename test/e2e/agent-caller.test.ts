/** Agents that call agents: child sessions of the real CLI, linked as a tree, bounded, and stopped with their parents. */

import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import { aPerson } from '../support/build.js'
import { problemsOf } from '../support/check-log.js'
import { createRealRuntime, makeFolders, type RealRuntime } from '../support/real-runtime.js'

const CALL = 'mcp__signalbox__agent_caller'
const call = (target_agent: string, message: string) => ({ tool: CALL, input: { target_agent, message } })

async function childrenOf({ hub }: RealRuntime, parentId: string) {
  return (await hub.sessions({})).filter((session) => session.parentId === parentId).toReversed()
}

function agentEvents(log: readonly SessionEvent[]) {
  return log.flatMap((event) =>
    event.type === 'agent.started' || event.type === 'agent.ended'
      ? [{ type: event.type, ...event.data }]
      : [],
  )
}

test('a call runs the agent as it is configured; its progress and its result reach the caller', async () => {
  const folders = await makeFolders()
  const runtime = await createRealRuntime(
    folders,
    {
      defaults: { usage: { input_tokens: 1_000, output_tokens: 100 } },
      rules: [
        {
          when: { agent: '/You count words/', user: 'How many' },
          times: 1,
          reply: [{ text: 'I will look.' }, { tool: 'Bash', input: { command: 'echo 42' } }],
        },
        {
          when: { agent: '/You count words/', toolResult: 'Bash' },
          reply: [
            { tool: 'mcp__signalbox__attempt_completion', input: { result: 'There are {{toolResult}}.' } },
          ],
        },
        { when: { user: 'go' }, times: 1, reply: [call('counter', 'How many words?')] },
        { when: { toolResult: CALL }, reply: [{ text: 'It said: {{toolResult}}' }] },
        { reply: [{ text: '?' }] },
      ],
    },
    {
      agents: {
        counter: {
          prompt: 'You count words.',
          mode: 'bypassPermissions',
          tools: ['Bash', 'attempt_completion'],
        },
      },
    },
  )

  const { id, events, session } = await runtime.run()

  expect(session.lastText).toBe('It said: There are 42.')
  const [child] = await childrenOf(runtime, id)
  expect(child).toMatchObject({
    agent: 'counter',
    title: 'counter',
    parentId: id,
    parentToolUseId: expect.stringMatching(/^toolu_/),
    permissionMode: 'bypassPermissions',
    options: { maxBudgetUsd: 1 },
    completion: { result: 'There are 42.', success: true },
    state: 'ended',
    outcome: 'completed',
    reason: 'The task has ended.',
    process: 'none',
  })
  expect(agentEvents(events)).toMatchObject([
    {
      type: 'agent.started',
      agentId: child?.id,
      agentType: 'counter',
      parentToolUseId: child?.parentToolUseId,
    },
    { type: 'agent.ended', agentId: child?.id, outcome: 'completed', text: 'There are 42.' },
  ])
  const told = events.flatMap((event) => (event.type === 'tool.progressed' ? [event.data.text] : []))
  expect(told[0]).toBe('I will look.')
  expect(told.at(-1)).toMatch(/attempt_completion/)
  expect(problemsOf(await runtime.events(child?.id ?? ''))).toEqual([])
})

test('two agents that call each other are stopped by the bound, and all are told', async () => {
  const runtime = await createRealRuntime(
    await makeFolders(),
    {
      rules: [
        { when: { toolResult: CALL }, reply: [{ text: 'I was told: {{toolResult}}' }] },
        { when: { user: 'ping' }, reply: [call('pong', 'pong')] },
        { when: { user: 'pong' }, reply: [call('ping', 'ping')] },
        { when: { user: 'go' }, reply: [call('ping', 'ping')] },
      ],
    },
    {
      agents: {
        ping: { prompt: 'You ping.', mode: 'bypassPermissions' },
        pong: { prompt: 'You pong.', mode: 'bypassPermissions' },
      },
    },
  )

  const { id, session } = await runtime.run()

  const [ping, ...others] = await childrenOf(runtime, id)
  const [pong, ...more] = await childrenOf(runtime, ping?.id ?? '')
  expect([others, more]).toEqual([[], []])
  expect(await childrenOf(runtime, pong?.id ?? '')).toEqual([])
  expect([ping, pong]).toMatchObject([
    { agent: 'ping', outcome: 'completed' },
    { agent: 'pong', outcome: 'completed' },
  ])
  const ended = (await runtime.events(pong?.id ?? '')).find((event) => event.type === 'tool.ended')
  expect(ended?.data).toMatchObject({
    outcome: 'failed',
    error:
      'ping is at work already, above you: ping → pong → ping. Agents cannot call each other in a circle. ' +
      'Do the work yourself, or answer with what you have.',
  })
  expect(session.lastText).toMatch(/^I was told: I was told: I was told: ping is at work already/)
})

test('stopping or interrupting the parent stops the child; a child that takes too long is stopped too', async () => {
  const folders = await makeFolders()
  const runtime = await createRealRuntime(
    folders,
    {
      rules: [
        { when: { toolResult: CALL }, reply: [{ text: '{{toolResult}}' }] },
        {
          when: { user: 'wait' },
          reply: [{ tool: 'Bash', input: { command: `node -e 'setTimeout(()=>{},60000)'` } }],
        },
        { when: { user: 'go' }, reply: [call('sleeper', 'wait')] },
      ],
    },
    {
      agents: { sleeper: { mode: 'bypassPermissions' } },
      agentLimits: { timeoutMs: 8_000 },
    },
  )
  const start = async () => {
    const { id } = await runtime.hub.createSession(
      { cwd: folders.cwd, prompt: 'go', permissionMode: 'bypassPermissions' },
      aPerson,
    )
    await expect
      .poll(async () => Object.keys((await childrenOf(runtime, id))[0]?.pendingTools ?? {}).length, {
        timeout: 20_000,
      })
      .toBe(1)
    return id
  }
  const childWhenEnded = async (id: string) => {
    const [child] = await childrenOf(runtime, id)
    return runtime.sessionWhen(child?.id ?? '', ({ state }) => state === 'ended')
  }

  const stopped = await start()
  await runtime.hub.stop(stopped, undefined, aPerson)
  expect(await childWhenEnded(stopped)).toMatchObject({
    outcome: 'interrupted',
    reason: 'The calling agent was stopped.',
    process: 'none',
  })

  const interrupted = await start()
  await runtime.hub.interrupt(interrupted)
  expect(await childWhenEnded(interrupted)).toMatchObject({ outcome: 'interrupted', process: 'none' })

  const slow = await start()
  const parent = await runtime.sessionWhen(slow, ({ turns }) => turns === 1)
  expect(parent.lastText).toBe('sleeper was stopped: it took longer than 8 seconds.')
  expect(await childWhenEnded(slow)).toMatchObject({ outcome: 'interrupted', process: 'none' })

  for (const id of [stopped, interrupted, slow]) {
    await expect.poll(async () => problemsOf(await runtime.events(id)), { timeout: 10_000 }).toEqual([])
    expect(agentEvents(await runtime.events(id))).toMatchObject([
      { type: 'agent.started' },
      { type: 'agent.ended', outcome: 'interrupted' },
    ])
  }
})

test('a child asks the same inbox, and its budget is its own', async () => {
  const folders = await makeFolders()
  const runtime = await createRealRuntime(
    folders,
    {
      // Two answers are more than the child may spend, one is not.
      defaults: { usage: { input_tokens: 1_000, output_tokens: 100 } },
      rules: [
        { when: { toolResult: CALL }, reply: [{ text: '{{toolResult}}' }] },
        { when: { user: 'work' }, times: 1, reply: [{ tool: 'Bash', input: { command: 'touch a' } }] },
        {
          when: { toolResult: '*' },
          reply: [{ tool: 'Read', input: { file_path: join(folders.cwd, 'a') } }],
        },
        { when: { user: 'go' }, times: 1, reply: [call('worker', 'work')] },
      ],
    },
    { agents: { worker: {} }, agentLimits: { callBudgetUsd: 0.01 } },
  )
  const { id } = await runtime.hub.createSession(
    { cwd: folders.cwd, prompt: 'go', permissionMode: 'bypassPermissions' },
    aPerson,
  )
  await expect
    .poll(async () => (await runtime.hub.inbox.requests({ state: 'pending' })).length, { timeout: 20_000 })
    .toBe(1)
  const [request] = await runtime.hub.inbox.requests({ state: 'pending' })
  const [child] = await childrenOf(runtime, id)
  expect(request).toMatchObject({ sessionId: child?.id, title: 'Bash: touch a' })
  const told = async () =>
    (await runtime.events(id)).flatMap((event) => (event.type === 'tool.progressed' ? [event.data.text] : []))
  await expect.poll(told).toContain('waits for a person: Bash: touch a')

  await runtime.hub.inbox.answer(request?.id ?? '', { decision: 'allow' }, aPerson)

  const parent = await runtime.sessionWhen(id, ({ turns }) => turns === 1)

  expect(parent.lastText).toMatch(/^worker failed: .*budget/i)
})
