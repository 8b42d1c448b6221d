/** Runs a hook's program: in a process group of its own, with bounded time and output, never throwing. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { killProcess } from '../lib/kill-process.js'

export interface ProgramRequest {
  /** For a shell; with `args` a program of its own. */
  command: string
  args: readonly string[] | null
  cwd: string
  env: Readonly<Record<string, string>>
  /** Text for its standard input. */
  input: string
  timeoutMs: number
  signal: AbortSignal
}

/** How a program ended. */
export type ProgramEnd =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: string }
  | { kind: 'timed_out'; timeoutMs: number }
  | { kind: 'aborted' }
  | { kind: 'not_started'; reason: string }

export interface ProgramResult {
  end: ProgramEnd
  stdout: string
  stderr: string
  durationMs: number
}

const MAX_OUTPUT_BYTES = 1024 * 1024
/** Orphans of a program may keep its output pipe open. */
const OUTPUT_GRACE_MS = 500
const KILL_GRACE_MS = 1_000

export async function runProgram(request: ProgramRequest): Promise<ProgramResult> {
  const start = performance.now()
  const finish = (end: ProgramEnd, stdout = '', stderr = ''): ProgramResult => ({
    end,
    stdout,
    stderr,
    durationMs: Math.round(performance.now() - start),
  })
  if (request.signal.aborted) return finish({ kind: 'aborted' })
  let child: ChildProcess
  try {
    child = startProgram(request)
  } catch (error) {
    return finish({ kind: 'not_started', reason: startFailure(error, request) })
  }
  child.on('error', () => {}) // `endOf` reports it.
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const closed = once(child, 'close').catch(() => {})
  const exited = endOf(child, request)
  // A program that does not read its input closes it; that is its right.
  child.stdin?.on('error', () => {})
  child.stdin?.end(`${request.input}\n`)
  const end = await withLimits(child, exited, request)
  await Promise.race([closed, wait(OUTPUT_GRACE_MS, undefined, { ref: false })])
  child.stdout?.destroy()
  child.stderr?.destroy()
  return finish(end, stdout(), stderr())
}

function startProgram({ command, args, cwd, env }: ProgramRequest): ChildProcess {
  const options = { cwd, env: { ...env }, stdio: 'pipe', detached: true, windowsHide: true } as const
  if (args === null) return spawn('/bin/sh', ['-c', command], options)
  const expand = (text: string) => text.replaceAll(`\${CLAUDE_PROJECT_DIR}`, env['CLAUDE_PROJECT_DIR'] ?? '')
  return spawn(expand(command), args.map(expand), options)
}

function endOf(child: ChildProcess, request: ProgramRequest): Promise<ProgramEnd> {
  return once(child, 'exit').then(
    ([code, signal]): ProgramEnd =>
      typeof code === 'number' ? { kind: 'exited', code } : { kind: 'signalled', signal: String(signal) },
    (error: unknown): ProgramEnd => ({ kind: 'not_started', reason: startFailure(error, request) }),
  )
}

/** Ends the whole group when the time is up or the call is aborted, politely first. */
async function withLimits(
  child: ChildProcess,
  exited: Promise<ProgramEnd>,
  { timeoutMs, signal }: ProgramRequest,
): Promise<ProgramEnd> {
  const settled = new AbortController()
  const limit = await Promise.race([
    exited,
    wait(timeoutMs, { kind: 'timed_out', timeoutMs } as const, { signal: settled.signal }).catch(
      () => exited,
    ),
    aborted(signal, settled.signal).then((): ProgramEnd => ({ kind: 'aborted' })),
  ])
  settled.abort()
  if (limit.kind !== 'timed_out' && limit.kind !== 'aborted') return limit
  killGroup(child, 'SIGTERM')
  await Promise.race([exited, wait(KILL_GRACE_MS)])
  // Also if the program itself has ended: what it has started may not have.
  killGroup(child, 'SIGKILL')
  // Bounded: what waits for a broken disk cannot even be killed.
  await Promise.race([exited, wait(KILL_GRACE_MS)])
  return limit
}

function aborted(signal: AbortSignal, settled: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true, signal: settled }),
  )
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) killProcess(-pid, signal)
}

/** Keeps the start of an output and drains the rest. Backpressure: a full pipe would block the program. */
function collect(stream: ChildProcess['stdout']): () => string {
  const kept: Buffer[] = []
  let bytes = 0
  stream?.on('error', () => {})
  stream?.on('data', (piece: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) kept.push(piece.subarray(0, MAX_OUTPUT_BYTES - bytes))
    bytes += piece.length
  })
  return () => Buffer.concat(kept).toString('utf8')
}

function startFailure(error: unknown, { command, args, cwd }: ProgramRequest): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' && !isFolder(cwd)) return `the folder ${cwd} does not exist`
  const program = args === null ? '/bin/sh' : command
  if (code === 'ENOENT') return `there is no program ${program}`
  if (code === 'EACCES') return `${program} is not executable`
  if (code === 'E2BIG') return 'its arguments are too long for this system'
  return error instanceof Error ? error.message : 'it is not known why'
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
