/** `signalbox top` in a real terminal, while the daemon is killed and started again. */

import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { widthOf } from '../../src/cli/output/width.js'
import type { Client } from '../../src/client/client.js'
import {
  allEvents,
  expectOrderly,
  MAIN,
  makePlace,
  type Place,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { openTerminal } from '../support/terminal.js'

const MCP_SERVER = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url))

const QUESTION = {
  question: 'どちらにしますか',
  header: 'One',
  multiSelect: false,
  options: [
    { label: '左', description: 'this way' },
    { label: '右', description: 'that way' },
  ],
}

const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'Done 완료.' }] },
      {
        when: { user: '/write|Continue from where you left off/' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' } }],
      },
      {
        when: { user: 'delete' },
        reply: [{ tool: 'Bash', input: { command: 'rm -rf build' } }],
      },
      { when: { user: 'register' }, reply: [{ tool: 'mcp__kit__register', input: {} }] },
      { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

async function openTop(at: Place, extra: { columns: number; rows: number; env?: Record<string, string> }) {
  const { env = {}, ...size } = extra
  const command = `echo before; ${process.execPath} ${MAIN} top --home ${at.home}; echo "ended with $?"`
  return openTerminal(command, { cwd: at.cwd, env: { ...at.env, TERM: 'xterm-256color', ...env }, ...size })
}

/** Columns of the line between the list and the details. */
const ruleWidth = (screen: string) => widthOf(screen.split('\n').find((line) => line.startsWith('──')) ?? '')

const resolvedOf = async (client: Client, id: string) =>
  (await allEvents(client, id)).filter(({ type }) => /^(?:permission|question)\.resolved$/.test(type))

test('requests are answered with keys, dangerous ones only after a confirmation', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { client } = daemon
  const { session: writing } = await client.createSession({
    body: { cwd: at.cwd, prompt: 'write 한국어 제목' },
  })
  await pendingRequest(client, writing.id)
  const terminal = await openTop(at, { columns: 80, rows: 24 })

  await terminal.shows('1 waiting · 1 session')
  await terminal.shows(/> \? Permission/)
  await terminal.shows('"content": "written"')
  await terminal.press('a')
  await terminal.shows('0 waiting')
  await sessionWhen(client, writing.id, ({ state }) => state === 'idle')
  expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')

  // Another request comes, and the selection does not move to it: a key answers nothing that was not chosen.
  const { session: deleting } = await client.createSession({ body: { cwd: at.cwd, prompt: 'delete' } })
  const { id: requestId } = await pendingRequest(client, deleting.id)
  await terminal.shows('1 waiting · 2 sessions')
  await terminal.press('a')
  await terminal.shows('Select a request first.')
  await terminal.press('j')
  await terminal.shows(/> \? Permission/)
  await terminal.shows('Bash: rm -rf build')
  await terminal.shows('Deletes build and everything in it.')
  await terminal.press('a')
  await terminal.shows('Allow this? y yes')
  await terminal.press('n')
  await terminal.shows('j k move')
  expect((await client.getRequest({ params: { id: requestId } })).request.state).toBe('pending')
  await terminal.press('d')
  await terminal.shows('Reason (Enter denies')
  await terminal.type('not now, 나중에')
  await terminal.shows('not now, 나중에')
  await terminal.press('Enter')
  await terminal.shows('0 waiting')
  const [resolved] = await resolvedOf(client, deleting.id)
  expect(resolved?.data).toMatchObject({ decision: 'deny', message: 'not now, 나중에', via: 'cli' })

  const { session: asking } = await client.createSession({ body: { cwd: at.cwd, prompt: 'ask' } })
  await pendingRequest(client, asking.id)
  await terminal.shows('1 waiting')
  await terminal.press('k')
  await terminal.press('k')
  await terminal.press('k')
  await terminal.shows(/> \? Question/)
  await terminal.press('a')
  await terminal.shows('(number or text)')
  await terminal.type('3')
  await terminal.press('Enter')
  await terminal.shows('No option 3. Use 1 to 2')
  await terminal.press('BSpace')
  await terminal.type('2')
  await terminal.press('Enter')
  await terminal.shows('0 waiting')
  const [answered] = await resolvedOf(client, asking.id)
  expect(answered?.data).toMatchObject({ answers: { [QUESTION.question]: '右' } })

  // A form of an MCP server.
  const mcpServers = { kit: { command: process.execPath, args: [MCP_SERVER] } }
  const { session: filling } = await client.createSession({
    body: { cwd: at.cwd, prompt: 'register', options: { mcpServers } },
  })
  const call = await pendingRequest(client, filling.id)
  await client.answerRequest({ params: { id: call.id }, body: { decision: 'allow' } })
  await terminal.shows('? Form')
  for (let press = 0; press < 5; press += 1) await terminal.press('k')
  await terminal.shows(/> \? Form/)
  await terminal.press('a')
  await terminal.shows('> Your name')
  await terminal.type('김철수')
  await terminal.press('Enter')
  await terminal.shows('> age (whole number, optional)')
  await terminal.type('old')
  await terminal.press('Enter')
  await terminal.shows('age must be a number.')
  // Suspended in the middle, and continued with what was typed.
  await terminal.press('C-z')
  await terminal.shows('Stopped')
  expect(await terminal.isTakenOver()).toBe(false)
  await terminal.type('fg; echo "ended with $?"')
  await terminal.press('Enter')
  await terminal.shows('old_')
  for (let press = 0; press < 3; press += 1) await terminal.press('BSpace')
  await terminal.press('Enter')
  await terminal.shows('> colour (1 to 2)')
  await terminal.type('2')
  await terminal.press('Enter')
  await terminal.press('Enter')
  await terminal.shows('0 waiting')
  const { lastText } = await sessionWhen(
    client,
    filling.id,
    ({ state, turns }) => state === 'idle' && turns === 1,
  )
  expect(lastText).toContain('완료')
  const [form] = (await resolvedOf(client, filling.id)).filter(({ type }) => type === 'question.resolved')
  expect(form?.data).toMatchObject({
    form: { action: 'accept', content: { name: '김철수', colour: 'blue' } },
  })

  // The conversation of the selected session, and back.
  await terminal.press('j')
  await terminal.press('Enter')
  await terminal.shows('Done 완료.')
  await terminal.press('Escape')
  await terminal.press('?')
  await terminal.shows('q Ctrl-C')
  await terminal.press('x')
  await terminal.type('/한국어')
  await terminal.press('Enter')
  await terminal.shows('filter: 한국어')
  await terminal.press('q')
  await terminal.shows('ended with 0')
  await terminal.shows('before')
  expect(await terminal.isTakenOver()).toBe(false)
  await expectOrderly(client)
  await daemon.stop()
})

test('a killed daemon is reported, nothing is answered meanwhile, and a request is answered once after it is back', async () => {
  const at = await place()
  let daemon = await startDaemonProcess(at)
  const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'write' } })
  await pendingRequest(daemon.client, session.id)
  const terminal = await openTop(at, { columns: 80, rows: 24 })
  await terminal.shows('1 waiting')

  await daemon.kill()
  await terminal.shows('Connection lost, reconnecting')
  await terminal.press('a')
  await terminal.shows('Not connected. Nothing was answered.')
  daemon = await startDaemonProcess(at)
  // Another port, and the list is current again.
  await expect.poll(terminal.screen, { timeout: 20_000 }).not.toContain('Connection lost')
  await terminal.shows('The agent is not running')
  expect(await resolvedOf(daemon.client, session.id)).toEqual([])
  await expect(access(join(at.cwd, 'a.txt'))).rejects.toThrow()

  await terminal.press('a')
  await terminal.press('a')
  await terminal.shows('0 waiting')
  await sessionWhen(daemon.client, session.id, ({ state, turns }) => state === 'idle' && turns === 2)
  const people = (await resolvedOf(daemon.client, session.id)).filter(
    ({ data }) => 'by' in data && data.by === 'person',
  )
  expect(people).toHaveLength(1)
  expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
  await expectOrderly(daemon.client)
  await daemon.stop()
})

