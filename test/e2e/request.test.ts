/** Every kind of request with the real CLI: asked, answered in every way, and what the agent hears of it. */

import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../src/protocol/request.js'
import type { Session } from '../../src/protocol/session.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const MCP_SERVER = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url))
const isIdle = (turns: number) => (session: Session) => session.state === 'idle' && session.turns === turns

/** A session in which the agent makes one call and then repeats the result. */
async function begin(tool: string, input: Record<string, unknown>, more: Partial<ScriptInput> = {}) {
  const place = await makePlace(() => ({
    rules: [
      { when: { user: 'go' }, reply: [{ tool, input }] },
      ...(more.rules ?? []),
      { reply: [{ text: '{{toolResult}}' }] },
    ],
  }))
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  return { ...place, daemon, client }
}

const question = (text: string, more: object = {}) => ({
  question: text,
  header: 'Choice',
  multiSelect: false,
  options: [
    { label: 'SQLite', description: 'a file', preview: 'CREATE TABLE t' },
    { label: 'Postgres', description: 'a server' },
  ],
  ...more,
})

describe('a question', () => {
  const questions = [question('Which one?'), question('Which ones?', { multiSelect: true }), question('Why?')]

  test.each<[string, Answer, string[]]>([
    [
      'by option, by several, in one’s own words, with notes',
      {
        answers: { 'Which one?': 'SQLite', 'Which ones?': ['SQLite', 'Postgres'], 'Why?': 'It is small.' },
        notes: { 'Which one?': 'keep it small' },
      },
      ['"Which one?"="SQLite"', 'keep it small', '"Which ones?"="SQLite, Postgres"', '"Why?"="It is small."'],
    ],
    ['in part', { answers: { 'Why?': 'Postgres' } }, ['"Why?"="Postgres"']],
    [
      'not at all, with a word to the agent',
      { decision: 'deny', message: 'Decide yourself.' },
      ['Decide yourself.'],
    ],
  ])('is answered %s', async (_, body, heard) => {
    const { client, cwd, daemon } = await begin('AskUserQuestion', { questions })
    const { session } = await client.createSession({ body: { cwd, prompt: 'go' } })
    const asked = await pendingRequest(client, session.id)
    expect(asked).toMatchObject({ kind: 'question', questions: [{}, { multiSelect: true }, {}] })

    await client.answerRequest({ params: { id: asked.id }, body })

    const { lastText } = await sessionWhen(client, session.id, isIdle(1))
    for (const part of heard) expect(lastText).toContain(part)
    await expectOrderly(client)
    await daemon.stop()
  })
})

describe('a plan', () => {
  /** The CLI names the file that the plan belongs in; the user sends there the text that the agent writes. */
  const plan = async () => {
    const place = await makePlace((cwd) => ({
      rules: [
        { when: { user: 'go' }, reply: [{ tool: 'EnterPlanMode', input: {} }] },
        {
          when: { toolResult: 'EnterPlanMode' },
          reply: [{ tool: 'Write', input: { file_path: join(cwd, 'plan'), content: '# Build it' } }],
        },
        { when: { toolResult: 'Write' }, reply: [{ tool: 'ExitPlanMode', input: {} }] },
        {
          when: { toolResult: 'ExitPlanMode', isError: true },
          reply: [{ text: 'Rejected: {{toolResult}}' }],
        },
        { reply: [{ text: '{{toolResult}}' }] },
      ],
    }))
    const daemon = await startDaemonProcess(place)
    const { client } = daemon
    const { session } = await client.createSession({ body: { cwd: place.cwd, prompt: 'go' } })
    const { id } = session
    const written = await pendingRequest(client, id)
    // The CLI writes its transcript a little later than it asks.
    await expect.poll(() => planFile(place.home)).toMatch(/\.md$/)
    const updatedInput = { file_path: await planFile(place.home), content: '# Build it' }
    await client.answerRequest({ params: { id: written.id }, body: { decision: 'allow', updatedInput } })
    await sessionWhen(client, id, ({ pendingRequests: [next] }) => next !== undefined && next !== written.id)
    return { client, daemon, id, asked: await pendingRequest(client, id) }
  }

  async function planFile(home: string): Promise<string> {
    const folder = join(home, 'claude', 'projects')
    const names = await readdir(folder, { recursive: true })
    const texts = names
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readFile(join(folder, name), 'utf8'))
    return /create your plan at (\S+\.md)/.exec((await Promise.all(texts)).join('\n'))?.[1] ?? ''
  }

  test.each(['acceptEdits', 'bypassPermissions', 'default'] as const)(
    'is approved, and the session goes on in mode %s',
    async (mode) => {
      const { client, daemon, id, asked } = await plan()
      expect(asked).toMatchObject({ kind: 'permission', toolName: 'ExitPlanMode', plan: '# Build it' })
      expect((await client.getSession({ params: { id } })).session.permissionMode).toBe('plan')

      await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow', mode } })

      expect(await sessionWhen(client, id, isIdle(1))).toMatchObject({ permissionMode: mode })
      expect((await client.getRequest({ params: { id: asked.id } })).request.resolution).toMatchObject({
        mode,
      })
      await daemon.stop()
    },
  )

  test('is rejected with a message, and the session goes on planning', async () => {
    const { client, daemon, id, asked } = await plan()

    await client.answerRequest({
      params: { id: asked.id },
      body: { decision: 'deny', message: 'Smaller steps.' },
    })

    const session = await sessionWhen(client, id, isIdle(1))
    expect(session.lastText).toContain('Rejected: Smaller steps.')
    expect(session.permissionMode).toBe('plan')
    await expectOrderly(client)
    await daemon.stop()
  })
})

