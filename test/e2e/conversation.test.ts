/** Conversations over several processes: parked and revived, forked, resumed at a message, adopted, continued. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import { startScriptedModel } from '../../src/scripted/server.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const run = promisify(execFile)

/** The model repeats all messages of the user so far. */
const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(400), delayMs: 10 }] },
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'x' } }],
      },
      {
        when: { toolResult: '*', isError: true },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'x' } }],
      },
      { when: { toolResult: '*' }, reply: [{ text: 'Written.' }] },
      { reply: [{ text: 'History: {{history}}' }] },
    ],
  }))

const idleAfter = (turns: number) => (session: { state: string; turns: number; queue: unknown[] }) =>
  session.state === 'idle' && session.turns === turns && session.queue.length === 0

async function begin({ client }: DaemonProcess, { cwd }: Place, ...prompts: string[]) {
  const { session } = await client.createSession({ body: { cwd } })
  const messages: string[] = []
  for (const [index, text] of prompts.entries()) {
    messages.push((await client.sendMessage({ params: { id: session.id }, body: { text } })).messageId)
    await sessionWhen(client, session.id, idleAfter(index + 1))
  }
  return { id: session.id, params: { id: session.id }, messages }
}

async function ask(client: Client, id: string, text: string): Promise<string> {
  const { turns } = (await client.getSession({ params: { id } })).session
  await client.sendMessage({ params: { id }, body: { text } })
  return (await sessionWhen(client, id, idleAfter(turns + 1))).lastText ?? ''
}

test('a session that was parked goes on where it was, with its mode and model', async () => {
  const at = await place()
  const daemon = await startDaemonProcess({ ...at, env: { ...at.env, SIGNALBOX_PARK_AFTER_MS: '1000' } })
  const { client } = daemon
  const { id, params } = await begin(daemon, at, 'one')
  await client.changeSession({ params, body: { permissionMode: 'acceptEdits', model: 'claude-sonnet-5-5' } })

  await sessionWhen(client, id, ({ process: behind }) => behind === 'parked')
  expect(processesOf(at.home)).toEqual([])

  expect(await ask(client, id, 'two')).toBe('History: one | two')
  expect((await client.getSession({ params })).session).toMatchObject({
    permissionMode: 'acceptEdits',
    model: 'claude-sonnet-5-5',
    process: 'live',
  })
  await expectOrderly(client)
  await daemon.stop()
})

test('a fork knows what was said before it, and the original nothing of the fork', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  const { id, params, messages } = await begin(daemon, at, 'one', 'two', 'three')

  const whole = await client.forkSession({ params, body: {} })
  const cut = await client.forkSession({ params, body: { at: messages[1] ?? '', title: 'Another way' } })
  const fresh = await client.forkSession({ params, body: { at: messages[0] ?? '', prompt: 'anew' } })

  expect(whole.session).toMatchObject({ parentId: id, kind: 'managed', cwd: at.cwd })
  expect(cut.session.title).toBe('Another way')
  expect(await ask(client, whole.session.id, 'four')).toBe('History: one | two | three | four')
  expect(await ask(client, cut.session.id, 'else')).toBe('History: one | else')
  expect((await sessionWhen(client, fresh.session.id, idleAfter(1))).lastText).toBe('History: anew')
  expect(await ask(client, id, 'four')).toBe('History: one | two | three | four')
  const ids = [id, whole.session.id, cut.session.id, fresh.session.id]
  const claudeIds = await Promise.all(
    ids.map(async (one) => (await client.getSession({ params: { id: one } })).session.claudeSessionId),
  )
  expect(new Set(claudeIds).size).toBe(4)
  await expect(
    client.forkSession({ params, body: { at: 'msg_01j00000000000000000000000' } }),
  ).rejects.toMatchObject({
    code: 'message_not_found',
  })
  await expectOrderly(client)
  await daemon.stop()
})

test('a session is resumed at a message and forgets what came after', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  const { id, params, messages } = await begin(daemon, at, 'one', 'two', 'three')

  await client.resumeSession({ params, body: { at: messages[1] ?? '' } })

  expect(await ask(client, id, 'instead')).toBe('History: one | instead')
  expect(await ask(client, id, 'more')).toBe('History: one | instead | more')
  await expectOrderly(client)
  await daemon.stop()
})

/** A conversation from a terminal, in this daemon's conversations folder. */
async function inTerminal({ cwd, home, env, scriptFile }: Place, prompt: string): Promise<string> {
  const model = await startScriptedModel(JSON.parse(await readFile(scriptFile, 'utf8')))
  try {
    const { stdout } = await run(claudePath(), ['-p', prompt, '--output-format', 'json'], {
      cwd,
      env: claudeEnv(env, home, model.url),
    })
    return (JSON.parse(stdout) as { session_id: string }).session_id
  } finally {
    await model.close()
  }
}

function claudePath(): string {
  const require = createRequire(import.meta.url)
  return require.resolve(`@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`)
}

