import { describe, expect, test } from 'vitest'
import type { ClaudeCallbacks, Launch } from './port.js'
import { sdkMcpServers, sdkOptions } from './sdk-options.js'

const launch: Launch = {
  cwd: '/srv/app',
  env: { PATH: '/bin' },
  model: null,
  permissionMode: 'default',
  program: null,
  thinkingTokens: null,
  effort: null,
  options: {},
  mcpServers: {},
  tools: [],
  hooks: [],
  deniedReads: [],
  excludedMemory: [],
  start: { kind: 'new', id: 'c1' },
}
const callbacks: ClaudeCallbacks = {
  preToolUse: async () => ({ decision: 'deny', reason: 'Not here.' }),
  canUseTool: async () => ({ allow: false, message: 'No.' }),
  elicit: async () => ({ action: 'decline' }),
  hook: async () => ({}),
  callTool: async () => ({ content: [], isError: false }),
}
const optionsOf = (change: Partial<Launch> = {}) =>
  sdkOptions({ ...launch, ...change }, callbacks, 'mark', () => false)

test('nothing that a repository brings along acts by itself', () => {
  expect(optionsOf()).toMatchObject({ settingSources: [], strictMcpConfig: true, mcpServers: {} })
})

test('a gate that fails blocks the call', () => {
  expect(optionsOf().hooks?.PreToolUse).toMatchObject([{ onFailure: 'block', hooks: [expect.any(Function)] }])
})

test('the gate sees a call as the CLI tells it, and its answer reaches the CLI', async () => {
  const seen: unknown[] = []
  const { hooks } = sdkOptions(
    launch,
    {
      ...callbacks,
      preToolUse: async (call) => {
        seen.push(call)
        return { decision: 'deny', reason: 'Not here.' }
      },
    },
    'mark',
    () => false,
  )
  const input = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', agent_id: 'a1' }

  const hook = hooks?.PreToolUse?.[0]?.hooks[0]
  const output = await hook?.(input as never, 't1', { signal: new AbortController().signal })

  expect(seen).toEqual([
    { toolUseId: 't1', name: 'Bash', input: { command: 'ls' }, agentId: 'a1', event: input },
  ])
  expect(output).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'Not here.',
    },
  })
})

test('every process carries its mark and the named variables, and nothing else', () => {
  expect(optionsOf().env).toEqual({ PATH: '/bin', SIGNALBOX_CHILD: 'mark' })
})

test('in a session that runs without asking the CLI still asks the gate', () => {
  expect(optionsOf({ permissionMode: 'bypassPermissions' }).permissionMode).toBe('default')
  expect(optionsOf({ permissionMode: 'plan' }).permissionMode).toBe('plan')
})

test.each([
  [{ kind: 'new', id: 'c1' }, { sessionId: 'c1' }],
  [{ kind: 'resume', id: 'c1', at: null }, { resume: 'c1' }],
  [
    { kind: 'resume', id: 'c1', at: 'm1' },
    { resume: 'c1', resumeSessionAt: 'm1' },
  ],
  [
    { kind: 'fork', id: 'c2', from: 'c1', at: 'm1' },
    { resume: 'c1', forkSession: true, sessionId: 'c2', resumeSessionAt: 'm1' },
  ],
] as const)('start %j', (start, expected) => {
  const { sessionId, resume, forkSession, resumeSessionAt } = optionsOf({ start })
  expect(JSON.parse(JSON.stringify({ sessionId, resume, forkSession, resumeSessionAt }))).toEqual(expected)
})

test('what people may set reaches the SDK', () => {
  const options = {
    fallbackModel: 'haiku',
    maxTurns: 3,
    maxBudgetUsd: 1,
    thinking: { type: 'disabled' },
    additionalDirectories: ['/srv/lib'],
    tools: ['Read'],
    allowedTools: ['Read'],
    disallowedTools: ['Bash'],
    agents: { scout: { description: 'd', prompt: 'p' } },
    betas: ['context-1m-2025-08-07'],
    sandbox: { enabled: true },
    outputFormat: { type: 'json_schema', schema: { type: 'object' } },
    plugins: [{ type: 'local', path: '/srv/plugin' }],
    enableFileCheckpointing: true,
    settingSources: ['user'],
  } satisfies Launch['options']

  expect(optionsOf({ options, model: 'opus', effort: 'high', thinkingTokens: 5 })).toMatchObject({
    ...options,
    model: 'opus',
    effort: 'high',
    maxThinkingTokens: 5,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
  })
  expect(optionsOf({ options: { systemPrompt: 'Be brief.' } }).systemPrompt).toBe('Be brief.')
  expect(optionsOf({ options: { systemPrompt: { append: 'Be brief.' } } }).systemPrompt).toMatchObject({
    append: 'Be brief.',
  })
})

describe('MCP servers', () => {
  test('a program in a folder of its own is started there', () => {
    const servers = sdkMcpServers(
      {
        one: { command: 'node', args: ['a b.js'], cwd: '/srv/app/mcp dir' },
        two: { command: 'x', cwd: '/srv/app' },
      },
      '/srv/app',
    )
    expect(servers).toEqual({
      one: { command: 'sh', args: ['-c', 'cd "$0" && exec "$@"', '/srv/app/mcp dir', 'node', 'a b.js'] },
      two: { command: 'x', args: [] },
    })
  })

  test('servers on the network are passed on', () => {
    const server = { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { a: 'b' } } as const
    expect(sdkMcpServers({ net: server }, '/srv/app')).toEqual({ net: server })
  })
})

describe('a question of the CLI', () => {
  const asked = async (hasExited: boolean) => {
    const given: AbortSignal[] = []
    const never = new Promise<never>(() => {})
    const { canUseTool } = sdkOptions(
      launch,
      {
        ...callbacks,
        canUseTool: ({ signal }) => {
          given.push(signal)
          return never
        },
      },
      'mark',
      () => hasExited,
    )
    const cli = new AbortController()
    void canUseTool?.('Write', {}, { signal: cli.signal, toolUseID: 't1' } as never)
    cli.abort()
    return given[0]?.aborted
  }

  test('is taken back by the CLI', async () => {
    expect(await asked(false)).toBe(true)
  })

  test('is not taken back by the death of its process', async () => {
    expect(await asked(true)).toBe(false)
  })
})

test('a plan is approved together with the mode, in the CLI’s own terms', async () => {
  const reply = async () => ({ allow: true, input: {}, mode: 'bypassPermissions' }) as const
  const { canUseTool } = sdkOptions(launch, { ...callbacks, canUseTool: reply }, 'mark', () => false)

  const result = await canUseTool?.('ExitPlanMode', {}, { signal: new AbortController().signal } as never)

  expect(result).toMatchObject({
    behavior: 'allow',
    updatedPermissions: [{ type: 'setMode', mode: 'default', destination: 'session' }],
  })
})
