/** Runs a program of the user: fixed arguments, no shell, a listed environment, a time limit. */

import { spawn } from 'node:child_process'
import { printable } from '../../lib/text/printable.js'
import { DeliveryError } from './port.js'

export interface ProgramRun {
  argv: readonly [string, ...string[]]
  env: Readonly<Record<string, string>>
  cwd: string
  /** On standard input. */
  input?: string
  timeoutMs: number
  signal: AbortSignal
}

const MAX_OUTPUT = 4_096
/** How long output may follow the end of the program. A process that it leaves running can hold the pipes open. */
const OUTPUT_MS = 500

/** Resolves with the beginning of its standard output when it has ended with 0. Rejects with a `DeliveryError`. */
export function runProgram({ argv, env, cwd, input, timeoutMs, signal }: ProgramRun): Promise<string> {
  const [program, ...args] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      detached: true,
    })
    let [out, problem] = ['', '']
    const kill = () => {
      // The whole group: a script may have started others.
      if (child.pid !== undefined && child.exitCode === null) killGroup(child.pid)
    }
    const timer = setTimeout(() => {
      problem = `No end within ${timeoutMs} ms.`
      kill()
    }, timeoutMs)
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
    child.stdout.on('data', (chunk: Buffer) => {
      if (out.length < MAX_OUTPUT) out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (problem.length < MAX_OUTPUT) problem += chunk.toString()
    })
    child.stdin.on('error', () => {}) // It need not read.
    child.on('error', (cause) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
      reject(
        new DeliveryError('never', `Cannot run ${program}: ${cause.message}. Check the path.`, { cause }),
      )
    })
    child.on('exit', () => {
      clearTimeout(timer)
      setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, OUTPUT_MS).unref()
    })
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill)
      if (code === 0) return resolve(out.slice(0, MAX_OUTPUT))
      const [line = ''] = printable(problem.trim()).split('\n')
      const how = code === null ? 'was killed' : `ended with ${code}`
      reject(new DeliveryError('later', `${program} ${how}.${line === '' ? '' : ` ${line.slice(0, 200)}`}`))
    })
    child.stdin.end(input ?? '')
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
