/** The daemon as a service: the installed unit is run as it is written. */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.js'
import { startScriptedModel } from '../../src/scripted/server.js'
import {
  expectOrderly,
  MAIN,
  makePlace,
  type Place,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { superviseUnit } from '../support/unit-supervisor.js'
import { whenDone } from '../support/when-done.js'

const ODD = `a b%h$X"q'r{e}*?[f]`
const SECRET = 'sk-test-"$HOME`id`\\n'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'Told: {{toolResult}}' }] },
      {
        when: { user: '/write|Continue from where you left off/' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a'), content: 'a' } }],
      },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

function signalbox({ env, cwd }: Pick<Place, 'env' | 'cwd'>, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
    env,
    cwd,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

interface ServiceJson {
  isInOrder: boolean
  service: { file: string; fileState: string; variables: string[] }
}

function statusOf(at: Place, home: string): ServiceJson {
  return JSON.parse(signalbox(at, 'service', 'status', '--json', '--home', home).stdout) as ServiceJson
}

/** The daemon of a home, whichever process and port it has now. */
async function clientOf(home: string, pid: () => number | null): Promise<Client> {
  const read = async () => {
    const text = await readFile(join(home, 'daemon.json'), 'utf8').catch(() => '{}')
    const address = JSON.parse(text) as { url?: string; pid?: number }
    return address.pid === pid() ? address.url : undefined
  }
  await expect.poll(read, { timeout: 30_000, interval: 50 }).toBeDefined()
  return createClient({ url: (await read()) ?? '', token: readFileSync(join(home, 'token'), 'utf8').trim() })
}

/** Files and folders that other users may use in any way. */
function openEntries(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
}

test('the service survives kill -9: it is restarted, and a permission is still waiting and can be answered', async () => {
  const at = await place()
  const home = join(at.folder, ODD)
  await mkdir(home, { mode: 0o700 })
  await writeFile(join(home, 'config.jsonc'), '{ "port": 0, "warm": 0, "readOnlyJail": "off" }', {
    mode: 0o600,
  })
  const model = await startScriptedModel(JSON.parse(await readFile(at.scriptFile, 'utf8')))
  whenDone(() => model.close())
  const env = { ...at.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: SECRET }
  const names = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY']

  const installed = signalbox(
    { env, cwd: at.cwd },
    'service',
    'install',
    '--no-start',
    '--home',
    home,
    ...names.flatMap((name) => ['--env', name]),
  )
  expect(installed).toMatchObject({ status: 0 })
  expect(installed.stdout + installed.stderr).not.toContain(SECRET)
  const { service } = statusOf(at, home)
  expect(service).toMatchObject({ fileState: 'current', variables: names })
  expect(await readFile(service.file, 'utf8')).not.toContain('sk-test')

  const supervisor = superviseUnit(service.file, { HOME: at.folder })
  const before = supervisor.pid()
  let client = await clientOf(home, supervisor.pid)
  const { session } = await client.createSession({ body: { cwd: at.cwd, prompt: 'write' } })
  const asked = await pendingRequest(client, session.id)
  expect(openEntries(home)).toEqual([])
  expect(readFileSync(`/proc/${before}/status`, 'utf8')).toMatch(/^Umask:\t0077$/m)

  process.kill(before ?? 0, 'SIGKILL')
  await expect.poll(() => supervisor.ends()).toEqual(['SIGKILL'])
  client = await clientOf(home, supervisor.pid)

  expect(supervisor.pid()).not.toBe(before)
  const isParked = async () => (await client.getRequest({ params: { id: asked.id } })).request.isParked
  await expect.poll(isParked).toBe(true)
  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })
  await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 2)
  expect(await readFile(join(at.cwd, 'a'), 'utf8')).toBe('a')
  expect(openEntries(home)).toEqual([])
  await expectOrderly(client)

  await supervisor.stop()
  expect(supervisor.ends()).toEqual(['SIGKILL', '0'])
  // The journal of systemd can be read by other users of the machine.
  expect(supervisor.output()).not.toMatch(/sk-test|#code|login/i)
  expect(supervisor.output()).toContain('"event":"ready"')
})

test('settings that are not valid end the service instead of restarting it for ever', async () => {
  const at = await place()
  expect(signalbox(at, 'service', 'install', '--no-start', '--home', at.home).status).toBe(0)
  await writeFile(join(at.home, 'config.jsonc'), '{ "port": "x" }', { mode: 0o600 })

  const supervisor = superviseUnit(statusOf(at, at.home).service.file, { HOME: at.folder })

  await expect.poll(() => [supervisor.ends(), supervisor.pid()]).toEqual([['2'], null])
  expect(supervisor.output()).toContain('Invalid settings')
})

test('install, doctor and uninstall on the command line, with exit codes, and stored work stays', async () => {
  const at = await place()
  // The user manager of the machine is not the one of this test.
  const env = { ...at.env, XDG_RUNTIME_DIR: join(at.folder, 'run') }
  const here = { ...at, env }
  const daemon = await startDaemonProcess(at)
  const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'hello' } })
  await sessionWhen(daemon.client, session.id, ({ turns }) => turns === 1)
  await daemon.stop()
  const service = (word: string, ...words: string[]) =>
    signalbox(here, 'service', word, '--home', at.home, ...words)
  const check = () => {
    const { stdout } = signalbox(here, 'doctor', '--json', '--home', at.home)
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; found: string }[] }
    return checks.find(({ name }) => name === 'Service')
  }

  expect(service('status').status).toBe(3)
  expect(check()).toMatchObject({ state: 'ok', found: expect.stringContaining('not installed') })

  const planned = service('install', '--dry-run')
  expect(planned).toMatchObject({ status: 0, stdout: expect.stringContaining('NoNewPrivileges=yes\n') })
  expect(service('status').status).toBe(3)

  // Without a user manager the files are there, and the command says what is left to do.
  const failed = service('install')
  expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining('was not started') })
  const { file } = statusOf(here, at.home).service
  expect(await readFile(file, 'utf8')).toBe(planned.stdout)
  expect(service('install', '--no-start')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(`unchanged: ${file}`),
  })
  expect(check()).toMatchObject({ state: 'warning', found: expect.stringContaining('not running') })

  await writeFile(file, `${planned.stdout}# mine\n`)
  expect(check()).toMatchObject({ state: 'warning', found: expect.stringContaining('was edited') })
  expect(service('install', '--no-start').status).toBe(1)
  await writeFile(file, '[Service]\nExecStart=/bin/true\n')
  expect(check()).toMatchObject({ state: 'warning', found: expect.stringContaining('not written by') })
  expect(service('uninstall').status).toBe(1)
  expect(service('install', '--no-start', '--replace').status).toBe(0)

  await writeFile(join(at.home, 'service.env'), 'A="b"\n')
  await chmod(join(at.home, 'service.env'), 0o644)
  expect(check()).toMatchObject({ state: 'broken', found: expect.stringContaining('can read') })

  const removed = JSON.parse(service('uninstall', '--json').stdout) as { steps: { kind: string }[] }
  expect(removed.steps.map(({ kind }) => kind)).toEqual(['not_stopped', 'removed', 'kept'])
  expect(service('status').status).toBe(3)
  const again = await startDaemonProcess(at)
  expect((await again.client.getSession({ params: { id: session.id } })).session.turns).toBe(1)
  await again.stop()
})
