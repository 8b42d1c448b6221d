/** Escape probes: the jail is used only where every one of these attempts fails. */

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { type Reason, reason, reasonText } from '../protocol/reason/reason.js'
import type { JailedCommand, Wrapped } from './jail.js'
import { ACTS, actScript, LOOKS, lookScript, NAMESPACES } from './probe-script.js'
import { shellWord } from './shell-word.js'

export interface ProbeDeps {
  /** Where a folder for the test is made and deleted. */
  folder: string
  wrap(command: JailedCommand): Promise<Wrapped>
}

const TIMEOUT_MS = 20_000
const CANARY = 'signalbox-canary-5f0e1c'
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SIGNALBOX_PROBE_SECRET: CANARY }

/** The escape that succeeded; null if none did. */
export async function findEscapes({ folder, wrap }: ProbeDeps): Promise<Reason | null> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const place = mkdtempSync(join(folder, 'jail-probe-'))
  const closers: (() => void)[] = [() => rmSync(place, { recursive: true, force: true })]
  try {
    const stage = await prepare(place, closers)
    const run = async (command: string): Promise<Output> => {
      const wrapped = await wrap({
        command,
        cwd: stage.workspace,
        workspace: stage.workspace,
        env: { ...ENVIRONMENT, HOME: place },
      })
      return 'problem' in wrapped
        ? { stdout: '', stderr: reasonText([wrapped.problem]) }
        : runInShell(wrapped.command, stage.workspace)
    }
    const looked = await run(lookScript(stage))
    const seen = stage.damage() ?? judge(looked, LOOKS) ?? sharedNamespace(looked)
    // Where the jail is open, nothing is tried that could do harm.
    if (seen !== null) return seen
    const acted = await run(actScript(stage))
    return stage.damage() ?? judge(acted, ACTS)
  } finally {
    for (const close of closers.toReversed()) close()
  }
}

interface Output {
  stdout: string
  stderr: string
}

export interface ProbeStage {
  workspace: string
  outside: string
  canary: string
  port: number
  socket: string
  fifo: string
  pid: number
}

async function prepare(
  place: string,
  closers: (() => void)[],
): Promise<ProbeStage & { damage(): Reason | null }> {
  const [workspace, outside] = [join(place, 'workspace'), join(place, 'outside')]
  for (const path of [workspace, outside]) mkdirSync(path)
  const kept = [join(workspace, 'kept'), join(workspace, '.env'), join(outside, 'kept')]
  for (const path of kept) writeFileSync(path, CANARY)
  let connections = 0
  const listen = async (where: { port: number; host: string } | { path: string }): Promise<Server> => {
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    })
    server.listen(where)
    server.unref()
    closers.push(() => server.close())
    await once(server, 'listening')
    return server
  }
  const address = (await listen({ port: 0, host: '127.0.0.1' })).address()
  const socket = join(workspace, 's')
  await listen({ path: socket })
  const fifo = join(workspace, 'fifo')
  spawnSync('/usr/bin/mkfifo', [fifo])
  const fifoEnd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
  closers.push(() => closeSync(fifoEnd))
  const victim = spawn('/bin/sleep', ['60'], { stdio: 'ignore' })
  victim.unref()
  closers.push(() => victim.kill('SIGKILL'))
  return {
    workspace,
    outside,
    canary: CANARY,
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    socket,
    fifo,
    pid: victim.pid ?? 0,
    damage() {
      if (connections > 0) return reason('jail.leaks-connection')
      if (hasWritten(fifoEnd)) return reason('jail.leaks-fifo')
      if (victim.exitCode !== null || victim.signalCode !== null) return reason('jail.leaks-kill')
      const changed = kept.find((path) => readFileSync(path, 'utf8') !== CANARY)
      return changed === undefined ? null : reason('jail.leaks-write')
    },
  }
}

function hasWritten(fifo: number): boolean {
  try {
    return readSync(fifo, Buffer.alloc(1)) > 0
  } catch {
    return false
  }
}

/** In a shell as the CLI starts it, with a secret in its environment and an open descriptor. */
function runInShell(command: string, cwd: string): Promise<Output> {
  const opened = `exec 7</etc/hostname 8<${shellWord(join(cwd, '..', 'outside', 'kept')) ?? ''}; `
  return new Promise((resolve) => {
    execFile(
      '/bin/bash',
      ['-c', opened + command],
      { cwd, timeout: TIMEOUT_MS, env: ENVIRONMENT },
      (_, stdout, stderr) => resolve({ stdout, stderr }),
    )
  })
}

/** Every probe must say that it was held back: what says nothing has not been tested. */
function judge({ stdout, stderr }: Output, probes: readonly string[]): Reason | null {
  if (stdout.includes(CANARY)) return reason('jail.leaks-secret')
  const lines = stdout.split('\n')
  const escaped = lines.find((line) => line.startsWith('escaped '))
  if (escaped) return reason('jail.leaks', { probe: escaped.slice('escaped '.length) })
  const missing = probes.filter((name) => !lines.includes(`held ${name}`))
  if (missing.length === 0) return null
  const [problem = ''] = stderr.trim().split('\n')
  return reason('jail.broken', { problem: problem || `no result for ${missing.join(', ')}` })
}

function sharedNamespace({ stdout }: Output): Reason | null {
  const lines = stdout.split('\n')
  const shared = NAMESPACES.find((name) => lines.includes(`namespace ${name} ${namespaceOf(name)}`))
  const unseen = NAMESPACES.find(
    (name) => !lines.some((line) => line.startsWith(`namespace ${name} ${name}:`)),
  )
  if (shared) return reason('jail.shared-namespace', { namespace: shared })
  return unseen ? reason('jail.unseen-namespace', { namespace: unseen }) : null
}

function namespaceOf(name: string): string {
  return spawnSync('/bin/readlink', [`/proc/self/ns/${name}`], { encoding: 'utf8' }).stdout.trim()
}
