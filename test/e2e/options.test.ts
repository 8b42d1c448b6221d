/** How sessions are run: options, trust, MCP servers, hooks, limits, and the record of it all. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { SessionOptions } from '../../src/protocol/option/option.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  type Place,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { startMcpHttpServer } from '../support/mcp-http-server.js'

/** The server of our own tools, which every session has. */
const OURS = { name: 'signalbox', status: 'connected' }
const MCP_SERVER = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url))

const script: ScriptInput = {
  defaults: { usage: { input_tokens: 1_000, output_tokens: 1_000 } },
  rules: [
    { when: { user: 'loop' }, reply: [{ tool: 'Bash', input: { command: 'echo again' } }] },
    { when: { user: 'make' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    {
      when: { toolResult: 'StructuredOutput', isError: true },
      reply: [{ tool: 'StructuredOutput', input: { colour: 7 } }],
    },
    { when: { toolResult: 'StructuredOutput' }, reply: [{ text: 'As data.' }] },
    { when: { user: 'as data' }, reply: [{ tool: 'StructuredOutput', input: { colour: 'blue' } }] },
    { when: { user: 'as nonsense' }, reply: [{ tool: 'StructuredOutput', input: { colour: 7 } }] },
    { when: { user: 'where' }, reply: [{ tool: 'mcp__tools__where' }] },
    { when: { user: 'greet net' }, reply: [{ tool: 'mcp__net__greet' }] },
    { when: { user: 'greet old' }, reply: [{ tool: 'mcp__old__greet' }] },
    {
      when: { user: 'environment' },
      reply: [{ tool: 'Bash', input: { command: 'echo "$GREETING/$OTHER"' } }],
    },
    { when: { user: '/refuse|safety classifier/' }, reply: [{ text: 'I can not.' }, { stop: 'refusal' }] },
    { when: { user: 'fail' }, reply: [{ error: 400, message: 'bad thing' }] },
    { when: { toolResult: 'Bash' }, reply: [{ tool: 'Bash', input: { command: 'echo again' } }] },
    { when: { toolResult: '*' }, reply: [{ text: '{{toolResult}}' }] },
    { reply: [{ text: 'ok' }] },
  ],
}

async function setup(change: (place: Place) => Place | Promise<Place> = (place) => place) {
  const place = await change(await makePlace(() => script))
  const daemon = await startDaemonProcess(place)
  return { place, daemon, client: daemon.client }
}

async function runOnce(client: Client, cwd: string, prompt: string, options: SessionOptions = {}) {
  const { session } = await client.createSession({
    body: { cwd, prompt, options, permissionMode: 'bypassPermissions' },
  })
  await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns > 0)
  const events = await allEvents(client, session.id)
  const ended = events.find((event) => event.type === 'turn.ended')
  return {
    id: session.id,
    events,
    ended: ended?.data,
    session: (await client.getSession({ params: { id: session.id } })).session,
  }
}

describe('why a turn stopped is told apart', () => {
  test('finished, at its limit of turns, at its budget, refused, failed, as data, never as data', async () => {
    const { client, daemon, place } = await setup()
    const { cwd } = place
    const format = {
      type: 'json_schema',
      schema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
    } as const
    const stopped = async (prompt: string, options?: SessionOptions) => {
      const { ended } = await runOnce(client, cwd, prompt, options)
      return [ended?.outcome, ended?.stopReason]
    }

    expect(await stopped('hello')).toEqual(['completed', 'finished'])
    expect(await stopped('loop', { maxTurns: 2 })).toEqual(['failed', 'max_turns'])
    expect(await stopped('loop', { maxBudgetUsd: 0.01 })).toEqual(['failed', 'budget'])
    expect(await stopped('refuse')).toEqual(['failed', 'refusal'])
    expect(await stopped('fail')).toEqual(['failed', 'api_error'])
    const data = await runOnce(client, cwd, 'as data', { outputFormat: format })
    expect(data.ended).toMatchObject({ stopReason: 'finished', structuredOutput: { colour: 'blue' } })
    expect(await stopped('as nonsense', { outputFormat: format })).toEqual([
      'failed',
      'structured_output_retries',
    ])
    await expectOrderly(client)
    await daemon.stop()
  })
})

test('variables, tools and the model of a session reach its process', async () => {
  const { client, daemon, place } = await setup()
  const { events, session } = await runOnce(client, place.cwd, 'environment', {
    env: { GREETING: 'hello' },
    tools: ['Bash', 'Read'],
    maxTurns: 1,
  })
  const result = events.find((event) => event.type === 'tool.ended')
  expect(result?.data.result).toMatchObject({ stdout: 'hello/' })
  expect(
    events.find((event) => event.type === 'session.started')?.data.tools.toSorted((a, b) => (a < b ? -1 : 1)),
  ).toEqual(['Bash', 'Read'])
  expect(session.options.env).toEqual({ GREETING: '(hidden)' })
  await daemon.stop()
})

test('an option that does not exist, or makes no sense, is refused with its name', async () => {
  const { client, daemon, place } = await setup()
  const create = (options: object) => client.createSession({ body: { cwd: place.cwd, options } })
  for (const [options, problem] of [
    [{ colour: 'blue' }, /colour/],
    [{ maxTurns: 0 }, /maxTurns/],
    [{ additionalDirectories: ['relative'] }, /additionalDirectories/],
    [{ mcpServers: { 'bad name': { command: 'x' } } }, /mcpServers/],
  ] as const) {
    await expect(create(options)).rejects.toMatchObject({
      code: 'request_invalid',
      message: expect.stringMatching(problem),
    })
  }
  await expect(client.createSession({ body: { cwd: place.cwd, agent: 'nobody' } })).rejects.toMatchObject({
    code: 'agent_not_found',
  })
  await daemon.stop()
})

test('a configured agent and defaults from the configuration', async () => {
  const { client, daemon, place } = await setup(async (at) => {
    await mkdir(at.home)
    const config = {
      agents: { scout: { prompt: 'You look only.', tools: ['Read'], mode: 'plan' } },
      defaults: { env: { GREETING: 'default' } },
    }
    await writeFile(join(at.home, 'config.jsonc'), JSON.stringify(config))
    return at
  })
  const { session } = await client.createSession({
    body: { cwd: place.cwd, agent: 'scout', prompt: 'hello' },
  })
  await sessionWhen(client, session.id, ({ turns }) => turns === 1)
  const started = (await allEvents(client, session.id)).find((event) => event.type === 'session.started')
  expect(session).toMatchObject({ agent: 'scout', permissionMode: 'plan' })
  expect(started?.data).toMatchObject({ tools: ['Read'], permissionMode: 'plan' })
  await daemon.stop()
})

describe('trust', () => {
  /** A repository that would like to act: a server, and a hook that leaves a trace. */
  async function eagerRepository({ cwd }: Place): Promise<void> {
    await mkdir(join(cwd, '.claude'))
    await mkdir(join(cwd, 'mcp'))
    const hook = { hooks: [{ type: 'command', command: 'echo ran >> trace' }] }
    await writeFile(
      join(cwd, '.claude', 'settings.json'),
      JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }),
    )
    const server = {
      command: process.execPath,
      args: [MCP_SERVER],
      cwd: './mcp',
      env: { GREETING: '${NAME:-hello}' },
    }
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { tools: server } }))
  }

  test('nothing of a folder acts before it is trusted; afterwards its servers and hooks do, and are told', async () => {
    const { client, daemon, place } = await setup()
    await eagerRepository(place)
    const before = await runOnce(client, place.cwd, 'hello', { settingSources: ['user', 'project', 'local'] })
    expect(before.events.find((event) => event.type === 'session.started')?.data.mcpServers).toEqual([OURS])
    await expect(readFile(join(place.cwd, 'trace'))).rejects.toThrow()

    await client.trustWorkspace({ body: { path: place.cwd } })
    expect((await client.listWorkspaces()).workspaces).toMatchObject([
      { path: place.cwd, trustedBy: 'admin' },
    ])
    const after = await runOnce(client, place.cwd, 'hello')
    expect(await readFile(join(place.cwd, 'trace'), 'utf8')).toBe('ran\n')
    const hooks = after.events.filter((event) => event.type === 'hook.started' || event.type === 'hook.ended')
    expect(hooks.map((event) => event.type)).toEqual(['hook.started', 'hook.ended'])

    // A server may still be starting when the first turn begins.
    await client.sendMessage({ params: { id: after.id }, body: { text: 'where' } })
    await sessionWhen(client, after.id, ({ turns }) => turns === 2)
    const { value } = await client.inspectSession({ params: { id: after.id, what: 'mcp' } })
    expect(value).toMatchObject([{ name: 'tools', status: 'connected' }, OURS])
    await client.sendMessage({ params: { id: after.id }, body: { text: 'where' } })
    expect(await sessionWhen(client, after.id, ({ turns }) => turns === 3)).toMatchObject({
      lastText: 'in mcp with hello',
    })

    await client.distrustWorkspace({ body: { path: place.cwd } })
    const again = await runOnce(client, place.cwd, 'hello')
    expect(again.events.some((event) => event.type === 'hook.started')).toBe(false)
    await expectOrderly(client)
    await daemon.stop()
  })

  test('servers of a trusted folder may be on the network, with http and with sse', async () => {
    const { url, close } = await startMcpHttpServer()
    onTestFinished(close)
    const { client, daemon, place } = await setup()
    const mcpServers = {
      net: { type: 'http', url: `${url}/mcp`, headers: { authorization: 'Bearer ${WHO:-kim}' } },
      old: { type: 'sse', url: `${url}/sse` },
    }
    await writeFile(join(place.cwd, '.mcp.json'), JSON.stringify({ mcpServers }))
    await client.trustWorkspace({ body: { path: place.cwd } })
    const { id } = await runOnce(client, place.cwd, 'hello')
    const status = async () => (await client.inspectSession({ params: { id, what: 'mcp' } })).value
    await expect
      .poll(status, { timeout: 10_000 })
      .toMatchObject([{ name: 'net', status: 'connected' }, { name: 'old', status: 'connected' }, OURS])

    await client.sendMessage({ params: { id }, body: { text: 'greet net' } })
    const first = await sessionWhen(client, id, ({ turns }) => turns === 2)
    expect(first.lastText).toBe('hello over http, Bearer kim')
    await client.sendMessage({ params: { id }, body: { text: 'greet old' } })
    const second = await sessionWhen(client, id, ({ turns }) => turns === 3)
    expect(second.lastText).toBe('hello over sse, whoever you are')
    await daemon.stop()
  })

  test('servers can be exchanged while the session lives, and stay with it', async () => {
    const { client, daemon, place } = await setup()
    const { id } = await runOnce(client, place.cwd, 'hello')
    const servers = { tools: { command: process.execPath, args: [MCP_SERVER], env: { GREETING: 'later' } } }
    const { change } = await client.setMcpServers({ params: { id }, body: { servers } })
    expect(change).toEqual({ added: ['tools'], removed: [], errors: {} })
    await expect
      .poll(async () => (await client.inspectSession({ params: { id, what: 'mcp' } })).value, {
        timeout: 10_000,
      })
      .toMatchObject([{ name: 'tools', status: 'connected' }, OURS])
    await client.sendMessage({ params: { id }, body: { text: 'where' } })
    expect(await sessionWhen(client, id, ({ turns }) => turns === 2)).toMatchObject({
      lastText: 'in project with later',
    })
    await daemon.stop()
  })
})

