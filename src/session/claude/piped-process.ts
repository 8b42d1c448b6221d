/** A CLI process as a child of this process: it ends with it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { CliProcess, type SpawnedCli, type SpawnRequest } from './process.js'

const STDERR_LINES = 20

export class PipedProcess extends CliProcess {
  readonly spawned: SpawnedCli
  readonly exited: Promise<string>
  readonly #child: ChildProcess
  #stderr: string[] = []

  constructor({ command, args, cwd, env }: SpawnRequest, mark: string) {
    super(mark)
    this.#child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true, windowsHide: true })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#keep(text))
    this.exited = once(this.#child, 'exit').then(
      ([code, signal]) => (signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`),
      (error: unknown) => (error instanceof Error ? error.message : 'it could not be started'),
    )
    const { stdin, stdout } = this.#child
    // Node makes no pipes when the process, or the machine, has no descriptors left.
    if (!stdin || !stdout)
      throw new Error('Too many open files. Raise the limit of the daemon (ulimit -n), or lower maxLive.')
    this.spawned = Object.assign(this.#child, { stdin, stdout })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  #keep(text: string): void {
    const lines = [...this.#stderr, ...text.split('\n')].filter((line) => line.trim() !== '')
    this.#stderr = lines.slice(-STDERR_LINES)
  }

  get lastWords(): string {
    return this.#stderr.join('\n')
  }

  get hasExited(): boolean {
    return this.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }
}
