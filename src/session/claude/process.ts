/** A CLI process, in a process group of its own, which is ours to end. */

import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { killProcess } from '../../lib/kill-process.js'
import { reap } from './reaper.js'

/** A process as the SDK uses it. */
export interface SpawnedCli {
  stdin: Writable
  stdout: Readable
  readonly killed: boolean
  readonly exitCode: number | null
  kill(signal: NodeJS.Signals): boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- events of any shape, as EventEmitter has it.
  on(event: string, listener: (...values: any[]) => void): unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- as above.
  once(event: string, listener: (...values: any[]) => void): unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- as above.
  off(event: string, listener: (...values: any[]) => void): unknown
}

export interface SpawnRequest {
  command: string
  args: string[]
  cwd?: string
  env: Record<string, string | undefined>
}

export abstract class CliProcess {
  /** As the SDK sees it. */
  abstract readonly spawned: SpawnedCli
  /** Settles when the process has exited, with the exit status or signal as text. */
  abstract readonly exited: Promise<string>
  abstract readonly hasExited: boolean
  /** The last lines of its standard error: often the only explanation of what went wrong. */
  abstract readonly lastWords: string
  readonly #mark: string

  constructor(mark: string) {
    this.#mark = mark
  }

  /** Undefined or 0 while there is none. */
  abstract readonly pid: number | undefined

  holdOutput(isHeld: boolean): void {
    if (isHeld) this.spawned.stdout.pause()
    else this.spawned.stdout.resume()
  }

  /** Leaves it running, where that is possible. */
  detach(): void {}

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

  /** At once, without what has left its group. */
  protected killGroup(): void {
    this.#signal('SIGKILL')
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    if (this.hasExited) return true
    const timer = new AbortController()
    await Promise.race([this.exited, wait(ms, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
    return this.hasExited
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.pid !== undefined && this.pid > 0) killProcess(-this.pid, signal)
  }
}
