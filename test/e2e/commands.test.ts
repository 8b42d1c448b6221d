/** Commands for sessions that a daemon runs, as users type them. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.js'
import { MAIN, makePlace, type Place, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'

const place = () =>
  makePlace((cwd) => ({
    defaults: { usage: { input_tokens: 1_000, output_tokens: 100 } },
    rules: [
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'a' } }],
      },
      { when: { toolResult: '*' }, reply: [{ text: 'Written.' }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

async function signalbox({ env, cwd, home }: Place, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, '--home', home], { env, cwd, stdio: 'pipe' })
  child.stdin.end()
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

test('a session is looked at, changed, copied, exported, found and deleted', async () => {
  const at = await place()
  const { client, stop } = await startDaemonProcess(at)
  const { session } = await client.createSession({
    body: { cwd: at.cwd, prompt: '안녕하세요 parser', title: '파서' },
  })
  const { id } = await sessionWhen(client, session.id, ({ turns, state }) => turns === 1 && state === 'idle')
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await signalbox(at, ...args, '--json')
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout) as Record<string, never>
  }

  const shown = await signalbox(at, 'show', id.slice(0, 24))
  expect(shown.stdout).toMatch(/^session +ses_/)
  expect(shown.stdout).toContain('> 안녕하세요 parser')
  expect(shown.stdout).toContain('You said: 안녕하세요 parser')
  const listed = await signalbox(at, 'sessions', '--state', 'idle', '--search', '파서')
  expect(listed.stdout).toContain(id)
  expect((await json('sessions', '--state', 'working'))['sessions']).toEqual([])

  expect(await signalbox(at, 'rename', id, '새', '제목')).toMatchObject({ code: 0 })
  expect(await json('set', id, '--mode', 'acceptEdits')).toMatchObject({
    session: { title: '새 제목', permissionMode: 'acceptEdits' },
  })
  expect(await signalbox(at, 'set', id, '--mode', 'nonsense')).toMatchObject({ code: 2 })

  const markdown = (await signalbox(at, 'export', id)).stdout
  expect(markdown).toMatch(/^# 새 제목\n/)
  expect(markdown).toContain('You said: 안녕하세요 parser')
  const lines = (await signalbox(at, 'export', id, '--format', 'jsonl')).stdout.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, n) => n + 1))

  expect(await json('search', '안녕')).toMatchObject({
    results: [
      { sessionId: id, type: 'text.ended' },
      { sessionId: id, type: 'message.queued' },
    ],
  })
  expect(await json('search', '안녕', '--user', 'lee')).toMatchObject({ results: [] })
  expect(
    await json('search', '안녕', '--folder', at.cwd, '--since', '1d', '--until', '2999-01-01'),
  ).toMatchObject({ results: [{ type: 'text.ended' }, { type: 'message.queued' }] })
  expect(await json('search', '안녕', '--tool', 'Bash')).toMatchObject({ results: [] })
  expect(await signalbox(at, 'search', '안녕', '--since', 'soon')).toMatchObject({ code: 2 })
  expect(await json('usage', '--by', 'session')).toMatchObject({
    usage: [{ key: id, inputTokens: 1_000, outputTokens: 100, sources: ['scripted'] }],
  })
  expect((await signalbox(at, 'usage')).stdout).toMatch(/day .*\n\d{4}-\d\d-\d\d +1,000 +100/)

  const { session: copy } = (await json('fork', id, '--title', 'Copy')) as unknown as {
    session: { id: string }
  }
  expect(await json('stop', copy.id, '--reason', 'enough')).toMatchObject({ session: { state: 'ended' } })
  expect(await json('resume', copy.id)).toMatchObject({ session: { state: 'idle' } })
  expect(await signalbox(at, 'delete', copy.id)).toMatchObject({ code: 0 })
  expect(await signalbox(at, 'show', copy.id)).toMatchObject({ code: 3 })
  expect((await signalbox(at, 'tasks', id)).stderr).toBe('No background tasks.\n')

  expect(await json('trust', at.cwd)).toMatchObject({ workspace: { path: at.cwd } })
  expect((await signalbox(at, 'trust')).stdout).toContain(at.cwd)
  await stop()
})

test('watch follows until it is told to stop, over a restart of the daemon as well', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const { session } = await daemon.client.createSession({ body: { cwd: at.cwd } })
  const child = spawn(process.execPath, [MAIN, 'watch', '--after', '0', '--json', '--home', at.home], {
    env: at.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const seen: number[] = []
  createInterface({ input: child.stdout }).on('line', (line) =>
    seen.push((JSON.parse(line) as { seq: number }).seq),
  )
  await expect.poll(() => seen, { timeout: 20_000 }).toEqual([1])
  const { port } = new URL(daemon.url)
  await daemon.stop()
  const again = await startDaemonProcess(at, port)
  await again.client.changeSession({ params: { id: session.id }, body: { title: 'Later' } })

  await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(1)
  expect(seen).toEqual(seen.map((_, n) => n + 1))
  child.kill('SIGINT')
  await once(child, 'exit')
  expect(child.exitCode).toBe(130)
  await again.stop()
})

test('tokens are made, used, listed and revoked; a secret is never in the log or in an argument', async () => {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const made = await signalbox(at, 'token', 'create', 'phone', '--role', 'viewer', '--days', '7')
  const secret = made.stdout.trim()
  expect(secret).toMatch(/^sbx_[\w-]{43}$/)
  const phone = createClient({ url: daemon.url, token: secret })
  expect((await phone.about()).about.you).toEqual({ name: 'phone', role: 'viewer' })
  expect((await signalbox(at, 'token', 'list')).stdout).toContain('phone')
  expect(await signalbox(at, 'token', 'create', 'phone')).toMatchObject({ code: 1 })
  expect(await signalbox(at, 'token', 'revoke', 'phone')).toMatchObject({ code: 0 })
  await expect(phone.about()).rejects.toMatchObject({ code: 'credential_invalid' })
  expect(await signalbox(at, 'token', 'revoke', 'phone')).toMatchObject({ code: 3 })
  const commandLine = await readFile(`/proc/${daemon.pid}/cmdline`, 'utf8').catch(() => '')
  expect(commandLine + daemon.stderr()).not.toContain(daemon.token)
  await daemon.stop()
})

test('run stops after the steps that it is given', async () => {
  const at = await place()
  const { code, stderr } = await signalbox(
    at,
    'run',
    'write',
    '--mode',
    'acceptEdits',
    '--max-turns',
    '1',
    '--scripted',
    at.scriptFile,
  )
  expect([code, stderr]).toEqual([1, expect.stringContaining('max_turns')])
  expect(await signalbox(at, 'run', 'x', '--max-turns', 'many', '--scripted', at.scriptFile)).toMatchObject({
    code: 2,
  })
})

test('doctor tells what is found, and what to do about what is wrong', async () => {
  const at = await place()
  const { code, stdout } = await signalbox(at, 'doctor', '--json')
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; state: string; fix?: string; cure?: string }[]
  }
  const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]))
  expect(states).toMatchObject({
    Node: 'ok',
    SQLite: 'ok',
    Claude: 'ok',
    Settings: 'ok',
    Home: 'ok',
    Token: 'ok',
  })
  expect(checks.filter(({ state, fix, cure }) => state !== 'ok' && (!fix || fix !== cure))).toEqual([])
  // Another daemon may have the port on this machine; everything else is fine.
  expect(code).toBe(states['Daemon'] === 'broken' ? 1 : 0)
  const broken = { ...at, env: { ...at.env, SIGNALBOX_PORT: 'x' } }
  expect(await signalbox(broken, 'doctor')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✗ Settings[^]*configuration\.md/),
  })
})

test('settings are printed with their origin', async () => {
  const at = await place()
  const { stdout } = await signalbox(at, 'config', 'print', '--show-origin', '--json')
  const { config, origins } = JSON.parse(stdout) as Record<string, Record<string, unknown>>
  expect(config).toMatchObject({ warm: 0, port: 4747 })
  expect(origins).toMatchObject({ warm: 'SIGNALBOX_WARM', port: 'default' })
})

test('the demo has something to answer, and leaves nothing behind', async () => {
  const at = await place()
  const folder = join(at.folder, 'temporary')
  await mkdir(folder)
  const env = { ...at.env, TMPDIR: folder }
  const child = spawn(process.execPath, [MAIN, 'demo', '--json', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url, home } = JSON.parse(line) as { url: string; home: string }
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const client = createClient({ url, token })

  const pending = async () =>
    (await client.listRequests({ query: { state: 'pending' } })).requests.map(({ kind }) => kind).toSorted()
  await expect.poll(pending, { timeout: 60_000 }).toEqual(['permission', 'question'])
  const types = async () => {
    const { sessions } = await client.listSessions({ query: {} })
    const pages = await Promise.all(
      sessions.map(({ id }) => client.listEvents({ params: { id }, query: { limit: 1_000 } })),
    )
    return pages.flatMap(({ events }) => events.map(({ type }) => type))
  }
  await expect.poll(types, { timeout: 60_000 }).toEqual(expect.arrayContaining(['agent.ended', 'tool.ended']))
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(child.exitCode).toBe(0)
  await expect(readFile(join(home, 'token'))).rejects.toThrow('ENOENT')
})
