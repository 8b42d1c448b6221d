/** Command hooks around the tool calls of the real CLI: of its own tools, and of ours. */

import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  HookCallback,
  HookJSONOutput,
  Options,
  HookEvent as SdkHookEvent,
} from '@anthropic-ai/claude-agent-sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type CommandHooks, createCommandHooks } from '../../src/hook/command-hooks.js'
import { type HookEvent, HookSettings } from '../../src/hook/settings.js'
import { sdkOutputOf } from '../../src/hook/verdict.js'
import { systemClock } from '../../src/lib/clock.js'
import { asRecord, asText } from '../../src/lib/loose.js'
import { createTextEditTool } from '../../src/tool/built-in/text-edit-tool.js'
import { publishTools } from '../../src/tool/publish.js'
import { ToolRegistry } from '../../src/tool/registry.js'
import { makeFolders, runDirectly } from '../support/direct-agent.js'

const EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const
const OUR_EDIT = 'mcp__signalbox__text_edit_tool'

/** What the session runtime does with hooks: asks them, and gives the SDK their verdict. */
function hookOptions(
  choose: (input: Record<string, unknown>) => CommandHooks,
): NonNullable<Options['hooks']> {
  const callback =
    (event: HookEvent): HookCallback =>
    async (input, _, { signal }) =>
      // The SDK has a type for each event; ours is right for whichever it is.
      sdkOutputOf(event, await choose({ ...input }).run(input, signal)) as HookJSONOutput
  const entries = EVENTS.map((event) => [event, [{ onFailure: 'block' as const, hooks: [callback(event)] }]])
  return Object.fromEntries(entries) as Partial<Record<SdkHookEvent, { hooks: HookCallback[] }[]>>
}

async function setup() {
  const { folder, cwd } = await makeFolders()
  const log: string[] = []
  const names = new Map<string, string>()
  let count = 0
  const hooksFor = (settings: unknown) =>
    createCommandHooks({
      settings: HookSettings.parse(settings),
      workspace: cwd,
      env: { PATH: process.env['PATH'] ?? '' },
      scratchFolder: folder,
      newId: () => `hook_${++count}`,
      onStarted: ({ hookId, event, toolUseId }) => {
        names.set(hookId, `${toolUseId} ${event}`)
        log.push(`${toolUseId} ${event} started`)
      },
      onEnded: ({ hookId, outcome, exitCode, message }) =>
        log.push(`${names.get(hookId)} ${outcome} ${exitCode}${message ? `: ${message}` : ''}`),
    })
  const published = await publishTools({
    registry: new ToolRegistry([createTextEditTool(() => ({ allowed: true }))]),
    sessionId: 'ses_00000000000000000000000001',
    workspace: cwd,
    version: '1.0.0',
    clock: systemClock,
    log: { info: () => {}, error: () => {} },
    onProgress: () => {},
    onCompletion: async () => {},
  })
  onTestFinished(() => published.close())
  return { folder, cwd, log, hooksFor, mcpServers: { signalbox: published.server } }
}

const command = (text: string, more: object = {}) => [
  { hooks: [{ type: 'command', command: text, ...more }] },
]

/** How each tool writes a file: the CLI's own, and ours. */
const TOOLS = {
  Write: (cwd: string, name: string, content: string) => ({ file_path: join(cwd, name), content }),
  [OUR_EDIT]: (_: string, name: string, content: string) => ({
    path: name,
    edits: [{ old_text: '', new_text: content }],
  }),
}

