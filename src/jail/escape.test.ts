/** Nothing gets out of the jail: neither by attempts to escape nor by commands that a policy once allowed wrongly. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, linkSync, mkdirSync, openSync, readSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { escapeAttempts, hostileCommands, type Stage } from '../../test/support/escape-attempts.js'
import {
  hasBubblewrap,
  type JailPlace,
  makeJailPlace,
  runAsCli,
  runJailed,
  SECRET_VALUE,
} from '../../test/support/jail.js'
import { share, whenDone } from '../../test/support/when-done.js'

const CANARY = 'canary-of-a-file'
const NOWHERE: Stage = { ws: '/w', outside: '/o', home: '/h', port: 1, socket: '/s', fifo: '/f', pid: 1 }

/** A workspace with everything in and around it that must not get out. */
async function setTheStage() {
  const place = await makeJailPlace()
  const { cwd: ws, folder, home } = place
  const outside = join(folder, 'outside')
  for (const path of ['sub', 'docs', 'config', 'secrets', 'node_modules/.bin', 'vendor'])
    mkdirSync(join(ws, path), { recursive: true })
  mkdirSync(outside)
  const secret = [
    `${ws}/.env`,
    `${ws}/secrets/db.json`,
    `${ws}/config/prod.env`,
    `${ws}/config/key.pem`,
    `${outside}/kept`,
    `${home}/token`,
    `${folder}/secret.txt`,
    `${folder}/.netrc`,
  ]
  for (const path of secret) writeFileSync(path, `KEY=${CANARY}\n`)
  for (const path of ['kept', 'README.md', 'sub/a.txt', 'docs/a.txt'])
    writeFileSync(join(ws, path), 'plain\n')
  linkSync(`${ws}/config/prod.env`, `${ws}/twin.txt`)
  linkSync(`${home}/token`, `${ws}/sub/twin-of-token`)
  symlinkSync('../outside/kept', join(ws, 'link-out'))
  symlinkSync('../../outside/kept', join(ws, 'sub', 'n.txt'))
  symlinkSync('.env', join(ws, 'link-env'))
  makeRepositories(ws)
  let connections = 0
  const listen = async (where: { port: number; host: string } | { path: string }) => {
    const server = createServer((socket) => {
      connections++
      socket.end()
    }).listen(where)
    whenDone(() => server.close())
    await once(server, 'listening')
    return server.address()
  }
  const address = await listen({ port: 0, host: '127.0.0.1' })
  await listen({ path: join(ws, 'docs', 'agent.sock') })
  await listen({ path: '\0signalbox-canary' })
  execFileSync('/usr/bin/mkfifo', [join(ws, 'docs', 'fifo')])
  const fifo = openSync(join(ws, 'docs', 'fifo'), constants.O_RDWR | constants.O_NONBLOCK)
  const victim = spawn('sleep', ['600'], { stdio: 'ignore' })
  whenDone(() => victim.kill('SIGKILL'))
  const stage: Stage = {
    ws,
    outside,
    home,
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    socket: join(ws, 'docs', 'agent.sock'),
    fifo: join(ws, 'docs', 'fifo'),
    pid: victim.pid ?? 0,
  }
  const traces = async () => ({
    files: await filesOf(folder),
    connections,
    hasFifoData: hasData(fifo),
    isVictimAlive: victim.exitCode === null && victim.signalCode === null,
  })
  return { place, stage, traces }
}

/** The history holds `.env`; a folder of the work tree is a repository with a command in its configuration. */
function makeRepositories(ws: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', ws, ...args], { stdio: 'ignore' })
  git('init', '-b', 'main')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-m', 'first')
  git('add', '-f', '.env', 'README.md')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-m', 'second')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  git('branch', 'a/b')
  for (const folder of ['objects', 'refs']) mkdirSync(join(ws, 'vendor', folder))
  writeFileSync(join(ws, 'vendor', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(
    join(ws, 'vendor', 'config'),
    '[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch PWNED-BY-REPO; false"\n',
  )
  writeFileSync(join(ws, 'node_modules/.bin/tool'), '#!/bin/sh\ntouch pwned\n', { mode: 0o755 })
}

/** Every file with its content and times, except what the test itself writes. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = entries
    .filter((entry) => !/^(?:output|cwd)-/.test(entry.name))
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      if (entry.isSymbolicLink()) return `${path} -> ${await readlink(path)}`
      return entry.isFile() ? `${path} ${(await readFile(path)).toString('base64').slice(0, 200)}` : path
    })
  return (await Promise.all(lines)).toSorted()
}

function hasData(fifo: number): boolean {
  try {
    return readSync(fifo, Buffer.alloc(16)) > 0
  } catch {
    return false
  }
}

/** As the CLI would, in a shell that has secrets in its environment and open descriptors to them. */
async function attempt(command: string, place: JailPlace, stage: Stage): Promise<string> {
  const wrapped = await place.jail.wrap({
    command,
    cwd: stage.ws,
    workspace: stage.ws,
    env: { PATH: process.env['PATH'], HOME: place.folder, ANTHROPIC_API_KEY: SECRET_VALUE },
  })
  if ('problem' in wrapped) throw new Error(wrapped.problem)
  const opened = `exec 7<${stage.outside}/kept 8<${stage.home}/token 12<${stage.ws}/.env; `
  return (await runAsCli(opened + wrapped.command, place)).output.toString('latin1')
}

describe.skipIf(!hasBubblewrap)('out of the jail', () => {
  const shared = share(setTheStage, 60_000)
  const names = Object.keys(escapeAttempts(NOWHERE))

  test('there are at least forty attempts', () => {
    expect(names.length).toBeGreaterThanOrEqual(40)
  })

  test.each(names)('by %s: no', { timeout: 60_000 }, async (name) => {
    const { place, stage, traces } = shared()
    const before = await traces()

    const output = await attempt(escapeAttempts(stage)[name] ?? '', place, stage)

    expect(output).not.toContain(CANARY)
    expect(output).not.toContain(SECRET_VALUE)
    expect(output).not.toMatch(/\bGOT\b/)
    expect(await traces()).toEqual(before)
  })

  test.each(hostileCommands(NOWHERE).map((command, index) => [command, index] as const))(
    'a hostile command that was allowed does nothing: %s',
    { timeout: 60_000 },
    async (_, index) => {
      const { place, stage, traces } = shared()
      const before = await traces()

      const output = await attempt(hostileCommands(stage)[index] ?? '', place, stage)

      expect(output).not.toContain(CANARY)
      expect(output).not.toContain(SECRET_VALUE)
      expect(await traces()).toEqual(before)
    },
  )

  test('the stage is real: outside the jail the same attempts do get through', async () => {
    const { place, stage } = shared()
    const { cwd, folder } = place
    const plain = async (command: string) =>
      (await runAsCli(command, { cwd, folder })).output.toString('latin1')

    expect(await plain(`cat .env ${stage.outside}/kept twin.txt sub/twin-of-token link-out`)).toContain(
      CANARY,
    )
    expect(await plain('cat <<< $ANTHROPIC_API_KEY')).toContain(SECRET_VALUE)
    expect(await plain('git show HEAD:.env')).toContain(CANARY)
    expect(await plain(`kill -0 ${stage.pid} && echo GOT`)).toContain('GOT')
  })

  test('what may be read is read', async () => {
    const { place } = shared()
    expect((await runJailed('cat README.md sub/a.txt', place)).output.toString()).toBe('plain\nplain\n')
  })
})
