/** Programs written against `ClaudeCodeBuilder`: unified messages in, unified events out, with the real CLI. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  type BuilderConfig,
  ClaudeCodeBuilder,
  defineTool,
  ToolRegistry,
  type UnifiedEvent,
} from '../../src/index.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import { makePlace, processesOf } from '../support/daemon-process.js'

const QUESTION = {
  questions: [
    {
      question: 'Which one?',
      header: 'Choice',
      multiSelect: false,
      options: [
        { label: 'Option A', description: 'the first' },
        { label: 'Option B', description: 'the second' },
      ],
    },
  ],
}

const script = (cwd: string): ScriptInput => ({
  defaults: { usage: { input_tokens: 100, output_tokens: 20 } },
  rules: [
    {
      when: { user: 'write' },
      reply: [
        { text: 'I will write it.' },
        { tool: 'Write', input: { file_path: join(cwd, 'hello.txt'), content: 'hello' } },
      ],
    },
    { when: { toolResult: 'Write', isError: true }, reply: [{ text: 'Then not: {{toolResult}}' }] },
    { when: { toolResult: 'Write' }, reply: [{ text: 'Done.' }] },
    {
      when: { user: '/weather in (\\w+)/' },
      reply: [{ tool: 'mcp__signalbox__weather', input: { city: '{{match.1}}' } }],
    },
    { when: { toolResult: 'mcp__signalbox__weather' }, reply: [{ text: 'It says: {{toolResult}}' }] },
    { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: QUESTION }] },
    { when: { toolResult: 'AskUserQuestion' }, reply: [{ text: 'Answer: {{toolResult}}' }] },
    { when: { user: 'time' }, reply: [{ tool: 'mcp__signalbox__datetime', input: { format: 'YYYY' } }] },
    { when: { toolResult: 'mcp__signalbox__datetime' }, reply: [{ text: 'It is {{toolResult}}' }] },
    {
      when: { user: 'talk, then write' },
      reply: [
        { text: 'word '.repeat(60), delayMs: 20 },
        { tool: 'Write', input: { file_path: join(cwd, 'hello.txt'), content: 'hello' } },
      ],
    },
    { when: { user: 'history' }, reply: [{ text: 'Before: {{history}}' }] },
    { when: { user: 'slow' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
})

async function start(more: BuilderConfig = {}) {
  const place = await makePlace(script)
  const config: BuilderConfig = {
    home: place.home,
    scripted: place.scriptFile,
    env: place.env,
    cwd: place.cwd,
    ...more,
  }
  const builder = new ClaudeCodeBuilder(config)
  onTestFinished(() => builder.cleanup())
  const broadcast: UnifiedEvent[] = []
  const run = { queue: { broadcast: (event: UnifiedEvent) => broadcast.push(event) } }
  /** Runs to the end; `onEvent` may answer in between. */
  const say = async (
    text: string,
    also: BuilderConfig = {},
    onEvent: (event: UnifiedEvent) => void = () => {},
  ) => {
    const events: UnifiedEvent[] = []
    const messages = [{ role: 'user', content: [{ type: 'text', text }] }]
    for await (const event of builder.stream(messages, [], also, run)) {
      events.push(event)
      onEvent(event)
    }
    return events
  }
  return { builder, place, config, broadcast, run, say }
}

const textOf = (events: readonly UnifiedEvent[]) =>
  events.map((event) => (event.type === 'text_delta' ? event.payload.text : '')).join('')

test('the two programs of the document, as they stand there', async () => {
  const { builder, config, run, place } = await start()
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'write a file' }] }]
  const tools: unknown[] = []
  const seen: string[] = []
  // The other end of a WebSocket: it gets the request, and sends back the user's answer.
  const sockets = new Set<
    (message: { type: string; requestId: string; decision: 'allow'; updatedInput?: undefined }) => void
  >()
  sockets.add((message) => {
    if (message.type === 'permission_response') {
      builder.handlePermissionResponse(
        message.requestId,
        message.decision, // 'allow' or 'deny'
        message.updatedInput,
      )
    }
  })
  run.queue.broadcast = (event) => {
    if (event.type === 'permission_request')
      for (const receive of sockets)
        receive({ type: 'permission_response', requestId: event.requestId, decision: 'allow' })
    return 0
  }

  for await (const event of builder.stream(messages, tools, config, run)) {
    seen.push(event.type)
  }
  await builder.cleanup()

  expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('hello')
  expect(seen.filter((type) => type !== 'text_delta' && type !== 'tool_input_delta')).toEqual([
    'message_start',
    'content_block_stop',
    'content_block_stop',
    'tool_start',
    'message_stop',
    'permission_request',
    'tool_result',
    'message_start',
    'content_block_stop',
    'message_stop',
    'run_complete',
  ])
  expect(processesOf(place.home)).toEqual([])
})