describe.each(Object.entries(TOOLS))('%s', (tool, inputFor) => {
  const settings = {
    PreToolUse: command(
      'case "$CLAUDE_TOOL_INPUT" in *important.txt*) echo "This file must not be changed." >&2; exit 2;; esac; echo "Checked $CLAUDE_TOOL_NAME."',
    ),
    PostToolUse: command(
      'cat > /dev/null; echo "$CLAUDE_TOOL_NAME: $CLAUDE_TOOL_RESULT" >> tool-log.txt; echo Logged.',
    ),
  }
  const script = (cwd: string, name: string) => ({
    rules: [
      {
        when: { user: 'go' },
        times: 1,
        reply: [{ tool, input: inputFor(cwd, name, '안녕하세요!'), id: 'toolu_0', chunk: 1_000 }],
      },
      { reply: [{ text: 'Done.' }] },
    ],
  })

  test('hello.txt: Pre passes, the tool runs, Post records', async () => {
    const { folder, cwd, log, hooksFor, mcpServers } = await setup()
    const hooks = hooksFor(settings)

    const run = await runDirectly({ folder, cwd }, script(cwd, 'hello.txt'), {
      mcpServers,
      hooks: hookOptions(() => hooks),
    })

    expect(await readFile(join(cwd, 'hello.txt'), 'utf8')).toBe('안녕하세요!')
    expect(await readFile(join(cwd, 'tool-log.txt'), 'utf8')).toContain(`${tool}: `)
    expect(log).toEqual([
      'toolu_0 PreToolUse started',
      `toolu_0 PreToolUse passed 0: Checked ${tool}.`,
      'toolu_0 PostToolUse started',
      'toolu_0 PostToolUse passed 0: Logged.',
    ])
    expect(run.resultOf('toolu_0')?.isError).toBe(false)
    expect(run.read).toContain(`Checked ${tool}.`)
    expect(run.read).toContain('Logged.')
  })

  test('important.txt: Pre blocks, the tool does not run, nor does Post; the agent is told', async () => {
    const { folder, cwd, log, hooksFor, mcpServers } = await setup()
    const hooks = hooksFor(settings)

    const run = await runDirectly({ folder, cwd }, script(cwd, 'important.txt'), {
      mcpServers,
      hooks: hookOptions(() => hooks),
    })

    expect(existsSync(join(cwd, 'important.txt'))).toBe(false)
    expect(existsSync(join(cwd, 'tool-log.txt'))).toBe(false)
    expect(log).toEqual([
      'toolu_0 PreToolUse started',
      'toolu_0 PreToolUse blocked 2: This file must not be changed.',
    ])
    expect(run.resultOf('toolu_0')).toEqual({
      isError: true,
      text: `PreToolUse:${tool} hook error: This file must not be changed.`,
    })
  })
})

test('however a hook ends, the call, the agent and the hooks after it are as promised', async () => {
  const { folder, cwd, log, hooksFor, mcpServers } = await setup()
  const plain = join(folder, 'plain.txt')
  await writeFile(plain, 'no program')
  const PROGRAMS: Record<string, { command: string } & Record<string, unknown>> = {
    '0': { command: 'echo seen' },
    '1': { command: 'exit 1' },
    '2': { command: 'echo stopped >&2; exit 2' },
    '3': { command: 'exit 3' },
    '126': { command: `'${plain}'` },
    '127': { command: '/nowhere/to/be/found' },
    signal: { command: 'kill -SEGV $$' },
    timeout: { command: 'sleep 30', timeout: 0.2 },
    'not-executable': { command: plain, args: [] },
    missing: { command: '/nowhere/to/be/found', args: [] },
  }
  // The end that a call's hook comes to, and where it stands, are in the name of its file.
  const cases = Object.keys(PROGRAMS).flatMap((end) =>
    EVENTS.slice(0, 2).flatMap((event) => Object.keys(TOOLS).map((tool) => ({ end, event, tool }))),
  )
  const fileOf = (index: number) => `call-${index}.txt`
  const hooksOf = cases.map(({ end, event }) => {
    const program = [{ hooks: [{ type: 'command', ...PROGRAMS[end] }] }]
    const other = command('true')
    return hooksFor({
      PreToolUse: event === 'PreToolUse' ? program : other,
      PostToolUse: event === 'PostToolUse' ? program : other,
    })
  })
  const choose = (input: Record<string, unknown>): CommandHooks => {
    const toolInput = asRecord(input['tool_input'])
    const path = asText(toolInput['file_path']) ?? asText(toolInput['path']) ?? ''
    const hooks = hooksOf[Number(/call-(\d+)/.exec(path)?.[1])]
    if (!hooks) throw new Error(`no case for ${path}`)
    return hooks
  }
  const reply = cases.map(({ tool }, index) => ({
    tool,
    input: TOOLS[tool as keyof typeof TOOLS](cwd, fileOf(index), 'x'),
    id: `toolu_${index}`,
    chunk: 1_000,
  }))

  const run = await runDirectly(
    { folder, cwd },
    { rules: [{ when: { user: 'go' }, times: 1, reply }, { reply: [{ text: 'Done.' }] }] },
    { mcpServers, hooks: hookOptions(choose) },
  )

  const seen = cases.map(({ end, event, tool }, index) => {
    const mine = log
      .filter((line) => line.startsWith(`toolu_${index} `))
      .map((line) => line.split(' ').slice(1))
    const outcome = mine.find(([name, what]) => name === event && what !== 'started')?.[1]
    return [
      end,
      event,
      tool === 'Write' ? 'built-in' : 'ours',
      outcome,
      existsSync(join(cwd, fileOf(index))) ? 'ran' : 'did not run',
      mine.some(([name]) => name === 'PostToolUse') ? 'Post ran' : 'no Post',
      run.resultOf(`toolu_${index}`)?.isError ? 'agent saw an error' : 'agent saw the result',
    ].join(', ')
  })
  const expected = cases.map(({ end, event, tool }) => {
    const isBlocked = end === '2' && event === 'PreToolUse'
    const outcome = isBlocked ? 'blocked' : end === '0' || end === '2' ? 'passed' : 'broken'
    const after = isBlocked
      ? 'did not run, no Post, agent saw an error'
      : 'ran, Post ran, agent saw the result'
    return `${end}, ${event}, ${tool === 'Write' ? 'built-in' : 'ours'}, ${outcome}, ${after}`
  })
  expect(seen).toHaveLength(40)
  expect(seen).toEqual(expected)
  // What a hook printed, and what it said when it was too late to block, reaches the agent as well.
  expect(run.read.match(/hook additional context: seen/g)?.length).toBe(4)
  expect(run.read.match(/PostToolUse:\w+ hook additional context: stopped/g)?.length).toBe(2)
})

