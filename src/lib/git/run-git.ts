/** Runs git as a process with bounded time and output. The environment is the caller's: nothing is inherited. */

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { setPriority } from 'node:os'
import { isAbsolute, join } from 'node:path'

export interface GitRun {
  /** The absolute path of git. */
  program: string
  args: readonly string[]
  /** The whole environment. */
  env: Readonly<Record<string, string>>
  cwd?: string | undefined
  input?: Uint8Array | string | undefined
  /** More output than this is a failure. */
  maxBytes: number
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Called with each piece of output, which is then not kept. */
  onOutput?: ((piece: Buffer) => void) | undefined
  /** Runs behind other work of the machine. */
  isBackground?: boolean | undefined
}

export interface GitResult {
  /** Null: it was killed. */
  code: number | null
  stdout: Buffer
  stderr: string
}

/** Git could not be started, was killed by a limit, or failed. */
export class GitFailure extends Error {
  readonly kind: 'not_started' | 'timeout' | 'too_large' | 'aborted' | 'failed'

  constructor(kind: GitFailure['kind'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'GitFailure'
    this.kind = kind
  }
}

const MAX_STDERR = 16 * 1024
const BACKGROUND_PRIORITY = 10

/** Resolves with any exit code; rejects with `GitFailure` if it did not come to its end. */
export function runGit(run: GitRun): Promise<GitResult> {
  const { program, args, env, cwd, input, maxBytes, timeoutMs, signal, onOutput, isBackground } = run
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new GitFailure('aborted', 'git was not started: aborted.'))
    const child = spawn(program, [...args], { cwd, env: { ...env }, stdio: 'pipe', windowsHide: true })
    const pieces: Buffer[] = []
    let [bytes, stderr] = [0, '']
    let failure: GitFailure | null = null
    const stop = (kind: GitFailure['kind'], message: string) => {
      failure ??= new GitFailure(kind, `git ${args.find((word) => !word.startsWith('-'))} ${message}.`)
      child.kill('SIGKILL')
    }
    const timer = setTimeout(() => stop('timeout', `did not end within ${timeoutMs / 1000} s`), timeoutMs)
    const onAbort = () => stop('aborted', 'was aborted')
    signal?.addEventListener('abort', onAbort, { once: true })
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    child.on('error', (cause) => {
      settle()
      reject(new GitFailure('not_started', `git could not be started: ${cause.message}.`, { cause }))
    })
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > maxBytes) stop('too_large', `printed more than ${maxBytes} bytes`)
      else if (onOutput) onOutput(piece)
      else pieces.push(piece)
    })
    child.stderr.on('data', (piece: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += piece.toString('utf8')
    })
    // A program that ends before it has read everything closes its input.
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
    child.on('close', (code) => {
      settle()
      if (failure) reject(failure)
      else resolve({ code, stdout: Buffer.concat(pieces), stderr: stderr.slice(0, MAX_STDERR) })
    })
    if (isBackground && child.pid !== undefined) lowerPriority(child.pid)
  })
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, BACKGROUND_PRIORITY)
  } catch {
    // It has ended already, or the system does not allow it: it only takes a little more of the machine.
  }
}

/** The program in the folders of `PATH`; null if there is none. Relative folders would be those of a workspace. */
export function findProgram(name: string, path: string | undefined): string | null {
  for (const folder of (path ?? '').split(':')) {
    if (!isAbsolute(folder)) continue
    const program = join(folder, name)
    try {
      accessSync(program, constants.X_OK)
      return program
    } catch {
      // The next folder, then.
    }
  }
  return null
}