test('everything that goes to and comes from the SDK is recorded, without secrets', async () => {
  const { client, daemon, place } = await setup((at) => ({
    ...at,
    env: { ...at.env, MY_API_TOKEN: 'canary-in-the-environment' },
  }))
  const { id } = await runOnce(client, place.cwd, 'use sk-ant-api03-canaryinprompt-0123456789 please')
  await daemon.stop()

  // The log of the daemon itself is there as well.
  const names = await readdir(join(place.home, 'logs'))
  const name = names.find((found) => /^sdk-\d{4}-\d\d-\d\d\.jsonl$/.test(found)) ?? 'no log of the SDK'
  const text = await readFile(join(place.home, 'logs', name), 'utf8')
  const lines = text
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          timestamp: string
          sessionId: string
          direction: string
          data: { type?: string }
        },
    )
  expect(
    lines.every(({ sessionId, timestamp }) => sessionId === id && !Number.isNaN(Date.parse(timestamp))),
  ).toBe(true)
  expect(lines[0]).toMatchObject({ direction: 'input' })
  expect(lines.filter(({ direction }) => direction === 'output').map(({ data }) => data.type)).toEqual(
    expect.arrayContaining(['system', 'assistant', 'result']),
  )
  expect(text).not.toContain('canary')
})

test('a process in reserve takes the next session of a folder', async () => {
  const { client, daemon, place } = await setup((at) => ({ ...at, env: { ...at.env, SIGNALBOX_WARM: '1' } }))
  await runOnce(client, place.cwd, 'hello')
  await expect.poll(() => processesOf(place.home).length, { timeout: 10_000 }).toBe(2)
  const ready = processesOf(place.home)

  const { session } = await runOnce(client, place.cwd, 'hello again')

  expect(session.lastText).toBe('ok')
  expect(processesOf(place.home)).toEqual(expect.arrayContaining(ready))
  await client.changeSession({ params: { id: session.id }, body: { permissionMode: 'default' } })
  await client.sendMessage({ params: { id: session.id }, body: { text: 'make' } })
  await pendingRequest(client, session.id) // It runs in the mode that was chosen since.
  await client.stopSession({ params: { id: session.id }, body: {} })
  await expectOrderly(client)
  expect(await daemon.stop()).toBe(0)
})
