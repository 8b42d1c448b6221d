import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { lifeOf } from '../../../test/support/life.js'
import { createTestRuntime, type TestRuntimeOptions } from '../../../test/support/test-runtime.js'
import { defineTool } from '../../tool/tool.js'

/** A session whose process waits for what the test does in the name of the CLI. */
async function setup(options: TestRuntimeOptions = {}) {
  const runtime = await createTestRuntime(options)
  const { id } = await runtime.createSession('hello')
  await expect.poll(() => runtime.claudes.started[0]?.received.length).toBe(1)
  const claude = runtime.claudes.started[0]
  if (!claude) throw new Error('no process')
  const [message] = claude.received
  if (message) claude.begin(message)
  await expect.poll(async () => (await runtime.hub.session(id)).turn).not.toBeNull()
  const signal = new AbortController().signal
  const before = (input: Record<string, unknown>, name = 'Write', toolUseId = 'toolu_1') =>
    claude.callbacks.preToolUse(
      {
        toolUseId,
        name,
        input,
        event: {
          hook_event_name: 'PreToolUse',
          tool_name: name,
          tool_input: input,
          tool_use_id: toolUseId,
          cwd: runtime.cwd,
        },
      },
      signal,
    )
  const tell = (event: 'PostToolUse' | 'UserPromptSubmit', more: Record<string, unknown> = {}) =>
    claude.callbacks.hook(
      event,
      { hook_event_name: event, cwd: runtime.cwd, session_id: 'c1', ...more },
      signal,
    )
  const life = async () => {
    await runtime.journal.append(id, [{ type: 'session.changed', data: {} }])
    return lifeOf(await runtime.events(id))
  }
  return { ...runtime, id, claude, before, tell, life, signal }
}

const command = (text: string) => [{ hooks: [{ type: 'command' as const, command: text }] }]

test('without hooks the CLI is asked for nothing but the gate and the ends of tasks and commands', async () => {
  const { claude } = await setup()
  expect(claude.launch.hooks).toEqual([
    { event: 'PostToolUse', matcher: 'Bash|Edit|Write|MultiEdit|NotebookEdit|mcp__.*', timeoutMs: 0 },
    { event: 'PostToolUseFailure', matcher: 'Bash|Edit|Write|MultiEdit|NotebookEdit|mcp__.*', timeoutMs: 0 },
  ])
})

test('a call that a hook blocks is not judged by the policy, does not run, and says who blocked it', async () => {
  const { before, life } = await setup({ hooks: { PreToolUse: command('echo no >&2; exit 2') } })

  expect(await before({ file_path: 'a' })).toMatchObject({ decision: 'deny', reason: 'no' })

  expect(await life()).toEqual([
    'tool.requested Write',
    'hook.started PreToolUse',
    'hook.ended PreToolUse blocked: no',
  ])
})

test('what a hook makes of the input is what the policy judges and what runs; the log keeps both', async () => {
  const { before, cwd, events, id, life } = await setup({
    hooks: {
      PreToolUse: command(
        `echo '${JSON.stringify({ hookSpecificOutput: { updatedInput: { file_path: 'inside.txt' } } })}'`,
      ),
    },
  })

  const decision = await before({ file_path: '/etc/passwd' }, 'Read')

  expect(decision).toMatchObject({
    decision: 'allow',
    hooked: { updatedInput: { file_path: 'inside.txt' } },
  })
  expect(await life()).toContain('tool.started by policy: autoAllow read-only')
  const log = await events(id)
  expect(log.find((event) => event.type === 'tool.requested')?.data.input).toEqual({
    file_path: '/etc/passwd',
  })
  expect(log.find((event) => event.type === 'tool.started')?.data.input).toEqual({ file_path: 'inside.txt' })
  expect(existsSync(join(cwd, 'inside.txt'))).toBe(false)
})

test('a tool counts for as long as it ran, not for as long as its hooks did', async () => {
  const { before, tell, claude, events, id } = await setup({ hooks: { PostToolUse: command('true') } })
  await before({ file_path: 'a' }, 'Read')
  await tell('PostToolUse', { tool_name: 'Read', tool_use_id: 'toolu_1', duration_ms: 7 })

  claude.say({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] },
  })

  await expect
    .poll(async () => (await events(id)).find((event) => event.type === 'tool.ended')?.data)
    .toMatchObject({ outcome: 'completed', durationMs: 7 })
})

