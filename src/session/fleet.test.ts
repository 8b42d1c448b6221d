import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPerson } from '../../test/support/build.js'
import type { FakeClaude } from '../../test/support/fake-claude.js'
import { createTestRuntime, type TestRuntime } from '../../test/support/test-runtime.js'
import { uuidOf } from '../lib/id.js'

const MINUTE = 60_000

async function claudeOf({ claudes }: TestRuntime, count: number): Promise<FakeClaude> {
  await expect.poll(() => claudes.started[count - 1]?.received.length).toBeGreaterThan(0)
  const claude = claudes.started[count - 1]
  if (!claude) throw new Error('no process')
  return claude
}

/** A session that has had one turn. */
async function aRestingSession(runtime: TestRuntime, count = 1) {
  const session = await runtime.createSession('hello')
  const claude = await claudeOf(runtime, count)
  const [message] = claude.received
  if (message) claude.begin(message)
  claude.finish()
  await expect.poll(async () => (await runtime.hub.session(session.id)).turns).toBe(1)
  return { id: session.id, claude }
}

/** As the CLI would have written about it. */
async function record({ folder }: TestRuntime, sessionId: string) {
  const project = join(folder, 'claude', 'projects', '-project')
  await mkdir(project, { recursive: true })
  await writeFile(join(project, `${uuidOf(sessionId)}.jsonl`), '{}\n')
}

/** Drains all pending work that needs no external event. */
async function settle() {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const processOf = async (runtime: TestRuntime, id: string) => (await runtime.hub.session(id)).process

describe('parking', () => {
  test('an idle session gives up its process and says so; its next message revives it as it was', async () => {
    const runtime = await createTestRuntime({ limits: { parkAfterMs: 5 * MINUTE } })
    const { id, claude } = await aRestingSession(runtime)
    await runtime.hub.change(id, { permissionMode: 'acceptEdits', model: 'opus', effort: 'high' }, aPerson)
    await record(runtime, id)

    runtime.clock.advance(6 * MINUTE)
    await expect.poll(() => processOf(runtime, id)).toBe('parked')
    expect(claude.isClosed).toBe(true)
    expect((await runtime.hub.session(id)).state).toBe('idle')

    await runtime.hub.send(id, { text: 'go on' }, aPerson)
    const revived = await claudeOf(runtime, 2)
    expect(revived.launch).toMatchObject({
      start: { kind: 'resume', id: uuidOf(id), at: null },
      permissionMode: 'acceptEdits',
      model: 'opus',
      effort: 'high',
    })
    expect(await processOf(runtime, id)).toBe('live')
  })

  test('a session with a turn, a request, a task or an alarm keeps its process', async () => {
    const runtime = await createTestRuntime({ limits: { parkAfterMs: MINUTE } })
    const working = await runtime.createSession('work')
    const claude = await claudeOf(runtime, 1)
    const [message] = claude.received
    if (message) claude.begin(message)
    await expect.poll(async () => (await runtime.hub.session(working.id)).state).toBe('working')

    const withTask = await aRestingSession(runtime, 2)
    withTask.claude.say({
      type: 'system',
      subtype: 'task_started',
      task_id: 'b1',
      task_type: 'local_bash',
      is_backgrounded: true,
    })
    const withAlarm = await aRestingSession(runtime, 3)
    withAlarm.claude.say({
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 't1', name: 'CronCreate', input: {} }] },
    })
    withAlarm.claude.say({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
    })
    await expect.poll(async () => Object.keys((await runtime.hub.session(withTask.id)).tasks)).toEqual(['b1'])
    await expect.poll(async () => (await runtime.types(withAlarm.id)).includes('tool.ended')).toBe(true)

    runtime.clock.advance(10 * MINUTE)
    await settle()

    expect(runtime.claudes.started.map(({ isClosed }) => isClosed)).toEqual([false, false, false])
  })

  test('a message that comes while the session is being parked is not lost', async () => {
    const runtime = await createTestRuntime({ limits: { parkAfterMs: MINUTE } })
    const { id, claude } = await aRestingSession(runtime)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const close = claude.close.bind(claude)
    claude.close = async () => {
      await held
      await close()
    }
    runtime.clock.advance(2 * MINUTE)

    await runtime.hub.send(id, { text: 'just now' }, aPerson)
    release()

    expect((await claudeOf(runtime, 2)).received.map(({ content }) => content)).toEqual(['just now'])
    expect(claude.received).toHaveLength(1)
  })
})

