/** `signalbox acp` without a daemon beside it, over a kill of the daemon, and with peers that are not editors. */

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { methods } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.js'
import { readAddress } from '../../src/home.js'
import {
  expectOrderly,
  makePlace,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { openEditor, startAcp } from '../support/editor.js'

const { session: call } = methods.agent

const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'The file is there.' }] },
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' } }],
      },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

test('without a daemon the editor starts one, which others reach, and which ends with the editor', async () => {
  const at = await place()
  const editor = await openEditor(at)
  const { sessionId } = await editor.agent.request(call.new, { cwd: at.cwd, mcpServers: [] })
  const turn = editor.agent.request(call.prompt, { sessionId, prompt: [{ type: 'text', text: 'write' }] })
  const dialog = await editor.dialog()

  const token = (await readFile(join(at.home, 'token'), 'utf8')).trim()
  const client = createClient({ url: readAddress(at.home)?.url ?? '', token })
  const { id } = await pendingRequest(client, sessionId)
  await client.answerRequest({ params: { id }, body: { decision: 'allow' } })
  expect(await turn).toEqual({ stopReason: 'end_turn' })
  await expect.poll(() => dialog.isWithdrawn).toBe(true)

  // A second editor uses the daemon of the first, then one of its own.
  const second = await openEditor(at)
  await second.agent.request(call.load, { sessionId, cwd: at.cwd, mcpServers: [] })
  expect(second.text()).toBe('The file is there.')
  expect(await editor.leave()).toBe(0)
  const again = second.agent.request(call.prompt, { sessionId, prompt: [{ type: 'text', text: 'hello' }] })
  expect(await again).toEqual({ stopReason: 'end_turn' })
  await expect.poll(() => second.text()).toContain('You said: hello')
  expect(await second.leave()).toBe(0)
  expect(readAddress(at.home)).toBeNull()
  expect(processesOf(at.home)).toEqual([])
}, 90_000)

test('a kill of the daemon loses neither the dialog nor its answer', async () => {
  const at = await place()
  const first = await startDaemonProcess(at)
  const editor = await openEditor(at)
  const { sessionId } = await editor.agent.request(call.new, { cwd: at.cwd, mcpServers: [] })
  const turn = editor.agent.request(call.prompt, { sessionId, prompt: [{ type: 'text', text: 'write' }] })
  const dialog = await editor.dialog()
  const before = await pendingRequest(first.client, sessionId)

  await first.kill()
  // Answered while there is no daemon: it is delivered to the next one.
  dialog.reply({ outcome: { outcome: 'selected', optionId: 'allow' } })
  const second = await startDaemonProcess(at)
  expect(await turn).toEqual({ stopReason: 'end_turn' })
  const { request } = await second.client.getRequest({ params: { id: before.id } })
  expect(request.resolution).toMatchObject({ decision: 'allow', via: 'acp' })
  expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
  expect(editor.text()).toBe('The file is there.')
  await editor.leave()
  await sessionWhen(second.client, sessionId, ({ state }) => state === 'idle')
  await expectOrderly(second.client)
  await second.stop()
}, 90_000)

test('an editor as it writes on the wire, with fields and methods of other versions', async () => {
  const at = await place()
  const child = startAcp(at)
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('unreachable')
  const received: Record<string, unknown>[] = []
  createInterface({ input: stdout }).on('line', (line) => {
    received.push(JSON.parse(line) as Record<string, unknown>)
  })
  const replyTo = async (id: unknown) => {
    await expect
      .poll(() => received.some((message) => message['id'] === id && !('method' in message)), {
        timeout: 30_000,
        interval: 20,
      })
      .toBe(true)
    return received.find((message) => message['id'] === id && !('method' in message)) ?? {}
  }
  const lines = (
    await readFile(new URL('../support/fixtures/acp/editor.jsonl', import.meta.url), 'utf8')
  ).trim()
  let sessionId = ''
  const results = new Map<unknown, unknown>()
  for (const line of lines.split('\n')) {
    stdin.write(`${line.replaceAll('SESSION', sessionId).replaceAll('CWD', at.cwd)}\n`)
    const { id } = JSON.parse(line) as { id?: unknown }
    if (id === undefined) continue
    const { result, error } = await replyTo(id)
    results.set(id, error ?? result)
    if (id === 1) sessionId = (result as { sessionId: string }).sessionId
  }
  expect(results.get(0)).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
  expect(results.get(2)).toEqual({})
  expect(results.get(3)).toEqual({ stopReason: 'end_turn' })
  expect(results.get(4)).toMatchObject({ code: -32601 })
  expect(results.get(5)).toMatchObject({ sessions: [{ sessionId, cwd: at.cwd }] })
  expect(results.get('six')).toMatchObject({ modes: { currentModeId: 'acceptEdits' } })
  expect(results.get(7)).toEqual({})

  // Each line that no editor would send is refused, and the next request is served.
  const before = received.length
  const huge = `{"jsonrpc":"2.0","id":70,"method":"session/prompt","params":"${'x'.repeat(17 * 1024 * 1024)}"}`
  stdin.write(`nonsense\n[]\n${huge}\n{"jsonrpc":"2.0","id":71,"method":"session/new","params":{"cwd":7}}\n`)
  stdin.write('{"jsonrpc":"2.0","id":72,"method":"session/list","params":{}}\n')
  await replyTo(72)
  const codes = received
    .slice(before)
    .map((message) => [message['id'], (message['error'] as { code: number } | undefined)?.code])
  expect(codes).toContainEqual([null, -32700])
  expect(codes).toContainEqual([null, -32600])
  expect(codes).toContainEqual([70, -32600])
  expect(codes).toContainEqual([71, -32602])
  stdin.end()
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
  // Nothing but the protocol was on standard output, or it would not have been parsed.
  expect(received.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
}, 90_000)
