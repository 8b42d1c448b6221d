/** Our tools as the real agent meets them: through the SDK, called by the real CLI. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/lib/clock.js'
import { AgentLimits } from '../../src/tool/built-in/agent-call.js'
import { type AgentPort, type ChildCall } from '../../src/tool/built-in/agent-caller.js'
import { builtInTools } from '../../src/tool/built-in/built-in.js'
import { type PublishOptions, publishTools } from '../../src/tool/publish.js'
import { ToolRegistry } from '../../src/tool/registry.js'
import { type Completion, defineTool, type Tool } from '../../src/tool/tool.js'
import { type DirectRun, makeFolders, runDirectly } from '../support/direct-agent.js'
import { createManualClock } from '../support/manual-clock.js'

async function setup(extra: Tool[] = [], options: Partial<PublishOptions> = {}) {
  const folders = await makeFolders()
  const told: unknown[] = []
  const completions: Completion[] = []
  const children: ChildCall[] = []
  const agentPort: AgentPort = {
    lineageOf: async () => ({ rootId: 'root', agents: [], calls: 0, spentUsd: 0 }),
    run: async (call) => {
      children.push(call)
      call.onProgress('reading')
      return { sessionId: 'ses_child', outcome: 'completed', text: 'Looks fine.', costUsd: 0, reason: null }
    },
  }
  const registry = new ToolRegistry([
    ...builtInTools({
      clock: createManualClock(),
      guard: ({ path }) =>
        path.endsWith('.env') ? { allowed: false, reason: 'Protected file.' } : { allowed: true },
      agents: { reviewer: { prompt: 'You review.' } },
      agentLimits: AgentLimits.parse({}),
      agentPort,
    }),
    ...extra,
  ])
  const published = await publishTools({
    registry,
    sessionId: 'ses_00000000000000000000000001',
    workspace: folders.cwd,
    version: '1.0.0',
    clock: systemClock,
    log: { info: () => {}, error: () => {} },
    onProgress: (progress) => told.push(progress),
    onCompletion: async (completion) => void completions.push(completion),
    ...options,
  })
  onTestFinished(() => published.close())
  return { ...folders, published, mcpServers: { signalbox: published.server }, told, completions, children }
}

/** One message with these calls, then an end. */
function calls(...list: readonly (readonly [tool: string, input: unknown])[]) {
  const reply = list.map(([tool, input], index) => ({
    tool: `mcp__signalbox__${tool}`,
    input,
    id: `toolu_${index}`,
    chunk: 10_000,
  }))
  return { rules: [{ when: { user: 'go' }, times: 1, reply }, { reply: [{ text: 'Done.' }] }] }
}

/** Tools that only read run at the same time, so their results come in any order. */
function inOrder(count: number, resultOf: DirectRun['resultOf']) {
  return Array.from({ length: count }, (_, index) => resultOf(`toolu_${index}`))
}

test('the agent sees and calls the six tools; what fails is an error result in words', async () => {
  const box = await setup()
  const { cwd, published, mcpServers, told, children } = box
  await mkdir(join(cwd, 'src'))
  await writeFile(join(cwd, 'src/a.txt'), 'one\ntwo\n')
  await writeFile(join(cwd, '.env'), 'KEY=secret')

  const { messages, resultOf, read } = await runDirectly(
    box,
    calls(
      ['directory_lister', {}],
      ['file_reader', { path: 'src/a.txt', limit: 1 }],
      ['text_edit_tool', { path: 'src/a.txt', edits: [{ old_text: 'two', new_text: '2' }] }],
      ['datetime', { timezone: 'Asia/Seoul' }],
      ['agent_caller', { target_agent: 'reviewer', message: 'Review src/a.txt.' }],
      ['file_reader', { path: '../outside.txt' }],
      ['file_reader', { path: '.env' }],
      ['file_reader', { path: 7 }],
      ['text_edit_tool', { path: 'src/a.txt', edits: [{ old_text: 'nine', new_text: '9' }] }],
      ['agent_caller', { target_agent: 'poet', message: 'Write.' }],
    ),
    { mcpServers },
  )

  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init')
  expect(init).toMatchObject({ mcp_servers: [{ name: 'signalbox', status: 'connected' }] })
  expect((init as { tools: string[] }).tools.filter((name) => name.startsWith('mcp__')).toSorted()).toEqual(
    published.toolNames.toSorted(),
  )
  expect(inOrder(10, resultOf)).toEqual([
    { isError: false, text: '.env\nsrc/\nsrc/a.txt' },
    { isError: false, text: 'one\n|[Lines 1 to 1; the file goes on: use offset 2.]' },
    { isError: false, text: 'src/a.txt was edited in line 2.' },
    { isError: false, text: '2026-11-15T21:00:00+09:00' },
    { isError: false, text: 'Looks fine.' },
    { isError: true, text: expect.stringContaining('../outside.txt leads outside the workspace') },
    { isError: true, text: '.env may not be read: Protected file.' },
    { isError: true, text: expect.stringContaining('The input of file_reader is not as expected') },
    { isError: true, text: expect.stringContaining('old_text was not found') },
    { isError: true, text: 'There is no agent "poet". There are: reviewer.' },
  ])
  expect(read).not.toContain('secret')
  expect(await readFile(join(cwd, 'src/a.txt'), 'utf8')).toBe('one\n2\n')
  expect(children).toMatchObject([{ agent: 'reviewer', cwd, parentToolUseId: 'toolu_4' }])
  expect(told).toEqual([{ toolUseId: 'toolu_4', name: 'agent_caller', text: 'reading' }])
})

test('a tool of somebody that throws, hangs or returns nonsense harms nobody', async () => {
  const input = z.object({})
  const fail = (name: string, run: Tool['run'], timeoutMs = 60_000) =>
    defineTool({ name, description: name, input, run, timeoutMs })
  const box = await setup([
    fail('throws', () => {
      throw new Error('It broke inside.')
    }),
    fail('hangs', () => new Promise(() => {}), 300),
    fail('nothing', () => undefined),
    fail('picture', () => ({
      type: 'image',
      mimeType: 'image/png',
      data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    })),
    fail('json', () => ({ a: 1 })),
  ])

  const { resultOf, read } = await runDirectly(
    box,
    calls(['throws', {}], ['hangs', {}], ['nothing', {}], ['picture', {}], ['json', {}]),
    { mcpServers: box.mcpServers },
  )

  expect(inOrder(5, resultOf)).toEqual([
    { isError: true, text: 'It broke inside.' },
    { isError: true, text: 'hangs took longer than 0.3 seconds and was given up.' },
    { isError: true, text: 'The tool returned nothing, which can not be shown.' },
    { isError: false, text: expect.stringContaining('<image>') },
    { isError: false, text: '{\n  "a": 1\n}' },
  ])
  expect(read).not.toMatch(/at .*\.test\.ts/)
})

test('a completion is recorded, and the turn can be ended with it: the model is not asked again', async () => {
  const box = await setup()
  const { requests, messages } = await runDirectly(
    box,
    calls(['attempt_completion', { result: 'All is well.' }]),
    {
      mcpServers: box.mcpServers,
      hooks: {
        PostToolUse: [
          {
            matcher: 'mcp__signalbox__attempt_completion',
            hooks: [async () => ({ continue: false, stopReason: 'The task has ended.' })],
          },
        ],
      },
    },
  )
  expect(box.completions).toEqual([{ result: 'All is well.', success: true, toolUseId: 'toolu_0' }])
  expect(requests).toBe(1)
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false })
})