describe('a form of an MCP server', () => {
  const elicit = async (tool: 'register' | 'visit') => {
    const started = await begin(`mcp__kit__${tool}`, {})
    const { client, cwd } = started
    const options = { mcpServers: { kit: { command: process.execPath, args: [MCP_SERVER] } } }
    const { session } = await client.createSession({ body: { cwd, options } })
    const { id } = session
    await expect
      .poll(async () => JSON.stringify(await client.inspectSession({ params: { id, what: 'mcp' } })), {
        timeout: 20_000,
      })
      .toContain('"connected"')
    await client.sendMessage({ params: { id }, body: { text: 'go' } })
    const call = await pendingRequest(client, id)
    await client.answerRequest({ params: { id: call.id }, body: { decision: 'allow' } })
    await sessionWhen(client, id, ({ pendingRequests: [first] }) => first?.startsWith('que_') === true)
    return { ...started, id, asked: await pendingRequest(client, id) }
  }

  test('is filled in; what does not fit is refused, and it goes on waiting', async () => {
    const { client, daemon, id, asked } = await elicit('register')
    expect(asked).toMatchObject({
      kind: 'question',
      title: 'Who are you?',
      form: { server: 'kit', schema: { required: ['name', 'colour'] } },
    })
    const answer = (content: Record<string, string | number | boolean>) =>
      client.answerRequest({ params: { id: asked.id }, body: { action: 'accept', content } })

    await expect(answer({ name: 'K' })).rejects.toMatchObject({ code: 'answer_invalid' })
    await expect(answer({ name: 'Kim', colour: 'green' })).rejects.toMatchObject({ code: 'answer_invalid' })
    await answer({ name: 'Kim', colour: 'blue', age: 7 })

    const { lastText } = await sessionWhen(client, id, isIdle(1))
    expect(lastText).toContain(
      'registered {"action":"accept","content":{"name":"Kim","colour":"blue","age":7',
    )
    await expectOrderly(client)
    await daemon.stop()
  })

  test.each(['decline', 'cancel'] as const)('is answered with %s', async (action) => {
    const { client, daemon, id, asked } = await elicit('register')

    await client.answerRequest({ params: { id: asked.id }, body: { action } })

    const { lastText } = await sessionWhen(client, id, isIdle(1))
    expect(lastText).toContain(`registered {"action":"${action}"`)
    await daemon.stop()
  })

  test('may ask to visit a page', async () => {
    const { client, daemon, id, asked } = await elicit('visit')
    expect(asked.form).toEqual({ server: 'kit', message: 'Please log in.', url: 'https://example.com/login' })

    await client.answerRequest({ params: { id: asked.id }, body: { action: 'accept' } })

    expect((await sessionWhen(client, id, isIdle(1))).lastText).toContain('visited {"action":"accept"')
    await daemon.stop()
  })
})

test('to allow all of these holds for the session, and nothing is written into the repository', async () => {
  const command = `node -e '1+1'`
  const { client, cwd, daemon } = await begin('Bash', { command })
  const { session } = await client.createSession({ body: { cwd, prompt: 'go' } })
  const { id } = session
  const asked = await pendingRequest(client, id)

  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allowAll' } })
  await sessionWhen(client, id, isIdle(1))
  await client.sendMessage({ params: { id }, body: { text: 'go again' } })
  await sessionWhen(client, id, isIdle(2))
  expect((await client.listRequests({ query: {} })).requests).toHaveLength(1)

  const { session: other } = await client.createSession({ body: { cwd, prompt: 'go' } })
  expect((await pendingRequest(client, other.id)).input).toMatchObject({ command })
  await expect(access(join(cwd, '.claude'))).rejects.toThrow()
  await daemon.stop()
})

test('a time limit denies in the words that the agent expects, and the session goes on', async () => {
  const { client: _, daemon, ...place } = await begin('Write', { file_path: '/nowhere', content: '' })
  await daemon.stop()
  const limited = await startDaemonProcess({
    ...place,
    env: { ...place.env, SIGNALBOX_PERMISSION_TIMEOUT_MS: '1000' },
  })
  const { session } = await limited.client.createSession({ body: { cwd: place.cwd, prompt: 'go' } })
  const { id } = session

  expect((await pendingRequest(limited.client, id)).expiresAt).not.toBeNull()
  const { lastText } = await sessionWhen(limited.client, id, isIdle(1))

  expect(lastText).toBe('Permission request timeout (1s)')
  const resolved = (await allEvents(limited.client, id)).find((event) => event.type === 'permission.resolved')
  expect(resolved?.data).toMatchObject({ decision: 'deny', by: 'timeout', who: null })
  await expectOrderly(limited.client)
  await limited.stop()
})

test('an interrupt takes the request back everywhere', async () => {
  const { client, cwd, daemon } = await begin('Write', { file_path: '/nowhere', content: '' })
  const { session } = await client.createSession({ body: { cwd, prompt: 'go' } })
  const asked = await pendingRequest(client, session.id)

  await client.interruptSession({ params: { id: session.id }, body: {} })
  await sessionWhen(client, session.id, isIdle(1))

  const { request } = await client.getRequest({ params: { id: asked.id } })
  expect(request).toMatchObject({ state: 'resolved', resolution: { decision: 'deny', by: 'shutdown' } })
  await expect(
    client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } }),
  ).rejects.toMatchObject({ code: 'request_already_resolved', details: { resolution: { by: 'shutdown' } } })
  await expectOrderly(client)
  await daemon.stop()
})