test('it fits 60 columns without colour, follows the size, and gives the terminal back on a signal and a crash', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const title = '가나다라마바사아자차카타파하'.repeat(6)
  const { session } = await daemon.client.createSession({
    body: { cwd: at.cwd, prompt: 'hello \u001b[2J\u001b[1;1Hthere', title },
  })
  await sessionWhen(daemon.client, session.id, ({ turns }) => turns === 1)
  const crash = join(at.folder, 'crash.cjs')
  const pidFile = join(at.folder, 'pid')
  await writeFile(
    crash,
    `if (process.argv.includes('top')) require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))
process.on('SIGUSR2', () => { throw new Error('a mistake of ours') })`,
  )
  const env = { NO_COLOR: '1', NODE_OPTIONS: `--require ${crash}` }
  const open = async (signal: NodeJS.Signals, expected: string) => {
    const terminal = await openTop(at, { columns: 60, rows: 20, env })
    await terminal.shows('0 waiting · 1 session')
    // Control characters of others are visible, and do nothing.
    await terminal.shows('You said: hello ␛[2J␛[1;1Hthere')
    const coloured = await terminal.coloured()
    // oxlint-disable-next-line no-control-regex -- a colour is what must not be there.
    expect(coloured).not.toMatch(/\u001b\[(?!0?m|39m|49m)/)
    expect(coloured).toMatch(/^> Idle +가나다.*… .*project +\d+s$/m)
    expect(await terminal.isTakenOver()).toBe(true)
    await terminal.resize(90, 12)
    await expect.poll(async () => ruleWidth(await terminal.screen())).toBe(90)
    process.kill(Number(await readFile(pidFile, 'utf8')), signal)
    await terminal.shows(expected)
    expect(await terminal.isTakenOver()).toBe(false)
    // The terminal echoes what is typed, once the shell asks for it.
    await terminal.shows(/ended with \d+\s*\n[#$]/)
    await terminal.type('echo back')
    await terminal.press('Enter')
    await terminal.shows(/echo back\nback/)
  }

  await open('SIGTERM', 'ended with 130')
  await open('SIGUSR2', 'a mistake of ours')
  await daemon.stop()
})