test('shapes: a permission, an edited input, tools for the watchers, a run with its cost', async () => {
  const { builder, broadcast, place, say } = await start()
  const events = await say('write a file', {}, (event) => {
    if (event.type !== 'permission_request') return
    expect(event).toEqual({
      type: 'permission_request',
      requestId: expect.stringMatching(/^per_/),
      toolName: 'Write',
      toolInput: { file_path: join(place.cwd, 'hello.txt'), content: 'hello' },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    builder.handlePermissionResponse(event.requestId, 'allow', {
      file_path: join(place.cwd, 'hello.txt'),
      content: 'edited',
    })
  })
  expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('edited')
  expect(textOf(events)).toBe('I will write it.Done.')
  expect(broadcast.map(({ type }) => type)).toEqual(['tool_start', 'permission_request', 'tool_result'])
  expect(broadcast[0]).toEqual({
    type: 'tool_start',
    payload: {
      id: expect.stringMatching(/^toolu_/),
      name: 'Write',
      input: { file_path: join(place.cwd, 'hello.txt'), content: 'hello' },
    },
  })
  expect(events.at(-1)).toEqual({
    type: 'run_complete',
    payload: {
      success: true,
      duration_ms: expect.any(Number),
      num_turns: 2,
      total_cost_usd: expect.closeTo(0.0012, 3),
      usage: {
        input_tokens: 200,
        output_tokens: 40,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  })
})

test('tools of the program are called like any other, and their failures are told', async () => {
  const { builder, config } = await start({
    options: { allowedTools: ['mcp__signalbox__weather'] },
  })
  const registry = new ToolRegistry([
    defineTool({
      name: 'weather',
      description: 'The weather of a city',
      input: z.object({ city: z.string() }),
      annotations: { readOnlyHint: true },
      run({ city }) {
        if (city === 'Atlantis') throw new Error('There is no such city')
        return { city, degrees: 21 }
      },
    }),
  ])
  const say = async (text: string) => {
    const events: UnifiedEvent[] = []
    const messages = [{ role: 'user', content: text }]
    for await (const event of builder.stream(messages, registry, config)) {
      if (event.type === 'permission_request') builder.handlePermissionResponse(event.requestId, 'allow')
      events.push(event)
    }
    return textOf(events)
  }
  expect(await say('weather in Seoul')).toMatch(/It says: .*21/s)
  expect(await say('weather in Atlantis')).toContain('There is no such city')
})

test('a flat rate costs nothing', async () => {
  const { say } = await start({ billing: 'subscription' })
  expect((await say('hello')).at(-1)).toMatchObject({ payload: { success: true, total_cost_usd: 0 } })
})

test('phases go on with the conversation in their own mode and with their own limit', async () => {
  const { say, builder } = await start({ phase: 'execution' })
  await say('remember this')
  // With edits accepted there is no prompt.
  const last = await say('write a file', { phase: 'finalization', continue: true, maxLoopCount: 1 })
  expect(last.some(({ type }) => type === 'permission_request')).toBe(false)
  expect(last.at(-1)).toMatchObject({ type: 'run_complete', payload: { success: false } })
  await builder.cleanup()
})

test('a permission that nobody answers is denied when its time has passed, and the run goes on', async () => {
  const { say } = await start({ permissionTimeoutMs: 300 })
  const events = await say('write a file')
  expect(textOf(events)).toContain('Permission request timeout (0.3s)')
  expect(events.at(-1)).toMatchObject({ type: 'run_complete', payload: { success: true } })
})

test('an abort is an error event; what was said before it stays', async () => {
  const { builder, say } = await start()
  const events = await say('slow', {}, (event) => {
    if (event.type === 'text_delta') builder.abortController?.abort()
  })
  expect(textOf(events)).toContain('word')
  expect(events.at(-1)).toEqual({ type: 'error', payload: { message: 'Query aborted by user' } })
  expect(textOf(await say('next'))).toBe('You said: next')
})

test('cleanup denies what waits and leaves no process', async () => {
  const { builder, place, say } = await start()
  const events = await say('write a file', {}, (event) => {
    if (event.type === 'permission_request') void builder.cleanup()
  })
  expect(events.at(-1)).toEqual({ type: 'error', payload: { message: 'Query aborted by user' } })
  await builder.cleanup()
  expect(processesOf(place.home)).toEqual([])
  await expect(readFile(join(place.cwd, 'hello.txt'))).rejects.toThrow()
})

const whoami = (who: string) =>
  defineTool({
    name: 'weather',
    description: 'Says who asked',
    input: z.object({ city: z.string() }),
    run: () => who,
  })

test('tools belong to their run: another run, another builder and a run without tools do not have them', async () => {
  const { builder, config } = await start()
  const other = new ClaudeCodeBuilder(config)
  onTestFinished(() => other.cleanup())
  const ask = async (from: ClaudeCodeBuilder, tools: unknown) => {
    const events: UnifiedEvent[] = []
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'weather in Seoul' }] }]
    for await (const event of from.stream(messages, tools, {}, {})) {
      events.push(event)
      if (event.type === 'permission_request') from.handlePermissionResponse(event.requestId, 'allow')
    }
    return textOf(events)
  }

  expect(await ask(builder, [whoami('alice')])).toContain('alice')
  expect(await ask(builder, [whoami('bob')])).toContain('bob')
  expect(await ask(other, [whoami('carol')])).toContain('carol')
  expect(await ask(other, [])).not.toMatch(/alice|bob|carol/)
})