test('the start of a session is told once, with its first prompt, and its end when the process ends', async () => {
  const { tell, cwd, hub, id, claude } = await setup({
    hooks: { SessionStart: command('cat >> told; echo hi'), SessionEnd: command('cat >> told') },
  })
  expect(claude.launch.hooks.map(({ event }) => event)).toEqual([
    'SessionStart',
    'SessionEnd',
    'PostToolUse',
    'PostToolUseFailure',
    'UserPromptSubmit',
  ])

  expect(await tell('UserPromptSubmit')).toMatchObject({ hookSpecificOutput: { additionalContext: 'hi' } })
  expect(await tell('UserPromptSubmit')).toEqual({})
  await hub.stop(id, undefined, { who: 'kim', via: 'api' })

  const told = (await readFile(join(cwd, 'told'), 'utf8')).trim().split('\n')
  expect(told.map((line): unknown => JSON.parse(line))).toEqual([
    { session_id: 'c1', cwd, hook_event_name: 'SessionStart', source: 'startup' },
    { session_id: 'c1', cwd, hook_event_name: 'SessionEnd', reason: 'other' },
  ])
})

test('a hook that still runs when the session ends is ended with it, and that is told', async () => {
  const { before, hub, id, life, cwd } = await setup({
    hooks: { PreToolUse: command('touch running; sleep 300') },
  })
  const decision = before({ file_path: 'a' })
  await expect.poll(() => existsSync(join(cwd, 'running'))).toBe(true)

  await hub.stop(id, undefined, { who: 'kim', via: 'api' })

  await decision
  expect((await life()).slice(0, 3)).toEqual([
    'tool.requested Write',
    'hook.started PreToolUse',
    'hook.ended PreToolUse broken: The hook is broken: it was interrupted.',
  ])
})

test('a tool of ours tells its progress and its completion; the turn ends behind the call that completes', async () => {
  const talker = defineTool({
    name: 'talker',
    description: 'Talks',
    input: z.object({}),
    async run(_, { progress, complete }) {
      progress('half')
      await complete({ result: 'All is well.', success: true })
      return 'told'
    },
  })
  const { claude, tell, life, hub, id, signal } = await setup({ tools: [talker] })
  expect(claude.launch.tools.map(({ name }) => name)).toContain('talker')

  const result = await claude.callbacks.callTool({ name: 'talker', args: {}, toolUseId: 'toolu_1', signal })

  expect(result).toEqual({ content: [{ type: 'text', text: 'told' }], isError: false })
  expect(await life()).toEqual(['tool.progressed: half', 'completion.recorded'])
  expect((await hub.session(id)).completion).toEqual({ result: 'All is well.', success: true })
  expect(await tell('PostToolUse', { tool_use_id: 'toolu_2' })).toEqual({})
  expect(await tell('PostToolUse', { tool_use_id: 'toolu_1' })).toEqual({
    continue: false,
    stopReason: 'The task has ended.',
  })
})

test('a hook whose end nobody has told has one all the same: after a crash of the CLI, and of the daemon', async () => {
  const { claude, life, id, events, store } = await setup()
  const started = (hook_id: string) => ({
    type: 'system',
    subtype: 'hook_started',
    hook_id,
    hook_name: 'SessionStart:startup',
    hook_event: 'SessionStart',
  })
  claude.say(started('h1'))
  await expect.poll(life).toContain('hook.started SessionStart')

  const after = await createTestRuntime({ store })
  expect(lifeOf(await after.events(id)).at(-1)).toBe(
    'hook.ended SessionStart broken: Signalbox was stopped while it ran.',
  )

  claude.say(started('h2'))
  claude.crash()
  await expect
    .poll(async () => lifeOf(await events(id)).at(-1))
    .toBe('hook.ended SessionStart broken: The session ended while it ran.')
})

test('a process of the reserve is used only by a session with the same tools and hooks', async () => {
  const runtime = await createTestRuntime({
    limits: { warm: 1 },
    agents: { clerk: { tools: ['Read', 'datetime'] }, reader: { tools: ['Read', 'file_reader'] } },
  })
  const toolsOf = (index: number) => runtime.claudes.started[index]?.launch.tools.map(({ name }) => name)
  const spares = () => {
    runtime.clock.advance(1_500)
    return runtime.claudes.spares.length
  }
  await runtime.createSession('one', { agent: 'clerk' })
  await expect.poll(spares).toBe(1)
  await runtime.createSession('two', { agent: 'reader' })
  await expect.poll(() => toolsOf(1)).toEqual(['file_reader'])
  expect(runtime.claudes.started[1]?.launch.options.tools).toEqual(['Read'])
  await expect.poll(spares).toBe(2)

  await runtime.createSession('three', { agent: 'reader' })

  await expect.poll(() => runtime.claudes.started[2]).toBe(runtime.claudes.spares[1])
  expect(toolsOf(2)).toEqual(['file_reader'])
})
