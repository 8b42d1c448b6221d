/** `signalbox logs` and `service logs`: with a daemon, while it is killed, and without one. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  MAIN,
  makePlace,
  type Place,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { whenDone } from '../support/when-done.js'

const SECRET = 'sk-ant-api03-0123456789abcdefghij'

const place = () =>
  makePlace(() => ({
    rules: [
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: 'rm -rf build' } }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

function signalbox({ env, cwd, home }: Place, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words, '--home', home], {
    env,
    cwd,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** A command that runs on; its output so far. */
function follow({ env, cwd, home }: Place, ...words: string[]) {
  const child = spawn(process.execPath, [MAIN, ...words, '--home', home], { env, cwd })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  whenDone(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  return {
    shows: (text: string | RegExp) => expect.poll(() => output, { timeout: 20_000 }).toMatch(text),
    async interrupt() {
      child.kill('SIGINT')
      await exited
      return child.exitCode
    },
  }
}

test('starts, crashes and stops of the daemon are logged, and followed over kill -9', async () => {
  const at = await place()
  expect(signalbox(at, 'logs')).toMatchObject({ status: 0, stderr: expect.stringContaining('Nothing is') })
  const early = follow(at, 'logs', '-f')
  const first = await startDaemonProcess(at)
  await early.shows(/info {3}Started \(version .*pid/)
  const { session } = await first.client.createSession({ body: { cwd: at.cwd, prompt: 'wait' } })
  await pendingRequest(first.client, session.id)
  const messages = follow(at, 'logs', session.id.slice(-6), '--follow', '-n', '1')
  await messages.shows('← assistant: Bash: rm -rf build')

  await first.kill()
  const down = signalbox(at, 'logs')
  expect(down.stderr).toContain('The daemon is not running.')
  const second = await startDaemonProcess(at)
  await early.shows(new RegExp(`Previous run did not stop cleanly \\(pid ${first.pid}\\)\n.*Started`))
  await second.client.answerRequest({
    params: { id: (await pendingRequest(second.client, session.id)).id },
    body: { decision: 'deny' },
  })
  // The second daemon writes to the same file.
  await messages.shows('← result')
  expect(await second.stop()).toBe(0)
  await early.shows(/Stopping \(signal SIGTERM\)\n.*Stopped/)
  expect([await early.interrupt(), await messages.interrupt()]).toEqual([130, 130])

  writeFileSync(join(at.home, 'config.jsonc'), '{ "port": "x" }', { mode: 0o600 })
  expect(signalbox(at, 'start').status).toBe(2)
  const errors = signalbox(at, 'logs', '--level', 'error', '--json')
  expect(errors.stdout.trim().split('\n')).toEqual([expect.stringContaining('"message":"start_failed"')])
  expect(signalbox(at, 'logs', '--since', '1h').stdout.trim().split('\n')).toHaveLength(6)
  const folder = join(at.home, 'logs')
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

test('the messages of a session are shown without a daemon, by a short id and without secrets', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { session } = await daemon.client.createSession({
    body: { cwd: at.cwd, prompt: `use ${SECRET} 그리고 \u001b[2J` },
  })
  await sessionWhen(daemon.client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
  expect(signalbox(at, 'logs', 'nothing').status).toBe(3)
  expect(signalbox(at, 'logs', 'ses_00000000000000000000000000').status).toBe(3)
  await daemon.stop()

  const shown = signalbox(at, 'logs', session.id.slice(-6))
  expect(shown).toMatchObject({ status: 0, stderr: expect.stringContaining('not running') })
  expect(shown.stdout).toMatch(/→ message: use \[redacted\] 그리고 ␛\[2J/)
  expect(shown.stdout).toContain('← assistant: You said: use [redacted]')
  expect(shown.stdout).not.toContain('sk-ant')
  const json = signalbox(at, 'logs', session.id, '--json').stdout.trim().split('\n')
  expect(new Set(json.map((line) => (JSON.parse(line) as { sessionId: string }).sessionId))).toEqual(
    new Set([session.id]),
  )
  expect(signalbox(at, 'logs', 'nothing')).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('daemon is not running'),
  })
  expect(signalbox(at, 'logs', session.id, '--level', 'error').status).toBe(2)

  // A secret that is known only now, in a log of an older version.
  const [file = ''] = readdirSync(join(at.home, 'logs')).filter((name) => name.startsWith('daemon-'))
  writeFileSync(
    join(at.home, 'logs', file),
    `${JSON.stringify({ time: new Date().toISOString(), level: 'info', message: `known as ${daemon.token}` })}\n`,
  )
  expect(signalbox(at, 'logs').stdout).toMatch(/Known as \[redacted\]$/m)
})

test.skipIf(process.platform !== 'linux')(
  'the log of the service is printed like the log of the daemon',
  async () => {
    const at = await place()
    const time = '2026-11-18T07:59:00.000Z'
    const own = [
      { time, level: 'info', message: 'started', pid: 7 },
      { time, level: 'error', message: 'fault', error: 'It failed.', stack: 'at' },
    ].map((entry) => JSON.stringify(entry))
    mkdirSync(join(at.home, 'logs'), { recursive: true })
    writeFileSync(join(at.home, 'logs', 'daemon-2026-11-18.jsonl'), `${own.join('\n')}\n`)
    // As journalctl 252 prints entries; bytes where a message has control characters.
    const entries = [
      ...own,
      '{"event":"ready","url":"http://127.0.0.1:4747"}',
      [...Buffer.from('exited\u001b[2m')],
    ].map((MESSAGE) => ({ MESSAGE, __REALTIME_TIMESTAMP: '1794988800000000', SYSLOG_IDENTIFIER: 'systemd' }))
    const bin = join(at.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'entries'), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    writeFileSync(join(bin, 'journalctl'), `#!/bin/sh\necho "$*" >&2\ncat "${bin}/entries"\n`, {
      mode: 0o755,
    })
    const env = { ...at.env, PATH: `${bin}:${at.env['PATH']}`, TZ: 'UTC' }

    const shown = signalbox({ ...at, env }, 'service', 'logs', '-n', '5', '--since', '2026-11-18T07:00:00Z')
    expect(shown.stderr).toMatch(/^--user --user-unit signalbox-\w+\.service .*--lines=5 --since=@\d+\n$/)
    const lines = shown.stdout.trimEnd().split('\n')
    expect(lines.slice(0, -2).join('\n')).toBe(signalbox({ ...at, env }, 'logs').stdout.trimEnd())
    expect(lines.slice(-2)).toEqual([
      '2026-11-18 08:00:00  info   systemd: Ready: http://127.0.0.1:4747',
      '2026-11-18 08:00:00  info   systemd: exited␛[2m',
    ])
    expect(shown.status).toBe(0)

    const bare = { ...at, env: { ...env, PATH: join(at.folder, 'nowhere') } }
    expect(signalbox(bare, 'service', 'logs')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/journalctl does not run.*signalbox\.cjs logs --home/s),
    })
  },
)