describe('the bound on live processes', () => {
  test('the longest idle session makes room for one that works', async () => {
    const runtime = await createTestRuntime({ limits: { maxLive: 2 } })
    const one = await aRestingSession(runtime, 1)
    runtime.clock.advance(1_000)
    const two = await aRestingSession(runtime, 2)
    runtime.clock.advance(1_000)

    const three = await runtime.createSession('third')

    await claudeOf(runtime, 3)
    expect([
      await processOf(runtime, one.id),
      await processOf(runtime, two.id),
      await processOf(runtime, three.id),
    ]).toEqual(['parked', 'live', 'live'])
  })

  test('when all work, the next ones wait in line and are served in order', async () => {
    const runtime = await createTestRuntime({ limits: { maxLive: 1 } })
    await runtime.createSession('first')
    const claude = await claudeOf(runtime, 1)
    const [message] = claude.received
    if (message) claude.begin(message)
    await runtime.createSession('second')
    await runtime.createSession('third')
    await settle()
    expect(runtime.claudes.started).toHaveLength(1)

    claude.finish()
    const second = await claudeOf(runtime, 2)
    expect(second.received[0]?.content).toBe('second')
    const [next] = second.received
    if (next) second.begin(next)
    second.finish()
    expect((await claudeOf(runtime, 3)).received[0]?.content).toBe('third')
  })

  test('to close with sessions in line ends at once and starts none of them', async () => {
    const runtime = await createTestRuntime({ limits: { maxLive: 1 } })
    await runtime.createSession('first')
    const claude = await claudeOf(runtime, 1)
    const [message] = claude.received
    if (message) claude.begin(message)
    const waiting = await runtime.createSession('second')
    await settle()

    await runtime.runner.close()

    expect(runtime.claudes.started).toHaveLength(1)
    expect((await runtime.hub.session(waiting.id)).queue).toHaveLength(1)
  })
})

describe('processes in reserve', () => {
  const SOON = 1_500

  /** Waits until the pool has started `count` spare processes. */
  async function reserve(runtime: TestRuntime, count: number): Promise<void> {
    await expect
      .poll(() => {
        runtime.clock.advance(SOON)
        return runtime.claudes.spares.length
      })
      .toBe(count)
  }

  test('a session that begins has the machine for itself', async () => {
    const runtime = await createTestRuntime({ limits: { warm: 1 } })
    await aRestingSession(runtime, 1)
    runtime.clock.advance(SOON - 1)
    expect(runtime.claudes.spares).toHaveLength(0)
    runtime.clock.advance(1)
    expect(runtime.claudes.spares).toHaveLength(1)
  })

  test('the second session of a folder begins with one that is ready, in a conversation of its own', async () => {
    const runtime = await createTestRuntime({ limits: { warm: 1 } })
    await aRestingSession(runtime, 1)
    await reserve(runtime, 1)

    const session = await runtime.createSession('again')
    const claude = await claudeOf(runtime, 2)

    expect(claude).toBe(runtime.claudes.spares[0])
    const { claudeSessionId } = await runtime.hub.session(session.id)
    expect(claudeSessionId).toBe(claude.launch.start.id)
    await reserve(runtime, 2)
  })

  test('one that was started otherwise is not used', async () => {
    const runtime = await createTestRuntime({ limits: { warm: 1 } })
    await aRestingSession(runtime, 1)
    await reserve(runtime, 1)

    await runtime.createSession('again', { model: 'another' })

    const claude = await claudeOf(runtime, 2)
    expect(claude.launch.model).toBe('another')
    expect(claude).not.toBe(runtime.claudes.spares[0])
    await reserve(runtime, 2)
    await expect.poll(() => runtime.claudes.spares[0]?.isClosed).toBe(true)
  })

  test('one that has died is not used, and one that nobody wants is ended', async () => {
    const runtime = await createTestRuntime({ limits: { warm: 2, parkAfterMs: MINUTE } })
    await aRestingSession(runtime, 1)
    await reserve(runtime, 1)
    await runtime.claudes.spares[0]?.close()
    await runtime.createSession('again')
    expect(await claudeOf(runtime, 2)).not.toBe(runtime.claudes.spares[0])
    await reserve(runtime, 2)

    runtime.clock.advance(2 * MINUTE)
    await expect.poll(() => runtime.claudes.spares[1]?.isClosed).toBe(true)
  })

  test('they are ended with the rest', async () => {
    const runtime = await createTestRuntime({ limits: { warm: 1 } })
    await aRestingSession(runtime, 1)
    await reserve(runtime, 1)
    await runtime.runner.close()
    expect(runtime.claudes.spares[0]?.isClosed).toBe(true)
  })
})