test('tools in the shape of the SDK and with an executor are taken; what is no tool is refused aloud', async () => {
  const { builder } = await start()
  const run = { session: 'the session', context: { room: 4 } }
  const ask = async (tools: unknown) => {
    const events: UnifiedEvent[] = []
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'weather in Seoul' }] }]
    for await (const event of builder.stream(messages, tools, {}, run)) {
      events.push(event)
      if (event.type === 'permission_request') builder.handlePermissionResponse(event.requestId, 'allow')
    }
    return textOf(events)
  }
  const sdk = {
    name: 'weather',
    description: 'As the SDK has it',
    inputSchema: { city: z.string() },
    handler: async ({ city }: { city: string }) => ({ content: [{ type: 'text', text: `sdk ${city}` }] }),
  }
  const executed = new Map([
    [
      'weather',
      {
        definition: { description: 'As the document has it' },
        schema: z.object({ city: z.string() }),
        executor: async ({ city }: { city: string }, session: string, context: unknown) =>
          city === 'Seoul' ? `${session} ${JSON.stringify(context)}` : { isError: true, error: 'nowhere' },
      },
    ],
  ])

  expect(await ask([sdk])).toContain('sdk Seoul')
  expect(await ask(executed)).toContain('the session {"room":4}')
  await expect(ask([{ name: 'weather', description: 'nothing to call' }])).rejects.toMatchObject({
    code: 'config_invalid',
  })
})

test('a builder that is cleaned up and not waited for can be made again at once, ten times', async () => {
  const { config, builder } = await start()
  void builder.cleanup()
  for (let round = 0; round < 10; round += 1) {
    const next = new ClaudeCodeBuilder(config)
    const events: UnifiedEvent[] = []
    for await (const event of next.stream([{ role: 'user', content: `round ${round}` }])) events.push(event)
    expect(textOf(events)).toBe(`You said: round ${round}`)
    void next.cleanup()
  }
})

