/** A program written against `ClaudeManager`: its methods and events, with the real CLI. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ClaudeManager, type ClaudeManagerOptions, type ManagerEvent } from '../../src/index.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import { MAIN, makePlace, type Place, processesOf } from '../support/daemon-process.js'

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
    {
      when: { user: 'env' },
      reply: [{ tool: 'Write', input: { file_path: join(cwd, '.env'), content: 'A=1' } }],
    },
    { when: { toolResult: 'Write', isError: true }, reply: [{ text: 'Then not: {{toolResult}}' }] },
    { when: { toolResult: 'Write' }, reply: [{ text: 'Done.' }] },
    { when: { user: 'read' }, reply: [{ tool: 'Read', input: { file_path: join(cwd, 'notes.txt') } }] },
    { when: { toolResult: 'Read' }, reply: [{ text: 'Read.' }] },
    { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: QUESTION }] },
    { when: { toolResult: 'AskUserQuestion' }, reply: [{ text: 'Chosen: {{toolResult}}' }] },
    { when: { user: 'slow' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
    { when: { user: 'fail' }, reply: [{ error: 400 }] },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
})

async function start(more: ClaudeManagerOptions = {}) {
  const place = await makePlace(script)
  await writeFile(join(place.cwd, 'notes.txt'), 'a note\n')
  const events: ManagerEvent[] = []
  const listeners = new Set<(event: ManagerEvent) => void>()
  const claudeManager = new ClaudeManager(
    (_conversation, event) => {
      events.push(event)
      for (const listener of listeners) listener(event)
    },
    { home: place.home, scripted: place.scriptFile, env: place.env, ...more },
  )
  onTestFinished(() => claudeManager.close())
  /** The next event of a type. */
  const next = <Type extends ManagerEvent['type']>(type: Type) =>
    new Promise<ManagerEvent & { type: Type }>((resolve) => {
      const listener = (event: ManagerEvent) => {
        if (event.type !== type) return
        listeners.delete(listener)
        resolve(event as ManagerEvent & { type: Type })
      }
      listeners.add(listener)
    })
  const send = (message: string, claudeSessionId?: string) =>
    claudeManager.sendMessage('conversation-1', message, {
      workingDir: place.cwd,
      ...(claudeSessionId !== undefined && { claudeSessionId }),
    })
  return { claudeManager, events, place, next, send }
}

/** Events in short; what the CLI may do once or more often is left out. */
const brief = (events: readonly ManagerEvent[]) =>
  events
    .filter(({ type }) => type !== 'stateUpdate' && type !== 'text')
    .map((event) => (event.type === 'state' ? `state ${event.state}` : event.type))

