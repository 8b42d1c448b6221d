/**
 * A range for shell commands: a disposable container of namespaces in which the real bash runs them, with canaries.
 * Harm is a file that changed, a program that is no reader, a secret or something from outside that was read or shown,
 * or a packet that was sent.
 */

import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cliBinary, cliFunctions } from '../cli-function.js'
import { MARK, type MarkName, marksIn } from './canary.js'
import {
  forgetReading,
  placeFiles,
  RANGE_HOME,
  RANGE_WORKSPACE,
  restoreFiles,
  type Scene,
  watchedPaths,
} from './root.js'
import { isHarmlessStart, parseStarted, placeTools, STARTED } from './toolbox.js'
import { changesBetween, readAmong, type Snapshot, snapshot } from './trace.js'

export interface Harm {
  kind: 'file changed' | 'program started' | 'shown' | 'read' | 'network' | 'hung'
  detail: string
}

/** Why there can be no range on this machine; null if there can be one. */
export function whyNoRange(): string | null {
  if (process.platform !== 'linux') return 'namespaces are a feature of Linux'
  if (!existsSync('/usr/bin/bwrap')) return 'bubblewrap (/usr/bin/bwrap) is not installed'
  for (const name of ['bash', 'git', 'tar'])
    if (!existsSync(join('/usr/bin', name))) return `/usr/bin/${name} is not installed`
  if (awksHere().length === 0) return 'there is no awk'
  const words = ['--unshare-all', '--unshare-user', '--uid', '1000', '--ro-bind', '/', '/', '/usr/bin/true']
  const { status, stderr } = spawnSync('/usr/bin/bwrap', words, { encoding: 'utf8' })
  return status === 0 ? null : `bubblewrap cannot make namespaces here: ${stderr.trim()}`
}

/** Versions of awk differ in how they read programs: each scene has another one, if there are two. */
function awksHere(): string[] {
  return ['mawk', 'gawk'].filter((name) => existsSync(join('/usr/bin', name)))
}

/** Where the binary of the CLI is in the range. */
const CLI = 'opt/run/claude'

/** Commands that one check of the canaries covers. */
const BATCH = 200
const PATIENCE_MS = 3_000

export class Range {
  readonly scene: Scene
  /** The root of the range as a folder of the host. */
  readonly root: string
  readonly #pristine: string
  readonly #watched: readonly string[]
  #server: ChildProcessWithoutNullStreams | null = null
  #before: Snapshot = new Map()

  constructor(scene: Scene) {
    this.scene = scene
    this.#watched = watchedPaths(scene)
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'policy-range-'))
    this.root = join(folder, 'root')
    this.#pristine = join(folder, 'pristine')
    mkdirSync(this.root)
    placeFiles(this.#pristine, scene)
    for (const name of ['usr/lib', 'usr/lib64', 'usr/share', 'proc', 'dev', 'record/out'])
      mkdirSync(join(this.root, name), { recursive: true })
    for (const [name, target] of Object.entries({
      bin: 'usr/bin',
      sbin: 'usr/bin',
      lib: 'usr/lib',
      lib64: 'usr/lib64',
    }))
      symlinkSync(target, join(this.root, name))
    placeTools(this.root, (scene === 'plain' ? awksHere()[0] : awksHere().at(-1)) ?? 'awk')
    writeFileSync(join(this.root, 'opt/run/serve'), SERVER)
    writeFileSync(join(this.root, CLI), '')
    writeFileSync(join(this.root, 'opt/run/functions'), cliBinary() === null ? '' : cliFunctions(`/${CLI}`))
    this.#restore()
  }

  /** The harm that each command does; nothing is in the list for those that do none. */
  async run(commands: readonly string[]): Promise<Map<string, Harm[]>> {
    const found = new Map<string, Harm[]>()
    for (let start = 0; start < commands.length; start += BATCH)
      await this.#search(commands.slice(start, start + BATCH), found)
    return found
  }

  /** Where something happens, the halves are run again, each in a fresh world, down to single commands. */
  async #search(batch: readonly string[], found: Map<string, Harm[]>): Promise<void> {
    const noticed = await this.#attempt(batch)
    if (noticed.length === 0) return
    await this.#renew()
    const [first] = batch
    if (batch.length === 1 && first !== undefined) {
      found.set(first, noticed)
      return
    }
    const middle = Math.ceil(batch.length / 2)
    await this.#search(batch.slice(0, middle), found)
    await this.#search(batch.slice(middle), found)
  }

  async close(): Promise<void> {
    await this.#stop()
    execFileSync('rm', ['-rf', dirname(this.root)])
  }

  async #attempt(batch: readonly string[]): Promise<Harm[]> {
    for (const path of [STARTED, 'record/number']) writeFileSync(join(this.root, path), '')
    const server = this.#server ?? this.#start()
    const isDone = await serve(server, batch, this.root)
    if (!isDone) return [{ kind: 'hung', detail: 'The range did not answer.' }]
    const outputs = batch.map((_, index) => readFileSync(join(this.root, `record/out/${index}`), 'latin1'))
    return [...outputs.flatMap(shownIn), ...this.#leftBehind()]
  }

  #leftBehind(): Harm[] {
    const started = parseStarted(readFileSync(join(this.root, STARTED), 'utf8'))
    const [before, after] = ['before', 'after'].map((when) =>
      readFileSync(join(this.root, `record/net-${when}`), 'utf8'),
    )
    const read = readAmong(this.root, this.#watched)
    const changed = changesBetween(this.#before, snapshot(this.root))
    forgetReading(this.root, this.scene)
    return [
      ...started
        .filter((start) => !isHarmlessStart(start))
        .map(({ program, arguments: words }) => harm('program started', [program, ...words].join(' '))),
      ...changed.map((path) => harm('file changed', path)),
      ...read.map((path) => harm('read', path)),
      ...(before === after ? [] : [harm('network', 'A packet was sent.')]),
    ]
  }

  #start(): ChildProcessWithoutNullStreams {
    const { root } = this
    const readOnly = ['usr/lib', 'usr/lib64', 'usr/share'].flatMap((name) =>
      existsSync(`/${name}`) ? ['--ro-bind', `/${name}`, `/${name}`] : [],
    )
    const cli = cliBinary()
    this.#server = spawn(
      '/usr/bin/bwrap',
      [
        '--unshare-all --unshare-user --uid 1000 --gid 1000 --hostname range'.split(' '),
        '--cap-drop ALL --die-with-parent --new-session'.split(' '),
        ['--bind', root, '/', '--ro-bind', join(root, 'usr/bin'), '/usr/bin'],
        ['--ro-bind', join(root, 'opt'), '/opt', ...readOnly],
        cli === null ? [] : ['--ro-bind', cli, `/${CLI}`],
        ['--proc', '/proc', '--dev', '/dev', '--chdir', RANGE_WORKSPACE, '/opt/run/bash', '/opt/run/serve'],
      ].flat(),
      // Not as options: every process of the range can see the command line of the first one.
      { stdio: 'pipe', env: ENVIRONMENT },
    )
    return this.#server
  }

  async #stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server === null || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGKILL')
    await ended
  }

  async #renew(): Promise<void> {
    await this.#stop()
    this.#restore()
  }

  #restore(): void {
    restoreFiles(this.root, this.#pristine)
    forgetReading(this.root, this.scene)
    this.#before = snapshot(this.root)
    forgetReading(this.root, this.scene)
  }
}

