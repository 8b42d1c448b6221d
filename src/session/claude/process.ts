/** One CLI process, in a process group of its own, which is ours to end. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { killProcess } from '../../lib/kill-process.js'
import { reap } from './reaper.js'

const STDERR_LINES = 20

export interface SpawnRequest {
  command: string
  args: string[]
  cwd?: string
  env: Record<string, string | undefined>
}

export class ClaudeProcess {
  readonly child: ChildProcess
  /** Settles when the process has exited, with the exit status or signal as text. */
  readonly exited: Promise<string>
  readonly #mark: string
  #stderr: string[] = []

  constructor({ command, args, cwd, env }: SpawnRequest, mark: string) {
    this.#mark = mark
    this.child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true, windowsHide: true })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#keep(text))
    this.exited = once(this.child, 'exit').then(
      ([code, signal]) => (signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`),
      (error: unknown) => (error instanceof Error ? error.message : 'it could not be started'),
    )
  }

  #keep(text: string): void {
    const lines = [...this.#stderr, ...text.split('\n')].filter((line) => line.trim() !== '')
    this.#stderr = lines.slice(-STDERR_LINES)
  }

  /** The last lines of its standard error: often the only explanation of what went wrong. */
  get lastWords(): string {
    return this.#stderr.join('\n')
  }

  get hasExited(): boolean {
    return this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Ends the process, its group and everything that carries its mark. Takes a few seconds at most, whatever they do. */
  async end(graceMs: number): Promise<void> {
    if (!(await this.#exitsWithin(graceMs))) {
      this.#signal('SIGTERM')
      if (!(await this.#exitsWithin(1_000))) this.#signal('SIGKILL')
      await this.#exitsWithin(1_000)
    }
    await reap(this.#mark)
  }

  /** Ends it without giving it a chance to say or write anything more. */
  async kill(): Promise<void> {
    if (!this.hasExited) this.#signal('SIGKILL')
    await this.end(1_000)
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    if (this.hasExited) return true
    const timer = new AbortController()
    await Promise.race([this.exited, wait(ms, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
    return this.hasExited
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined) killProcess(-this.child.pid, signal)
  }
}
