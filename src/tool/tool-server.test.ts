import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createManualClock } from '../../test/support/manual-clock.js'
import { createProgress } from './progress.js'
import { ToolRegistry } from './registry.js'
import { createSessionTools } from './session-tools.js'
import { defineTool, type Tool } from './tool.js'
import { createToolServer, listingOf } from './tool-server.js'

const add = defineTool({
  name: 'add',
  description: 'Adds',
  input: z.object({ a: z.number(), b: z.number() }),
  annotations: { readOnlyHint: true },
  timeoutMs: 5_000,
  run: ({ a, b }) => ({ sum: a + b }),
})

async function published(tools: Tool[]) {
  const told: unknown[] = []
  const completions: unknown[] = []
  const clock = createManualClock()
  const registry = new ToolRegistry(tools)
  const call = createSessionTools({
    registry: () => registry,
    sessionId: 'ses_00000000000000000000000001',
    workspace: '/nowhere',
    clock,
    log: { info: () => {}, error: () => {} },
    onProgress: (progress) => told.push(progress),
    onCompletion: async (completion) => void completions.push(completion),
  })
  const host = await createToolServer(registry.published().map(listingOf), call)
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await host.config.instance.connect(ours)
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(theirs)
  onTestFinished(() => client.close())
  const callAsAgent = (name: string, args: Record<string, unknown> = {}, signal?: AbortSignal) =>
    client.callTool(
      { name, arguments: args, _meta: { 'claudecode/toolUseId': 'toolu_9' } },
      undefined,
      signal && { signal },
    )
  return { host, client, call: callAsAgent, told, completions }
}

test('an agent sees the tools that have a schema, and calls them', async () => {
  const hidden = defineTool({ name: 'hidden', description: 'x', run: () => 'x' })
  const { host, client, call } = await published([add, hidden])

  expect(host.config).toMatchObject({ type: 'sdk', name: 'signalbox', timeout: 15_000 })
  expect((await client.listTools()).tools).toMatchObject([
    { name: 'add', description: 'Adds', annotations: { readOnlyHint: true } },
  ])
  expect(await call('add', { a: 1, b: 2 })).toEqual({
    content: [{ type: 'text', text: '{\n  "sum": 3\n}' }],
    isError: false,
  })
})

test('a wrong input and an unknown or hidden tool are failed results, not errors of the protocol', async () => {
  const { call } = await published([add])
  for (const answer of [await call('add', { a: 'x' }), await call('gone'), await call('hidden')]) {
    expect(answer).toMatchObject({ isError: true })
  }
})

test('a tool tells its progress and its completion with the call that they belong to', async () => {
  const talker = defineTool({
    name: 'talker',
    description: 'Talks',
    input: z.object({}),
    run: async (_, { progress, complete, sessionId, workspace, toolUseId }) => {
      progress('half')
      await complete({ result: 'all', success: true })
      return [sessionId, workspace, toolUseId].join(' ')
    },
  })
  const { call, told, completions } = await published([talker])

  expect(await call('talker')).toMatchObject({
    content: [{ text: 'ses_00000000000000000000000001 /nowhere toolu_9' }],
  })
  expect(told).toEqual([{ toolUseId: 'toolu_9', text: 'half' }])
  expect(completions).toEqual([{ result: 'all', success: true, toolUseId: 'toolu_9', isRepeated: false }])
})

test('an interrupt of the agent and the end of the session abort what runs', async () => {
  const aborted: string[] = []
  let hasStarted = () => {}
  const slow = defineTool({
    name: 'slow',
    description: 'Waits',
    input: z.object({}),
    run: (_, { signal, toolUseId }) => {
      signal.addEventListener('abort', () => aborted.push(String(toolUseId)))
      hasStarted()
      return new Promise(() => {})
    },
  })
  const { host, call } = await published([slow])
  for (const end of [async (interrupt: AbortController) => interrupt.abort(), () => host.close()]) {
    const interrupt = new AbortController()
    const started = new Promise<void>((resolve) => {
      hasStarted = resolve
    })
    const answer = call('slow', {}, interrupt.signal).catch(() => 'gone')
    await started
    await end(interrupt)
    expect(await answer).toBe('gone')
  }
  await expect.poll(() => aborted).toEqual(['toolu_9', 'toolu_9'])
})

test('progress is told at once, then no more often than the log can bear, and the newest is never lost', () => {
  const clock = createManualClock()
  const told: string[] = []
  const progress = createProgress(clock, (text) => told.push(text))

  for (let count = 1; count <= 5; count += 1) progress.tell(`${count}`)
  expect(told).toEqual(['1'])
  clock.advance(250)
  expect(told).toEqual(['1', '5'])
  clock.advance(250)
  progress.tell('6')
  progress.tell('7')
  progress.end()
  progress.tell('8')
  clock.advance(1_000)
  expect(told).toEqual(['1', '5', '6', '7'])
})