test('two builders with options of their own live beside each other; in one home that is refused aloud', async () => {
  const { place, builder, config } = await start()
  const { home: _, ...rest } = config
  const own = { ...rest, env: { ...place.env, SIGNALBOX_HOME: join(place.folder, 'shared') } }
  const patient = new ClaudeCodeBuilder({ ...own, permissionTimeoutMs: 60_000 })
  const quick = new ClaudeCodeBuilder({ ...own, permissionTimeoutMs: 300 })
  onTestFinished(async () => void (await Promise.all([patient.cleanup(), quick.cleanup()])))
  const run = async (from: ClaudeCodeBuilder, text: string) => {
    const events: UnifiedEvent[] = []
    for await (const event of from.stream([{ role: 'user', content: text }])) events.push(event)
    return textOf(events)
  }

  expect(await run(patient, 'hello')).toBe('You said: hello')
  expect(await run(quick, 'write a file')).toContain('Then not')
  await run(builder, 'hello')
  const clash = new ClaudeCodeBuilder({ ...config, config: { autoAllowTools: ['Write'] } })
  onTestFinished(() => clash.cleanup())
  await expect(run(clash, 'hello')).rejects.toMatchObject({ code: 'config_invalid' })
  await builder.cleanup()
  expect(await run(clash, 'write a file')).toContain('Done.')
})

test('cleanup with an open permission always ends the run, and the model is not asked again', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { builder, say } = await start()
    const events = await say('write a file', {}, (event) => {
      if (event.type === 'permission_request') void builder.cleanup()
    })
    expect(events.at(-1)).toEqual({ type: 'error', payload: { message: 'Query aborted by user' } })
    expect(textOf(events)).toBe('I will write it.')
    expect(events.flatMap((event) => (event.type === 'tool_result' ? [event.payload.result] : []))).toEqual([
      'Provider cleanup',
    ])
  }
})