test('a message with a permission: every event of the document, in its shape and order', async () => {
  const { claudeManager, events, place, next, send } = await start()
  const asked = next('permission_request')
  const sent = send('write a file')
  const request = await asked
  expect(request).toEqual({
    type: 'permission_request',
    toolName: 'Write',
    toolInput: { file_path: join(place.cwd, 'hello.txt'), content: 'hello' },
    toolUseId: expect.stringMatching(/^toolu_/),
  })
  const run = claudeManager.sessions.get('conversation-1')
  expect(run).toMatchObject({ state: { type: 'tool' }, partialText: '' })
  expect([...(run?.pendingTools ?? [])]).toEqual([[request.toolUseId, 'Write']])
  expect(claudeManager.pendingEvents.get('conversation-1')).toEqual(request)
  expect([...claudeManager.pendingPermissions.keys()]).toEqual([request.toolUseId])

  // Tokens are known while the turn runs: those of the message that asks.
  const perMessage = {
    inputTokens: 100,
    outputTokens: 20,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
  }
  await expect.poll(() => run?.usage).toEqual(perMessage)
  await expect.poll(async () => (await run?.query?.snapshot())?.usage).toEqual(perMessage)
  claudeManager.respondPermission('conversation-1', request.toolUseId, 'allow')
  await sent
  expect(run?.usage).toMatchObject({ inputTokens: 200, outputTokens: 40 })
  expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('hello')
  expect(brief(events)).toEqual([
    'state working',
    'init',
    'textComplete',
    'toolInfo',
    'permission_request',
    'state permission',
    'state working',
    'toolComplete',
    'textComplete',
    'result',
    'state idle',
  ])
  expect(events).toContainEqual({
    type: 'init',
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    model: expect.any(String),
    tools: expect.arrayContaining(['Write']),
  })
  expect(events).toContainEqual({
    type: 'stateUpdate',
    state: { type: 'responding' },
    partialText: expect.any(String),
  })
  expect(events).toContainEqual({ type: 'textComplete', text: 'I will write it.' })
  expect(
    events
      .filter(({ type }) => type === 'text')
      .map((event) => 'content' in event && event.content)
      .join(''),
  ).toBe('I will write it.Done.')
  expect(events).toContainEqual({
    type: 'toolInfo',
    toolName: 'Write',
    input: { file_path: join(place.cwd, 'hello.txt'), content: 'hello' },
  })
  expect(events).toContainEqual({
    type: 'toolComplete',
    toolName: 'Write',
    success: true,
    result: expect.stringMatching(/^File created successfully/),
  })
  expect(events).toContainEqual({
    type: 'result',
    subtype: 'end_turn',
    duration_ms: expect.any(Number),
    total_cost_usd: expect.any(Number),
    num_turns: 2,
    usage: { inputTokens: 200, outputTokens: 40, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  })
  // Afterwards nothing of the run is left.
  expect(claudeManager.sessions.size + claudeManager.pendingPermissions.size).toBe(0)
  expect(claudeManager.pendingEvents.size).toBe(0)
})

test('a denial says "User denied"; a question is answered by an option', async () => {
  const { claudeManager, events, next, send } = await start()
  const asked = next('permission_request')
  const sent = send('write a file')
  claudeManager.respondPermission('conversation-1', (await asked).toolUseId, 'deny')
  await sent
  expect(events).toContainEqual({
    type: 'textComplete',
    text: expect.stringMatching(/^Then not: .*User denied/),
  })
  expect(events).toContainEqual(expect.objectContaining({ type: 'toolComplete', success: false }))

  const question = next('askQuestion')
  const again = send('ask me')
  const { questions, toolUseId } = await question
  expect(questions).toEqual(QUESTION.questions)
  expect([...claudeManager.pendingQuestions.keys()]).toEqual([toolUseId])
  claudeManager.respondQuestion('conversation-1', toolUseId, 'Option A')
  await again
  expect(events).toContainEqual({ type: 'textComplete', text: expect.stringContaining('Option A') })
})

test('claudeSessionId goes on with the conversation and says init again; without it a new one begins', async () => {
  const { events, send } = await start()
  await send('one')
  const [first] = events.filter((event) => event.type === 'init')
  await send('two', first?.session_id)
  await send('three')
  const inits = events.filter((event) => event.type === 'init').map((event) => event.session_id)
  expect(inits).toHaveLength(3)
  expect(inits[1]).toBe(inits[0])
  expect(inits[2]).not.toBe(inits[0])
})

test('stop returns at once, denies what waits and leaves no turn behind; the next message is a turn of its own', async () => {
  const { claudeManager, events, next, send, place } = await start()
  const asked = next('permission_request')
  const stopped = send('write a file')
  await asked
  const { claudeSessionId } = claudeManager.sessions.get('conversation-1') ?? {}
  claudeManager.stop('conversation-1')
  expect(events.at(-1)).toEqual({ type: 'state', state: 'idle' })
  expect(claudeManager.sessions.size + claudeManager.pendingPermissions.size).toBe(0)
  const told = events.length
  await stopped
  await send('two', claudeSessionId ?? '')
  expect(brief(events.slice(told))).toEqual(['state working', 'init', 'textComplete', 'result', 'state idle'])
  await expect(readFile(join(place.cwd, 'hello.txt'))).rejects.toThrow()
})

test('newSession ends what runs and forgets what was told; the next message begins afresh', async () => {
  const { claudeManager, events, next, send } = await start()
  const asked = next('permission_request')
  const ended = send('write a file')
  await asked
  claudeManager.newSession('conversation-1')
  expect(events.at(-1)).toEqual({ type: 'state', state: 'idle' })
  expect(claudeManager.sessions.size + claudeManager.pendingPermissions.size).toBe(0)
  expect(claudeManager.pendingEvents.has('conversation-1')).toBe(false)
  await ended

  await send('two')
  const inits = events.filter((event) => event.type === 'init').map((event) => event.session_id)
  expect(new Set(inits).size).toBe(2)
  expect(events).toContainEqual({ type: 'textComplete', text: 'You said: two' })
})

test('a message to a running session stops it first', async () => {
  const { events, next, send } = await start()
  const writing = next('text')
  const first = send('slow')
  await writing
  const told = events.length
  const second = send('two')
  await Promise.all([first, second])
  expect(brief(events.slice(told))).toEqual([
    'state idle',
    'state working',
    'init',
    'textComplete',
    'result',
    'state idle',
  ])
})

test('reading is allowed and a protected file is denied without asking anybody', async () => {
  const { events, send, place } = await start()
  await send('read the notes')
  await send('env')
  expect(events.filter(({ type }) => type === 'permission_request')).toEqual([])
  // The text that the model got, not the tool's data; the reason of the policy, not the CLI's words around it.
  const [read, write] = events.filter((event) => event.type === 'toolComplete')
  expect(read).toEqual({
    type: 'toolComplete',
    toolName: 'Read',
    success: true,
    result: expect.stringMatching(/^\s*1\s+a note/),
  })
  expect(write).toEqual({
    type: 'toolComplete',
    toolName: 'Write',
    success: false,
    result: 'Protected file',
    error: 'Protected file',
  })
  expect(events).toContainEqual({ type: 'textComplete', text: expect.stringContaining('Protected file') })
  await expect(readFile(join(place.cwd, '.env'))).rejects.toThrow()
})

test('an MCP server that does not start is an error with its name and reason, once', async () => {
  const { events, place, send } = await start()
  const servers = { mcpServers: { gone: { command: join(place.cwd, 'no-such-server') } } }
  await writeFile(join(place.cwd, '.mcp.json'), JSON.stringify(servers))
  await send('hello')
  expect(events.filter(({ type }) => type === 'error')).toEqual([
    { type: 'error', error: expect.stringMatching(/^MCP server gone did not start: .*ENOENT/) },
  ])
})

test('a failure is told as an error, and the session is idle afterwards', async () => {
  const { claudeManager, events, send } = await start()
  await send('fail')
  expect(brief(events).slice(-3)).toEqual(['error', 'result', 'state idle'])
  await claudeManager.sendMessage('conversation-2', 'hello', { workingDir: '/no/such/folder' })
  expect(events.slice(-3)).toEqual([
    { type: 'state', state: 'working' },
    { type: 'error', error: expect.stringContaining('/no/such/folder') },
    { type: 'state', state: 'idle' },
  ])
})

test('closing it leaves no process', async () => {
  const { claudeManager, place, send } = await start()
  await send('one')
  expect(processesOf(place.home)).not.toEqual([])
  await claudeManager.close()
  expect(processesOf(place.home)).toEqual([])
})

test('a program that has nothing more to do ends by itself', async () => {
  const { place } = await start()
  const program = `
    import { ClaudeManager } from ${JSON.stringify(pathToFileURL(join(dirname(MAIN), '../index.js')).href)}
    const types = []
    const manager = new ClaudeManager((id, event) => types.push(event.type), { config: { parkAfterMs: 1000 } })
    await manager.sendMessage('c', 'hello')
    console.log(types.at(-1))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: place.cwd,
    env: { ...place.env, SIGNALBOX_HOME: join(place.folder, 'other') },
    timeout: 60_000,
  })
  expect(stdout.trim()).toBe('state')
})

const INDEX = JSON.stringify(pathToFileURL(join(dirname(MAIN), '../index.js')).href)

/** A program with a manager that is killed while it waits for an answer to `message`. */
async function killWhileAsked(place: Place, message: string): Promise<void> {
  const options = { home: place.home, scripted: place.scriptFile }
  const program = `
    import { ClaudeManager } from ${INDEX}
    const asks = new Set(['permission_request', 'askQuestion'])
    const manager = new ClaudeManager((id, event) => asks.has(event.type) && console.log(id), ${JSON.stringify(options)})
    await manager.sendMessage('conversation-1', ${JSON.stringify(message)})
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: place.cwd,
    env: place.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  expect(line.toString().trim()).toBe('conversation-1')
  child.kill('SIGKILL')
  await ended
}

describe('after kill -9 of the program', () => {
  async function restart(message: string) {
    const place = await makePlace(script)
    await killWhileAsked(place, message)
    const events: ManagerEvent[] = []
    let settle = () => {}
    const idle = new Promise<void>((resolve) => {
      settle = resolve
    })
    const claudeManager = new ClaudeManager(
      (id, event) => {
        expect(id).toBe('conversation-1')
        events.push(event)
        if (event.type === 'state' && event.state === 'idle') settle()
      },
      { home: place.home, scripted: place.scriptFile, env: place.env },
    )
    onTestFinished(() => claudeManager.close())
    await claudeManager.ready
    return { claudeManager, events, place, idle }
  }

  test('a new manager shows the permission under the id of the caller, and the turn goes on with the answer', async () => {
    const { claudeManager, events, place, idle } = await restart('write a file')
    const [toolUseId = ''] = claudeManager.pendingPermissions.keys()
    const request = claudeManager.pendingEvents.get('conversation-1')
    expect(request).toMatchObject({ type: 'permission_request', toolName: 'Write', toolUseId })
    expect(events).toEqual([request, { type: 'state', state: 'permission' }])
    expect([...claudeManager.sessions.keys()]).toEqual(['conversation-1'])

    claudeManager.respondPermission('conversation-1', toolUseId, 'allow')
    await idle
    expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('hello')
    expect(brief(events)).toEqual(expect.arrayContaining(['toolComplete', 'textComplete', 'result']))
    expect(brief(events).at(-1)).toBe('state idle')
    expect(events).toContainEqual({ type: 'textComplete', text: 'Done.' })
    expect(claudeManager.pendingPermissions.size + claudeManager.pendingEvents.size).toBe(0)
  })

  test('a question is answered the same way', async () => {
    const { claudeManager, events, idle } = await restart('ask me')
    const [toolUseId = ''] = claudeManager.pendingQuestions.keys()
    claudeManager.respondQuestion('conversation-1', toolUseId, 'Option B')
    await idle
    expect(events).toContainEqual({ type: 'textComplete', text: expect.stringContaining('Option B') })
  })

  test('a manager that is closed leaves the request open for the next one; stop denies it', async () => {
    const first = await restart('write a file')
    await first.claudeManager.close()
    const { home, scriptFile, env, cwd } = first.place
    const next = new ClaudeManager(() => {}, { home, scripted: scriptFile, env })
    onTestFinished(() => next.close())
    await next.ready
    expect(next.pendingPermissions.size).toBe(1)
    next.stop('conversation-1')
    expect(next.pendingPermissions.size + next.sessions.size).toBe(0)
    await next.close()
    const last = new ClaudeManager(() => {}, { home, scripted: scriptFile, env })
    onTestFinished(() => last.close())
    await last.ready
    expect(last.pendingPermissions.size).toBe(0)
    await expect(readFile(join(cwd, 'hello.txt'))).rejects.toThrow()
  })
})

describe('a manager that is closed', () => {
  test('leaves a request that waits open: the next manager loads it, and an answer resumes the turn', async () => {
    const { claudeManager, events, next, send, place } = await start()
    const asked = next('permission_request')
    const sent = send('write a file')
    const { toolUseId } = await asked
    await claudeManager.close()
    await sent
    expect(events.at(-1)).toEqual({ type: 'state', state: 'idle' })
    expect(processesOf(place.home)).toEqual([])

    const after: ManagerEvent[] = []
    const another = new ClaudeManager((_, event) => after.push(event), {
      home: place.home,
      scripted: place.scriptFile,
      env: place.env,
    })
    onTestFinished(() => another.close())
    await another.ready
    expect([...another.pendingPermissions.keys()]).toEqual([toolUseId])
    another.respondPermission('conversation-1', toolUseId, 'allow')
    await expect.poll(() => after.at(-1)).toEqual({ type: 'state', state: 'idle' })
    expect(await readFile(join(place.cwd, 'hello.txt'), 'utf8')).toBe('hello')
    expect(after).toContainEqual({ type: 'textComplete', text: 'Done.' })
  })

  test('ends the wait of its messages also where another manager keeps the home open', async () => {
    const { claudeManager, next, send, place } = await start()
    const beside = new ClaudeManager(() => {}, {
      home: place.home,
      scripted: place.scriptFile,
      env: place.env,
    })
    onTestFinished(() => beside.close())
    const asked = next('askQuestion')
    const sent = send('ask me')
    await asked
    await beside.sendMessage('conversation-2', 'hello', { workingDir: place.cwd })
    await claudeManager.close()
    await sent
    expect(claudeManager.pendingQuestions.size).toBe(0)
  })
})

test('a number is an id like any other, and means the same conversation after a restart', async () => {
  const place = await makePlace(script)
  const options = { home: place.home, scripted: place.scriptFile, env: place.env }
  const told: [number | string, ManagerEvent][] = []
  const first = new ClaudeManager<number>((id, event) => told.push([id, event]), options)
  onTestFinished(() => first.close())
  await first.sendMessage(42, 'hello', { workingDir: place.cwd })
  expect(told).toContainEqual([42, { type: 'textComplete', text: 'You said: hello' }])
  expect(new Set(told.map(([id]) => id))).toEqual(new Set([42]))
  void first.sendMessage(42, 'write a file', { workingDir: place.cwd })
  await expect.poll(() => first.pendingPermissions.size).toBe(1)
  expect([...first.sessions.keys()]).toEqual([42])
  await first.close()

  const second = new ClaudeManager<number>(() => {}, options)
  onTestFinished(() => second.close())
  await second.ready
  const [toolUseId = ''] = second.pendingPermissions.keys()
  second.respondPermission(42, toolUseId, 'allow')
  await expect.poll(() => readFile(join(place.cwd, 'hello.txt'), 'utf8').catch(() => '')).toBe('hello')
  await expect.poll(() => second.sessions.size).toBe(0)
  await expect(second.sendMessage(undefined as unknown as number, 'hello')).rejects.toThrow(
    'string or a number',
  )
})

test('a callback that throws ends neither its run nor the program', async () => {
  const place = await makePlace(script)
  const faults: unknown[] = []
  const claudeManager = new ClaudeManager(
    (_, event) => {
      if (event.type === 'text' || event.type === 'state') throw new Error(`no ${event.type}`)
    },
    {
      home: place.home,
      scripted: place.scriptFile,
      env: place.env,
      onFault: (error) => faults.push(error),
    },
  )
  await claudeManager.sendMessage('conversation-1', 'hello', { workingDir: place.cwd })
  void claudeManager.sendMessage('conversation-1', 'slow', { workingDir: place.cwd })
  await expect.poll(() => claudeManager.sessions.get('conversation-1')?.partialText).toContain('word')
  await claudeManager.close()
  expect(faults.map(String)).toEqual(expect.arrayContaining(['Error: no text', 'Error: no state']))
})

test('a session has the fields of the document', async () => {
  const { claudeManager, next, send } = await start()
  const writing = next('text')
  const sent = send('slow')
  await writing
  expect(Object.keys(claudeManager.sessions.get('conversation-1') ?? {}).toSorted()).toEqual([
    'abortController',
    'claudeSessionId',
    'partialText',
    'pendingTools',
    'query',
    'startTime',
    'state',
    'usage',
  ])
  claudeManager.stop('conversation-1')
  await sent
})

test('the log of the SDK names the conversation of the caller', async () => {
  const { claudeManager, place, send } = await start()
  await send('hello')
  await claudeManager.close()
  const [file = ''] = await readdir(join(place.home, 'logs'))
  const lines = (await readFile(join(place.home, 'logs', file), 'utf8')).trimEnd().split('\n')
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({
      timestamp: expect.any(String),
      sessionId: 'conversation-1',
      externalId: 'conversation-1',
      signalboxId: expect.stringMatching(/^ses_/),
      direction: expect.stringMatching(/^(input|output)$/),
      data: expect.anything(),
    })
})