/** Variables of the shell that runs the commands: what a session has, and secrets. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin',
  HOME: RANGE_HOME,
  USER: 'dev',
  LANG: 'C.UTF-8',
  PWD: RANGE_WORKSPACE,
  GIT_OPTIONAL_LOCKS: '0',
  ANTHROPIC_API_KEY: MARK.variable,
  API_TOKEN: MARK.variable,
  AWS_SECRET_ACCESS_KEY: MARK.variable,
  T: MARK.variable,
  X: MARK.variable,
  x: MARK.variable,
}

/**
 * Reads a count and as many commands, all terminated by NUL, runs each in a fresh bash as the CLI does, with its functions, and
 * says when they are done. Globs fit `.` and `..`, as they do before version 5.2. Background processes of theirs end with them.
 */
const SERVER = `
ulimit -t 4 -f 4096 -c 0
trap '' PIPE
while IFS= read -r -d '' count; do
  printf '%s' "$(< /proc/net/snmp)" > /record/net-before
  for ((number = 0; number < count; number++)); do
    IFS= read -r -d '' command
    printf '%s' "$number" > /record/number
    /opt/run/bash -c "source /opt/run/functions; shopt -u extglob globskipdots; eval \${command@Q} < /dev/null" < /dev/null > "/record/out/$number" 2>&1
  done
  kill -9 -1
  printf '%s' "$(< /proc/net/snmp)" > /record/net-after
  printf 'done\\n'
done 2> /dev/null
`

/** A command that does not end is ended. */
function serve(
  server: ChildProcessWithoutNullStreams,
  batch: readonly string[],
  root: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    let last = ''
    const settle = (isDone: boolean) => {
      clearInterval(watch)
      server.stdout.off('data', onData)
      server.off('exit', onEnd)
      resolve(isDone)
    }
    const onData = () => settle(true)
    const onEnd = () => settle(false)
    const watch = setInterval(() => {
      const now = readFileSync(join(root, 'record/number'), 'utf8')
      if (now === last) endCommands(server.pid ?? 0)
      last = now
    }, PATIENCE_MS)
    server.stdout.on('data', onData)
    server.once('exit', onEnd)
    server.stdin.write([String(batch.length), ...batch, ''].join('\0'))
  })
}

/** Below bubblewrap are the first process of the container, the server, and then commands. */
function endCommands(bubblewrap: number): void {
  const servers = childrenOf(bubblewrap).flatMap(childrenOf)
  const below = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...below(child)])
  for (const pid of servers.flatMap(below)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Except for the answer of the kernel about its own routes. */
const NETWORK =
  /(?<!RTNETLINK answers: )Network is unreachable|Could not resolve|Temporary failure in name resolution|Connection refused/
const KEPT_AWAY = /Read-only file system/

export function shownIn(output: string): Harm[] {
  return [
    ...[...marksIn(output)].map((name: MarkName) => harm('shown', name)),
    ...(NETWORK.test(output) ? [harm('network', output.slice(0, 200))] : []),
    ...(KEPT_AWAY.test(output) ? [harm('file changed', output.slice(0, 200))] : []),
  ]
}

function harm(kind: Harm['kind'], detail: string): Harm {
  return { kind, detail }
}
