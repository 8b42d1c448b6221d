/** The command line as users type it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import {
  MAIN,
  makePlace,
  type Place,
  pendingRequest,
  processesOf,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal } from '../support/terminal.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' } }],
      },
      {
        when: { user: 'two files' },
        reply: ['one.txt', 'two.txt'].map((name) => ({
          tool: 'Write',
          input: { file_path: join(cwd, name), content: name },
        })),
      },
      {
        when: { user: 'trick' },
        reply: [{ tool: 'Bash', input: { command: 'rm -rf build \u001b[2K\u001b[1A# harmless' } }],
      },
      { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }] },
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
      { when: { user: 'fail' }, reply: [{ error: 400, message: 'no' }] },
      { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

const QUESTION = {
  question: 'Which one?',
  header: 'One',
  multiSelect: false,
  options: [
    { label: 'Left', description: 'this way' },
    { label: 'Right', description: 'that way' },
  ],
}

async function signalbox({ env, cwd }: Place, args: string[], input = '') {
  const child = spawn(process.execPath, [MAIN, ...args], { env, cwd, stdio: 'pipe' })
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

const runArgs = ({ home, scriptFile }: Place, ...more: string[]) => [
  'run',
  '--home',
  home,
  '--scripted',
  scriptFile,
  ...more,
]

describe('run without a daemon', () => {
  test('prints the answer and nothing else on standard output', async () => {
    const at = await place()
    expect(await signalbox(at, runArgs(at, 'hello', 'there'))).toEqual({
      code: 0,
      stdout: 'You said: hello there\n',
      stderr: '',
    })
  })

  test('takes the prompt from standard input', async () => {
    const at = await place()
    expect((await signalbox(at, runArgs(at), 'from a pipe')).stdout).toBe('You said: from a pipe\n')
  })

  test('prints every event as a line of JSON', async () => {
    const at = await place()
    const { stdout, code } = await signalbox(at, runArgs(at, '--json', 'hello'))
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; seq: number })
    expect(code).toBe(0)
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', data: { text: 'You said: hello' } })
    expect(events[0]).toMatchObject({ type: 'session.created' })
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  })

  test('what the CLI answers by itself is shown too', async () => {
    const at = await place()
    expect((await signalbox(at, runArgs(at, '/context'))).stdout).toContain('Context Usage')
  })

  test('a run that is ended by a signal leaves no process behind', async () => {
    const at = await place()
    const child = spawn(process.execPath, [MAIN, ...runArgs(at, 'talk')], {
      env: at.env,
      cwd: at.cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(child.stdout, 'data')
    expect(processesOf(at.home).length).toBeGreaterThan(0)

    child.kill('SIGTERM')
    await once(child, 'exit')

    expect(processesOf(at.home)).toEqual([])
  })

  test('a turn that fails is exit code 1 with the reason', async () => {
    const at = await place()
    const { code, stderr } = await signalbox(at, runArgs(at, 'fail please'))
    expect(code).toBe(1)
    expect(stderr).toContain('Failed (api_error).')
  })

  test('what is wrong with a call is said, with exit code 2 or 3', async () => {
    const at = await place()
    expect(await signalbox(at, runArgs(at, '--mode', 'wild', 'hello'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('acceptEdits'),
    })
    expect(await signalbox(at, runArgs(at, '--cwd', '/no/such/folder', 'hello'))).toMatchObject({ code: 3 })
    expect(await signalbox(at, runArgs(at))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No prompt given'),
    })
    expect(await signalbox(at, ['run', '--colour', 'blue'])).toMatchObject({ code: 2 })
    expect(await signalbox(at, ['sesions'])).toMatchObject({ code: 2 })
  })
})

test('a slow reader gets all of a long result, and one that leaves early ends the command', async () => {
  const at = await place()
  const lines = Array.from({ length: 10_000 }, (_, id) =>
    JSON.stringify({ time: '2026-11-18T12:00:00.000Z', level: 'info', message: 'one of many lines', id }),
  )
  await mkdir(join(at.home, 'logs'), { recursive: true })
  await writeFile(join(at.home, 'logs', 'daemon-2026-11-18.jsonl'), `${lines.join('\n')}\n`)
  const node = `"${process.execPath}"`
  const into = async (reader: string) => {
    const command = `${node} "${MAIN}" logs --json -n 10000 --home "${at.home}"`
    const child = spawn('bash', ['-c', `${command} | ${reader}; echo "$PIPESTATUS"`], at)
    return (await text(child.stdout)).trim().split('\n')
  }

  // The pipe is full before its reader goes on.
  const slow = await into(`{ read first; ${node} -e 0; tail -n 1; }`)
  expect(slow).toEqual([expect.stringContaining('"id":9999'), '0'])
  expect(await into('head -n 1')).toEqual([expect.stringContaining('"id":0'), '0'])
  if (process.platform !== 'linux') return
  const full = spawn(
    'bash',
    ['-c', `${node} "${MAIN}" logs --home "${at.home}" > /dev/full; echo $? >&2`],
    at,
  )
  expect(await text(full.stderr)).toMatch(/could not be written: .*\n1\n$/)
})

describe('with a daemon', () => {
  test('run uses it, and its requests are answered from another terminal', async () => {
    const at = await place()
    const daemon = await startDaemonProcess(at)
    const running = signalbox(at, ['run', '--home', at.home, '--cwd', at.cwd, 'write a file'])
    await expect
      .poll(async () => (await daemon.client.listSessions({ query: {} })).sessions.length, {
        timeout: 10_000,
      })
      .toBe(1)
    const [session] = (await daemon.client.listSessions({ query: {} })).sessions
    const { id } = await pendingRequest(daemon.client, session?.id ?? '')
    const home = ['--home', at.home]

    expect((await signalbox(at, ['inbox', ...home])).stdout).toContain(id)
    expect(JSON.parse((await signalbox(at, ['inbox', '--json', ...home])).stdout)).toMatchObject({
      requests: [{ id }],
    })
    expect(await signalbox(at, ['allow', id.slice(0, -4), ...home])).toMatchObject({ code: 0 })

    expect(await running).toMatchObject({ code: 0, stdout: expect.stringContaining('Result: File created') })
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
    expect(await signalbox(at, ['allow', id, ...home])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already answered by admin'),
    })
    expect((await signalbox(at, ['sessions', ...home])).stdout).toContain(session?.id)
    expect(await signalbox(at, ['stop', session?.id ?? '', ...home])).toMatchObject({ code: 0 })
    expect(await signalbox(at, ['send', session?.id ?? '', 'hi', ...home])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has ended'),
    })
    await daemon.stop()
  })

  test('a denial and a question', async () => {
    const at = await place()
    const daemon = await startDaemonProcess(at)
    const home = ['--home', at.home]
    const { session: one } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'write' } })
    const { session: two } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'ask' } })
    const permission = await pendingRequest(daemon.client, one.id)
    const question = await pendingRequest(daemon.client, two.id)

    expect(await signalbox(at, ['deny', permission.id, '--message', 'not today', ...home])).toMatchObject({
      code: 0,
    })
    expect(await signalbox(at, ['answer', question.id, ...home])).toMatchObject({ code: 2 })
    expect(await signalbox(at, ['answer', question.id, 'Right', ...home])).toMatchObject({ code: 0 })

    const lastText = async (id: string) =>
      (await daemon.client.getSession({ params: { id } })).session.lastText
    await expect.poll(() => lastText(one.id), { timeout: 10_000 }).toBe('Result: not today')
    await expect.poll(() => lastText(two.id), { timeout: 10_000 }).toContain('"Which one?"="Right"')
    await daemon.stop()
  })

  test('another daemon in the same home is refused, and says where the first one is', async () => {
    const at = await place()
    const daemon = await startDaemonProcess(at)
    const second = await signalbox(at, ['start', '--home', at.home, '--port', '0'])
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(daemon.url) })
    await daemon.stop()
  })
})

test('a signal that comes as soon as the daemon is ready stops it properly', async () => {
  const at = await place()
  for (let round = 0; round < 3; round++) {
    const daemon = await startDaemonProcess(at)
    expect(await daemon.stop()).toBe(0)
  }
})

test('the scripted model runs alone', async () => {
  const at = await place()
  const child = spawn(process.execPath, [MAIN, 'model', '--script', at.scriptFile, '--json'], {
    env: at.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url } = JSON.parse(line) as { url: string }

  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hello' }] }),
  })

  expect(await answer.json()).toMatchObject({ content: [{ type: 'text', text: 'You said: hello' }] })
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

describe('what can go wrong at the start is told with its cure', () => {
  test('no daemon', async () => {
    const at = await place()
    expect(await signalbox(at, ['inbox', '--home', at.home])).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/signalbox(?:\.cjs)? start/),
    })
  })

  test('a port that is taken', async () => {
    const at = await place()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const args = ['start', '--home', at.home, '--scripted', '--port', port]
    expect(await signalbox(at, args)).toMatchObject({ code: 1, stderr: expect.stringContaining('--port') })
    server.close()
  })

  test('a script or a configuration with a mistake', async () => {
    const at = await place()
    await writeFile(at.scriptFile, '{"rules":[{"reply":[{"txt":1}]}]}')
    expect(await signalbox(at, runArgs(at, 'x'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('rules[0].reply[0]'),
    })
    await writeFile(join(at.home, 'config.jsonc'), '{ "port": 4747, // fine\n "colour": "blue" }')
    expect(await signalbox(at, ['start', '--home', at.home])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('colour'),
    })
    await writeFile(join(at.home, 'config.jsonc'), '{\n "port": \n')
    expect(await signalbox(at, ['start', '--home', at.home])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line'),
    })
  })

  test('a home that another file stands in the way of', async () => {
    const at = await place()
    await writeFile(join(at.folder, 'file'), '')
    const { code, stderr } = await signalbox(at, ['start', '--home', join(at.folder, 'file', 'home')])
    expect([code, stderr]).toEqual([6, expect.stringContaining('--home')])
  })
})

describe.skipIf(findCommand('tmux') === null)('in a real terminal', () => {
  const open = async (at: Place, prompt: string) =>
    openTerminal(`${process.execPath} ${MAIN} ${runArgs(at, `'${prompt}'`).join(' ')}; echo exit $?`, {
      cwd: at.cwd,
      env: at.env,
    })

  test('a permission is asked here, explained, and allowed', async () => {
    const at = await place()
    const terminal = await open(at, 'write a file')
    await terminal.shows('Writes')
    await terminal.pressUntil('?', '"content": "written"')
    await terminal.pressUntil('y', 'exit 0')
    expect(await terminal.screen()).toContain('Result: File created')
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
  })

  test('a permission is denied with words for the agent', async () => {
    const at = await place()
    const terminal = await open(at, 'write a file')
    await terminal.shows('[n] deny')
    await terminal.pressUntil('n', 'Reason, sent to the agent')
    await terminal.type('the file is mine')
    await terminal.press('Enter')

    await terminal.shows('exit 0')
    expect(await terminal.screen()).toContain('Result: the file is mine')
  })

  test('a question is answered by number', async () => {
    const at = await place()
    const terminal = await open(at, 'ask me')
    await terminal.shows('[1-2] choose')
    await terminal.pressUntil('3', 'Press 1, 2 or t.')
    await terminal.pressUntil('2', 'exit 0')
    expect(await terminal.screen()).toContain('"Which one?"="Right"')
  })

  test('one key answers one request, also when several come at once', async () => {
    const at = await place()
    const terminal = await open(at, 'two files')
    await terminal.shows('Write: one.txt')
    await terminal.pressUntil('y', /deny  \[\?\] show the input: y/)
    await terminal.shows(/Write: two\.txt[\s\S]*\[n\] deny/)
    await expect(access(join(at.cwd, 'two.txt'))).rejects.toThrow()
    await terminal.pressUntil('n', 'Reason, sent to the agent')
    await terminal.press('Enter')

    await terminal.shows('exit 0')
    expect(await readFile(join(at.cwd, 'one.txt'), 'utf8')).toBe('one.txt')
    await expect(access(join(at.cwd, 'two.txt'))).rejects.toThrow()
  })

  test('Ctrl-C at a question interrupts the turn', async () => {
    const at = await place()
    const terminal = await open(at, 'write a file')
    await terminal.shows('[n] deny')
    await terminal.press('C-c')

    await terminal.shows('exit 130')
    await expect(access(join(at.cwd, 'a.txt'))).rejects.toThrow()
  })

  test('a command cannot hide itself from who reads it; Claude Code itself refuses it', async () => {
    const at = await place()
    const terminal = await open(at, 'trick')
    await terminal.shows('rm -rf build ␛[2K␛[1A# harmless')
    await terminal.shows('control characters')
    await terminal.shows('exit 0')
  })

  test('Ctrl-C interrupts the turn', async () => {
    const at = await place()
    const terminal = await open(at, 'talk')
    await terminal.shows('word word')
    await terminal.press('C-c')

    await terminal.shows('exit 130')
    expect(await terminal.screen()).toContain('Interrupted.')
  })

  test('start shows where the dashboard is, and stops at Ctrl-C', async () => {
    const at = await place()
    const command = `${process.execPath} ${MAIN} start --home ${at.home} --scripted --port 0; echo exit $?`
    const terminal = await openTerminal(command, { cwd: at.cwd, env: at.env })
    await terminal.shows(/Dashboard\s+http:\/\/127\.0\.0\.1:\d+\/#code=/)
    await terminal.press('C-c')

    await terminal.shows('exit 0')
  })
})