test('a question is an event that can be answered, by an option or for each question, and declined', async () => {
  const { builder, broadcast, say } = await start()
  const answer = async (given: Parameters<ClaudeCodeBuilder['handleQuestionResponse']>[1]) => {
    const events = await say('ask me', {}, (event) => {
      if (event.type === 'question_request') builder.handleQuestionResponse(event.requestId, given)
    })
    expect(events.at(-1)).toMatchObject({ type: 'run_complete', payload: { success: true } })
    return textOf(events)
  }

  expect(await answer('Option B')).toContain('Option B')
  expect(await answer({ 'Which one?': 'Option A' })).toContain('Option A')
  expect(await answer(null)).toContain('User declined to answer')
  expect(broadcast.find(({ type }) => type === 'question_request')).toEqual({
    type: 'question_request',
    requestId: expect.stringMatching(/^que_/),
    questions: QUESTION.questions,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
})

test('a question that is not answered does not hold the run for ever', async () => {
  const { builder, say } = await start({ permissionTimeoutMs: 300 })
  expect(textOf(await say('ask me'))).toContain('Question timeout (0.3s)')
  expect(textOf(await say('ask me', { questionTimeoutMs: 200 }))).toContain('Question timeout (0.2s)')
  const cleaned = await say('ask me', { questionTimeoutMs: 60_000 }, (event) => {
    if (event.type === 'question_request') void builder.cleanup()
  })
  expect(cleaned.at(-1)).toEqual({ type: 'error', payload: { message: 'Query aborted by user' } })
})

test('an executor of the program runs in place of the built-in tool of its name, and is asked', async () => {
  const { builder, say } = await start()
  const calls: unknown[] = []
  const registry = new Map([
    [
      'datetime',
      {
        definition: { description: 'The time of the program' },
        executor: (args: unknown, session: unknown) => {
          calls.push([args, session])
          return { content: 'their time' }
        },
      },
    ],
  ])
  const events: UnifiedEvent[] = []
  const messages = [{ role: 'user', content: 'what time is it' }]
  for await (const event of builder.stream(messages, registry, {}, { session: 'theirs' })) {
    events.push(event)
    if (event.type === 'permission_request') builder.handlePermissionResponse(event.requestId, 'allow')
  }
  expect(textOf(events)).toBe('It is their time')
  expect(calls).toEqual([[{ format: 'YYYY' }, 'theirs']])
  expect(events.filter(({ type }) => type === 'permission_request')).toHaveLength(1)
  // The next run, without the tool, has the built-in one.
  expect(textOf(await say('what time is it'))).toMatch(/It is \d{4}/)
})

test('the options of a later run are used: timeouts, tools and the configuration of a named home', async () => {
  const { builder, say, place } = await start({ tools: [whoami('everybody')] })
  await say('hello')
  expect(textOf(await say('write a file', { permissionTimeoutMs: 300 }))).toContain(
    'Permission request timeout (0.3s)',
  )
  const allow = (event: UnifiedEvent) => {
    if (event.type === 'permission_request') builder.handlePermissionResponse(event.requestId, 'allow')
  }
  expect(textOf(await say('weather in Seoul', {}, allow))).toContain('everybody')
  expect(textOf(await say('weather in Seoul', { tools: [whoami('one run')] }, allow))).toContain('one run')

  const written = await say('write a file', { config: { autoAllowTools: ['Write'] } })
  expect(written.some(({ type }) => type === 'permission_request')).toBe(false)
  expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('hello')
})

test('a tool without a schema is left out with a warning, and the others work', async () => {
  const faults: unknown[] = []
  const { builder } = await start({ onFault: (error) => faults.push(error) })
  const tools = new Map<string, unknown>([
    ['plain', { definition: { parameters: { type: 'object' } }, executor: () => 1 }],
    ['weather', whoami('published')],
  ])
  const events: UnifiedEvent[] = []
  for await (const event of builder.stream([{ role: 'user', content: 'weather in Seoul' }], tools)) {
    events.push(event)
    if (event.type === 'permission_request') builder.handlePermissionResponse(event.requestId, 'allow')
  }
  expect(textOf(events)).toContain('published')
  expect(faults.map(String)).toEqual([expect.stringContaining('The tool plain has no schema')])
})

describe('a reader that leaves the loop', () => {
  test('stops the run: nothing is done behind its back', async () => {
    const { builder, place, say } = await start({ phase: 'finalization' })
    for await (const event of builder.stream([{ role: 'user', content: 'talk, then write' }]))
      if (event.type === 'text_delta') break
    // The next run is a turn of its own, behind what was stopped.
    expect(textOf(await say('next'))).toBe('You said: next')
    await expect(readFile(join(place.cwd, 'hello.txt'))).rejects.toThrow()
  })

  test('denies what waits: an answer that comes later changes nothing', async () => {
    const { builder, place, say } = await start()
    for await (const event of builder.stream([{ role: 'user', content: 'write a file' }])) {
      if (event.type !== 'permission_request') continue
      setTimeout(() => builder.handlePermissionResponse(event.requestId, 'allow'), 100)
      break
    }
    expect(textOf(await say('next'))).toBe('You said: next')
    await expect(readFile(join(place.cwd, 'hello.txt'))).rejects.toThrow()
  })
})

test('continue in a new builder resumes the newest conversation of the folder; without one it begins afresh', async () => {
  const { builder, config, say } = await start({ phase: 'preparation' })
  expect(textOf(await say('first', { continue: true }))).toBe('You said: first')
  await say('the plan is XYZZY', { continue: true })
  await builder.cleanup()

  const next = new ClaudeCodeBuilder({ ...config, phase: 'execution', continue: true })
  onTestFinished(() => next.cleanup())
  const events: UnifiedEvent[] = []
  for await (const event of next.stream([{ role: 'user', content: 'history' }])) events.push(event)
  expect(textOf(events)).toContain('XYZZY')
  expect(events[0]).toEqual({ type: 'message_start', payload: {} })
})

test('an MCP server that does not start is an error with its name, and the run goes on', async () => {
  const { say, place } = await start()
  const events = await say('hello', {
    options: { mcpServers: { gone: { command: join(place.cwd, 'no-such-server') } } },
  })
  expect(events.filter(({ type }) => type === 'error')).toEqual([
    {
      type: 'error',
      payload: { message: expect.stringMatching(/^MCP server gone did not start: .*ENOENT/) },
    },
  ])
  expect(events.at(-1)).toMatchObject({ type: 'run_complete', payload: { success: true } })
})
