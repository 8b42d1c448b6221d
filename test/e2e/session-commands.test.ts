/** Commands that go back in a conversation, take one up again, and look after what runs beside it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import {
  allEvents,
  MAIN,
  makePlace,
  type Place,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal } from '../support/terminal.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      ...['one', 'two'].map((word) => ({
        when: { user: `write ${word}` },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: `${word}\n` } }],
      })),
      {
        when: { user: 'background' },
        reply: [{ tool: 'Bash', input: { command: 'sleep 300', run_in_background: true } }],
      },
      { when: { user: 'talk' }, times: 1, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
      { when: { user: 'recall' }, reply: [{ text: 'So far: {{history}}' }] },
      { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

async function signalbox({ env, cwd, home }: Place, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, '--home', home], { env, cwd, stdio: 'pipe' })
  child.stdin.end()
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

/** Says things one after the other; resolves with the ids of the messages. */
async function say(client: Client, id: string, ...texts: string[]): Promise<string[]> {
  const sent: string[] = []
  for (const words of texts) {
    const { turns } = (await client.getSession({ params: { id } })).session
    sent.push((await client.sendMessage({ params: { id }, body: { text: words } })).messageId)
    await sessionWhen(client, id, (now) => now.turns === turns + 1 && now.turn === null)
  }
  return sent
}

test('rewind restores files to their state before a message, after a dry run', async () => {
  const at = await place()
  const { client, stop } = await startDaemonProcess(at)
  const file = join(at.cwd, 'a.txt')
  const { session } = await client.createSession({
    body: { cwd: at.cwd, permissionMode: 'acceptEdits', options: { enableFileCheckpointing: true } },
  })
  const [, second = ''] = await say(client, session.id, 'write one', 'write two')
  expect(await readFile(file, 'utf8')).toBe('two\n')

  expect(await signalbox(at, 'rewind', session.id, '--to', second, '--dry-run')).toEqual({
    code: 0,
    stdout: `${file}\n`,
    stderr: 'Files would be restored: 1. Lines added: 1, removed: 1.\n',
  })
  expect(await readFile(file, 'utf8')).toBe('two\n')
  const done = await signalbox(at, 'rewind', session.id.slice(0, 26), '--to', second)
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('Files restored: 1.') })
  expect(await readFile(file, 'utf8')).toBe('one\n')

  expect(await signalbox(at, 'rewind', session.id)).toMatchObject({ code: 2 })
  expect(await signalbox(at, 'rewind', session.id, '--to', 'yesterday')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/signalbox(?:\.cjs)? show/),
  })
  const unknown = second.replace(/.{4}$/, '0000')
  expect(await signalbox(at, 'rewind', session.id, '--to', unknown)).toMatchObject({ code: 3 })
  await stop()
})

test('fork and resume begin behind a message: what came after is not remembered', async () => {
  const at = await place()
  const { client, stop } = await startDaemonProcess(at)
  const { session } = await client.createSession({ body: { cwd: at.cwd } })
  const [, cherry = ''] = await say(client, session.id, 'apple', 'cherry')
  const remembered = async (id: string) => {
    await say(client, id, 'recall')
    const { lastText } = (await client.getSession({ params: { id } })).session
    return ['apple', 'cherry'].filter((word) => lastText?.includes(word))
  }

  const forked = await signalbox(at, 'fork', session.id, '--at', cherry, '--json')
  const copy = (JSON.parse(forked.stdout) as { session: { id: string; parentId: string } }).session
  expect(copy.parentId).toBe(session.id)
  expect(await remembered(copy.id)).toEqual(['apple'])
  expect(await remembered(session.id)).toEqual(['apple', 'cherry'])

  expect(await signalbox(at, 'resume', session.id, '--at', cherry)).toMatchObject({ code: 0 })
  expect(await remembered(session.id)).toEqual(['apple'])
  expect(await signalbox(at, 'fork', session.id, '--at', cherry.replace(/.{4}$/, '0000'))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('has received no message'),
  })
  expect(await signalbox(at, 'fork', session.id, '--at', 'x')).toMatchObject({ code: 2 })
  await stop()
})

test('resume --continue goes on with a turn that was cut off', async () => {
  const at = await place()
  const first = await startDaemonProcess(at)
  const { session } = await first.client.createSession({ body: { cwd: at.cwd, prompt: 'talk' } })
  const { id } = await sessionWhen(first.client, session.id, ({ partial }) => partial !== null)
  await first.kill()
  const { client, stop } = await startDaemonProcess(at)
  await sessionWhen(client, id, ({ isInterrupted, state }) => isInterrupted && state === 'idle')

  expect(await signalbox(at, 'resume', id, '--continue')).toMatchObject({ code: 0 })

  await sessionWhen(client, id, ({ isInterrupted, turn }) => !isInterrupted && turn === null)
  const ends = (await allEvents(client, id)).filter((event) => event.type === 'turn.ended')
  expect(ends.map(({ data }) => 'outcome' in data && data.outcome)).toEqual(['failed', 'completed'])
  await stop()
})

test('tasks lists what runs beside a session, and stops it', async () => {
  const at = await place()
  const { client, stop } = await startDaemonProcess(at)
  const { session } = await client.createSession({ body: { cwd: at.cwd, prompt: 'background' } })
  const { tasks } = await sessionWhen(
    client,
    session.id,
    (now) => Object.keys(now.tasks).length === 1 && now.turn === null,
  )
  const [task = ''] = Object.keys(tasks)

  const listed = await signalbox(at, 'tasks', session.id)
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^task .*\\n${task} `)) })
  expect(await signalbox(at, 'tasks', session.id, 'stop', 'nothing')).toMatchObject({ code: 3 })
  expect(await signalbox(at, 'tasks', session.id, 'stop')).toMatchObject({ code: 2 })
  expect(await signalbox(at, 'tasks', session.id, 'stop', task)).toMatchObject({
    code: 0,
    stderr: `Stopped ${task}.\n`,
  })
  await sessionWhen(client, session.id, (now) => Object.keys(now.tasks).length === 0)
  expect((await signalbox(at, 'tasks', session.id)).stderr).toBe('No background tasks.\n')
  await stop()
})

describe.skipIf(findCommand('tmux') === null)('run asks about a folder that brings something along', () => {
  const open = (at: Place) =>
    openTerminal(
      `${process.execPath} ${MAIN} run --home ${at.home} --scripted ${at.scriptFile} hello; echo exit $?`,
      { cwd: at.cwd, env: at.env },
    )
  const answer = async (at: Place, key: string) => {
    await writeFile(join(at.cwd, '.mcp.json'), '{"mcpServers":{}}')
    const terminal = await open(at)
    await terminal.shows(/contains \.mcp\.json[\s\S]*Trust it\?/)
    await terminal.pressUntil(key, 'exit 0')
    return terminal
  }

  test.each([
    ['y', true],
    ['n', false],
  ])('%s is remembered: it asks once', async (key, isTrusted) => {
    const at = await place()
    await answer(at, key)
    const again = await open(at)
    await again.shows('exit 0')
    expect(await again.screen()).not.toContain('Trust it?')
    const { client, stop } = await startDaemonProcess(at)
    expect((await client.listWorkspaces()).workspaces.map(({ path }) => path)).toEqual(
      isTrusted ? [at.cwd] : [],
    )
    await stop()
  })
})