describe('how a process is started', () => {
  test('defaults, the agent and the session are joined, later ones win', async () => {
    const runtime = await createTestRuntime({
      defaults: { maxTurns: 5, env: { A: '1', B: '1' }, disallowedTools: ['WebFetch'] },
      agents: { reviewer: { prompt: 'Review only.', model: 'opus', tools: ['Read'], mode: 'plan' } },
    })
    await runtime.createSession('look', { agent: 'reviewer', options: { maxTurns: 9, env: { B: '2' } } })

    const { launch } = await claudeOf(runtime, 1)

    expect(launch).toMatchObject({
      model: 'opus',
      permissionMode: 'plan',
      env: { PATH: '/bin', A: '1', B: '2' },
      options: {
        maxTurns: 9,
        disallowedTools: ['WebFetch'],
        tools: ['Read'],
        systemPrompt: { append: 'Review only.' },
        settingSources: [],
      },
    })
  })

  test('in a folder that is not trusted nothing of it acts; in a trusted one its servers are started', async () => {
    const runtime = await createTestRuntime()
    await writeFile(
      join(runtime.cwd, '.mcp.json'),
      JSON.stringify({
        mcpServers: {
          files: { command: 'node', args: ['server.js'], cwd: './mcp', env: { KEY: '${PATH}' } },
        },
      }),
    )
    await runtime.createSession('one', { options: { settingSources: ['user', 'project'] } })
    expect((await claudeOf(runtime, 1)).launch).toMatchObject({
      mcpServers: {},
      options: { settingSources: [] },
    })

    await runtime.hub.trust(runtime.cwd, aPerson)
    await runtime.createSession('two')
    expect((await claudeOf(runtime, 2)).launch).toMatchObject({
      mcpServers: {
        files: { command: 'node', args: ['server.js'], cwd: join(runtime.cwd, 'mcp'), env: { KEY: '/bin' } },
      },
      options: { settingSources: ['user', 'project', 'local'] },
    })
  })

  test('a broken .mcp.json is told on the session, which runs without it', async () => {
    const runtime = await createTestRuntime()
    await runtime.hub.trust(runtime.folder, aPerson)
    await writeFile(join(runtime.cwd, '.mcp.json'), '{ "mcpServers": { "x": { "command": 7 } } }')
    const session = await runtime.createSession('hello')
    const claude = await claudeOf(runtime, 1)

    await expect.poll(async () => (await runtime.types(session.id)).includes('error.raised')).toBe(true)
    const error = (await runtime.events(session.id)).find((event) => event.type === 'error.raised')
    expect(error?.data).toMatchObject({
      code: 'mcp_config_invalid',
      message: expect.stringContaining('in x'),
    })
    expect(claude.launch.mcpServers).toEqual({})
  })

  test('secrets of a session reach its process, but no event and no snapshot', async () => {
    const runtime = await createTestRuntime()
    const options = {
      env: { API_TOKEN: 'tell-nobody' },
      mcpServers: {
        x: { type: 'http' as const, url: 'http://127.0.0.1:1', headers: { authorization: 'tell-nobody' } },
      },
    }
    const session = await runtime.createSession('hello', { options })

    expect((await claudeOf(runtime, 1)).launch.env).toMatchObject({ API_TOKEN: 'tell-nobody' })
    expect((await claudeOf(runtime, 1)).launch.mcpServers).toEqual(options.mcpServers)
    expect(JSON.stringify(await runtime.events(session.id))).not.toContain('tell-nobody')
    expect(JSON.stringify(session)).not.toContain('tell-nobody')
    expect(session.options.env).toEqual({ API_TOKEN: '(hidden)' })
  })

  test('a conversation that another process drives is left alone', async () => {
    const runtime = await createTestRuntime()
    const session = await runtime.createSession()
    const folder = join(runtime.folder, 'claude', 'sessions')
    await mkdir(folder, { recursive: true })
    const entry = { pid: process.pid, sessionId: uuidOf(session.id) }
    await writeFile(join(folder, `${process.pid}.json`), JSON.stringify(entry))

    await runtime.hub.send(session.id, { text: 'hello' }, aPerson)

    await expect.poll(async () => (await runtime.types(session.id)).includes('message.cancelled')).toBe(true)
    const error = (await runtime.events(session.id)).find((event) => event.type === 'error.raised')
    expect(error?.data).toMatchObject({ code: 'conversation_in_use' })
    expect(runtime.claudes.started).toEqual([])
  })
})