test('a tool that fails has its own hook, which is given the error', async () => {
  const { folder, cwd, log, hooksFor, mcpServers } = await setup()
  const hooks = hooksFor({
    PostToolUse: command('touch post-ran'),
    PostToolUseFailure: command('printf %s "$CLAUDE_TOOL_RESULT" > error.txt; echo Failed too.'),
  })
  const input = { path: 'a.txt', edits: [{ old_text: 'x', new_text: 'y' }] }

  const run = await runDirectly(
    { folder, cwd },
    {
      rules: [
        { when: { user: 'go' }, times: 1, reply: [{ tool: OUR_EDIT, input, id: 'toolu_0' }] },
        { reply: [{ text: 'Done.' }] },
      ],
    },
    { mcpServers, hooks: hookOptions(() => hooks) },
  )

  expect(await readFile(join(cwd, 'error.txt'), 'utf8')).toContain('The file does not exist.')
  expect(existsSync(join(cwd, 'post-ran'))).toBe(false)
  expect(log.at(-1)).toBe('toolu_0 PostToolUseFailure passed 0: Failed too.')
  expect(run.read).toContain('Failed too.')
})

test('a hook can change the input, decide in JSON, and gets 400 KB whole', async () => {
  const { folder, cwd, hooksFor, mcpServers } = await setup()
  const content = '안'.repeat(135_000)
  const changed = JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { file_path: join(cwd, 'elsewhere.txt'), content: 'changed' },
    },
  })
  const hooks = hooksFor({
    PreToolUse: [
      { matcher: 'Write', hooks: [{ type: 'command', command: `cat > stdin.json; echo '${changed}'` }] },
    ],
  })
  const input = TOOLS.Write(cwd, 'big.txt', content)

  await runDirectly(
    { folder, cwd },
    {
      rules: [
        { when: { user: 'go' }, times: 1, reply: [{ tool: 'Write', input, id: 'toolu_0', chunk: 50_000 }] },
        { reply: [{ text: 'Done.' }] },
      ],
    },
    { mcpServers, hooks: hookOptions(() => hooks) },
  )

  const event: unknown = JSON.parse(await readFile(join(cwd, 'stdin.json'), 'utf8'))
  expect(event).toMatchObject({ hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: input })
  expect(existsSync(join(cwd, 'big.txt'))).toBe(false)
  expect(await readFile(join(cwd, 'elsewhere.txt'), 'utf8')).toBe('changed')
})
