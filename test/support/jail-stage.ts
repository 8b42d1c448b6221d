/** A workspace with everything in and around it that must not get out, and whether any of it did. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ABSTRACT_SOCKET, type Stage } from './escape-attempts.js'
import { whenDone } from './when-done.js'

export const CANARY = 'canary-of-a-file'

export type SetStage = Awaited<ReturnType<typeof setTheStage>>

/** `ignored`: folders that the program itself writes to. */
export async function setTheStage(
  { cwd: ws, folder, home }: { cwd: string; folder: string; home: string },
  ignored: readonly string[],
) {
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
    `${home}/kept-secret`,
    `${folder}/secret.txt`,
    `${folder}/.netrc`,
  ]
  for (const path of secret) writeFileSync(path, `KEY=${CANARY}\n`)
  for (const path of ['kept', 'README.md', 'sub/a.txt', 'docs/a.txt'])
    writeFileSync(join(ws, path), 'plain\n')
  linkSync(`${ws}/config/prod.env`, `${ws}/twin.txt`)
  linkSync(`${home}/kept-secret`, `${ws}/sub/twin-of-token`)
  symlinkSync('../outside/kept', join(ws, 'link-out'))
  symlinkSync('../../outside/kept', join(ws, 'sub', 'n.txt'))
  symlinkSync('.env', join(ws, 'link-env'))
  makeRepositories(ws)
  makePrograms(ws)
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
  await listen({ path: `\0${ABSTRACT_SOCKET}` })
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
    files: (await filesOf(folder)).filter(
      (line) => !ignored.some((path) => /^[ /]/.test(line.startsWith(path) ? line.slice(path.length) : '')),
    ),
    devices: devices(),
    connections,
    hasFifoData: hasData(fifo),
    isVictimAlive: victim.exitCode === null && victim.signalCode === null,
  })
  return { stage, traces }
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
}

/** Programs and settings that others would run or obey. */
function makePrograms(ws: string): void {
  const script = '#!/bin/sh\ntouch PWNED-BY-PROGRAM\n'
  for (const path of ['tc/bin', '.mvn']) mkdirSync(join(ws, path), { recursive: true })
  for (const path of ['node_modules/.bin/tool', 'tc/bin/rustc'])
    writeFileSync(join(ws, path), script, { mode: 0o755 })
  writeFileSync(join(ws, 'rust-toolchain.toml'), `[toolchain]\npath = "${ws}/tc"\n`)
  writeFileSync(join(ws, '.mvn', 'jvm.config'), '-Xlog:gc:file=PWNED-BY-MAVEN.log\n')
  writeFileSync(join(ws, 'prog.jq'), 'env\n')
}

/** Every file with its content, rights and times, except what the test itself writes. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = entries
    .filter(({ name }) => !/^(?:output|cwd)-/.test(name))
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const { mode, uid, size, mtimeMs, nlink } = lstatSync(path)
      const facts = `${path} ${mode} ${uid} ${nlink}`
      if (entry.isSymbolicLink()) return `${facts} -> ${await readlink(path)}`
      return entry.isFile() ? `${facts} ${size} ${mtimeMs} ${await readFile(path, 'base64')}` : facts
    })
  return (await Promise.all(lines)).toSorted()
}

/** Root owns them, also in the jail. */
function devices(): string[] {
  return ['null', 'zero', 'full', 'random', 'urandom'].map((name) => {
    const { mode, uid, gid, mtimeMs } = lstatSync(`/dev/${name}`)
    return `${name} ${mode} ${uid} ${gid} ${mtimeMs}`
  })
}

function hasData(fifo: number): boolean {
  try {
    return readSync(fifo, Buffer.alloc(16)) > 0
  } catch {
    return false
  }
}