function claudeEnv(env: Record<string, string>, home: string, url: string) {
  return {
    ...env,
    CLAUDE_CONFIG_DIR: join(home, 'claude'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'test',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
}

test('a conversation that was begun in a terminal is adopted by Claude’s id, once', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  const claudeId = await inTerminal(at, 'from a terminal')

  const [one, two] = await Promise.all([
    client.resumeSession({ params: { id: claudeId }, body: {} }),
    client.resumeSession({ params: { id: claudeId }, body: {} }),
  ])

  expect(one.session).toMatchObject({ kind: 'managed', cwd: at.cwd, claudeSessionId: claudeId })
  expect(two.session.id).toBe(one.session.id)
  expect(await ask(client, one.session.id, 'from here')).toBe('History: from a terminal | from here')
  expect((await client.getSession({ params: { id: claudeId } })).session.id).toBe(one.session.id)
  const unknown = '00000000-0000-4000-8000-000000000000'
  await expect(client.resumeSession({ params: { id: unknown }, body: {} })).rejects.toMatchObject({
    code: 'conversation_not_found',
  })
  await daemon.stop()
})

test('the newest conversation of a folder is continued', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  const cwd = at.cwd
  await expect(client.createSession({ body: { cwd, continue: true } })).rejects.toMatchObject({
    code: 'conversation_not_found',
  })
  await inTerminal(at, 'older')
  const newest = await inTerminal(at, 'newest')

  const { session } = await client.createSession({ body: { cwd, continue: true, prompt: 'and on' } })

  expect(session.claudeSessionId).toBe(newest)
  expect((await sessionWhen(client, session.id, idleAfter(1))).lastText).toBe('History: newest | and on')
  await daemon.stop()
})

test('a conversation that lives in a terminal is not driven by a second process', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  const model = await startScriptedModel(JSON.parse(await readFile(at.scriptFile, 'utf8')))
  const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
  const terminal = spawn(claudePath(), args, {
    cwd: at.cwd,
    env: claudeEnv(at.env, at.home, model.url),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let said = ''
  terminal.stdout.on('data', (data: Buffer) => {
    said += data.toString()
  })
  terminal.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'hello' } })}\n`)
  await expect.poll(() => said, { timeout: 15_000 }).toContain('"type":"result"')
  const claudeId = /"session_id":"([^"]+)"/.exec(said)?.[1] ?? ''

  const { session } = await client.resumeSession({ params: { id: claudeId }, body: {} })
  await client.sendMessage({ params: { id: session.id }, body: { text: 'me too' } })
  await sessionWhen(client, session.id, ({ queue }) => queue.length === 0)
  const refused = (await allEvents(client, session.id)).find((event) => event.type === 'error.raised')
  expect(refused?.data).toMatchObject({
    code: 'conversation_in_use',
    message: expect.stringContaining(String(terminal.pid)),
  })

  terminal.stdin.end()
  await once(terminal, 'exit')
  expect(await ask(client, session.id, 'and now')).toBe('History: hello | and now')
  await model.close()
  await daemon.stop()
})

test('a turn that the end of the daemon cut off is continued by a person, or by itself', async () => {
  for (const onRestart of ['ask', 'continue'] as const) {
    const at = await place()
    const daemon = await startDaemonProcess(at)
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'talk' } })
    const { id } = session
    await sessionWhen(
      daemon.client,
      id,
      ({ partial }) => partial?.kind === 'text' && partial.text.length > 50,
    )
    await daemon.kill()

    const next = await startDaemonProcess({ ...at, env: { ...at.env, SIGNALBOX_ON_RESTART: onRestart } })

    if (onRestart === 'ask') {
      const waiting = await sessionWhen(next.client, id, ({ state }) => state === 'idle')
      expect(waiting).toMatchObject({ isInterrupted: true, process: 'none' })
      await next.client.resumeSession({ params: { id }, body: { continue: true } })
    }
    const done = await sessionWhen(next.client, id, idleAfter(2))
    expect(done.isInterrupted).toBe(false)
    const turns = (await allEvents(next.client, id)).flatMap((event) =>
      event.type === 'turn.started' ? [event.data.origin.kind] : [],
    )
    expect(turns).toEqual(['person', 'resume'])
    await expectOrderly(next.client)
    await next.stop()
  }
})

test('a permission outlives the daemon: the turn goes on, the same request waits, and its answer counts', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'write' } })
  const { id } = session
  const first = await pendingRequest(daemon.client, id)
  await daemon.kill()

  const next = await startDaemonProcess({ ...at, env: { ...at.env, SIGNALBOX_ON_RESTART: 'continue' } })

  const second = await pendingRequest(next.client, id)
  expect(second).toMatchObject({ id: first.id, inputDigest: first.inputDigest, state: 'pending' })
  await next.client.answerRequest({ params: { id: second.id }, body: { decision: 'allow' } })
  await sessionWhen(next.client, id, ({ state, lastText }) => state === 'idle' && lastText !== null)
  expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('x')
  await expectOrderly(next.client)
  await next.stop()
})