describe('trust', () => {
  const notices = async (runtime: TestRuntime, id: string) =>
    (await runtime.events(id)).flatMap((event) =>
      event.type === 'notice.raised' && event.data.topic === 'trust' ? [event.data.level] : [],
    )

  test('distrust ends processes that have loaded settings of the folder, at rest or at work, and says so', async () => {
    const runtime = await createTestRuntime()
    await runtime.hub.trust(runtime.cwd, aPerson)
    const resting = await aRestingSession(runtime)
    const working = await runtime.createSession('work')
    const busy = await claudeOf(runtime, 2)
    const [message] = busy.received
    if (message) busy.begin(message)
    await expect.poll(async () => (await runtime.hub.session(working.id)).state).toBe('working')
    expect(busy.launch.options.settingSources).toEqual(['user', 'project', 'local'])

    await runtime.hub.distrust(runtime.cwd, aPerson)

    expect([resting.claude.isClosed, busy.isClosed]).toEqual([true, true])
    expect(await processOf(runtime, resting.id)).toBe('parked')
    expect((await runtime.hub.session(working.id)).turn).toBeNull()
    for (const id of [resting.id, working.id]) expect(await notices(runtime, id)).toEqual(['warning'])
    await record(runtime, resting.id)
    await runtime.hub.send(resting.id, { text: 'go on' }, aPerson)
    expect((await claudeOf(runtime, 3)).launch.options.settingSources).toEqual([])
  })

  test('processes that have loaded nothing of the folder, or are still trusted, go on', async () => {
    const runtime = await createTestRuntime()
    const untrusted = await aRestingSession(runtime)
    await runtime.hub.trust(runtime.cwd, aPerson)
    await runtime.hub.trust(runtime.folder, aPerson)
    const trusted = await aRestingSession(runtime, 2)

    await runtime.hub.distrust(runtime.cwd, aPerson)

    expect([untrusted.claude.isClosed, trusted.claude.isClosed]).toEqual([false, false])
  })

  test('a folder above that is not trusted keeps the settings out; one that comes later ends the process first', async () => {
    const runtime = await createTestRuntime()
    await runtime.hub.trust(runtime.cwd, aPerson)
    const { id, claude } = await aRestingSession(runtime)
    expect(claude.launch.options.settingSources).toEqual(['user', 'project', 'local'])
    await record(runtime, id)
    await mkdir(join(runtime.folder, '.claude', 'skills'), { recursive: true })

    await runtime.hub.send(id, { text: 'go on' }, aPerson)

    const next = await claudeOf(runtime, 2)
    expect(claude.isClosed).toBe(true)
    expect(next.launch.options.settingSources).toEqual(['user'])
    const errors = (await runtime.events(id)).filter((event) => event.type === 'error.raised')
    expect(errors.map(({ data }) => data)).toEqual([
      { code: 'parent_not_trusted', message: expect.stringContaining(join(runtime.folder, '.claude')) },
    ])
  })

  test('a process in reserve that was started with trust is ended with it', async () => {
    const runtime = await createTestRuntime({ limits: { warm: 1 } })
    await runtime.hub.trust(runtime.cwd, aPerson)
    await aRestingSession(runtime)
    runtime.clock.advance(2_000)
    await expect.poll(() => runtime.claudes.spares.length).toBe(1)

    await runtime.hub.distrust(runtime.cwd, aPerson)

    await expect.poll(() => runtime.claudes.spares[0]?.isClosed).toBe(true)
  })
})
