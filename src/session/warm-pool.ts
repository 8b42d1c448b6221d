/** Processes that are started ahead, so that the first message of a session does not wait for one. */

import { randomUUID } from 'node:crypto'
import type { Clock } from '../lib/clock.js'
import type { ClaudePort, Launch, ProcessOptions, WarmClaude } from './claude/port.js'

export interface WarmPoolOptions {
  /** How many are kept; 0 for none. */
  size: number
  /** A process that no session has used for this long is ended. */
  keepMs: number
  claude: ClaudePort
  clock: Clock
  newProcess(): ProcessOptions
  onFault(error: unknown): void
}

interface WarmProcess {
  key: string
  conversationId: string
  /** Settles with null if it could not be started. */
  ready: Promise<WarmClaude | null>
  process: WarmClaude | null
  since: number
}

/** To start a process takes a whole core for a while: the session that is just beginning has the first claim to it. */
const REFILL_MS = 1_500

export class WarmPool {
  readonly #options: WarmPoolOptions
  #spares: WarmProcess[] = []
  /** Cancels the planned start of a process, by its key. */
  readonly #planned = new Map<string, () => void>()
  #isClosed = false

  constructor(options: WarmPoolOptions) {
    this.#options = options
  }

  /** A process that was started just like this one would be, with its conversation; null if none is ready. */
  take(launch: Launch): { process: WarmClaude; conversationId: string } | null {
    if (launch.start.kind !== 'new') return null
    const key = keyOf(launch)
    const spare = this.#spares.find(
      (candidate) => candidate.key === key && candidate.process?.hasExited === false,
    )
    if (!spare?.process) return null
    this.#spares = this.#spares.filter((other) => other !== spare)
    return { process: spare.process, conversationId: spare.conversationId }
  }

  /** Sees to it that the next one like this is ready soon. */
  refill(launch: Launch): void {
    const { size, clock } = this.#options
    const key = keyOf(launch)
    if (size === 0 || this.#isClosed || this.#planned.has(key)) return
    const cancel = clock.after(REFILL_MS, () => {
      this.#planned.delete(key)
      this.#fill(launch, key)
    })
    this.#planned.set(key, cancel)
  }

  /** The one that was wanted longest ago makes room. */
  #fill(launch: Launch, key: string): void {
    const { size, clock } = this.#options
    this.#drop(
      (spare) => spare.process?.hasExited === true || clock.now() - spare.since > this.#options.keepMs,
    )
    if (this.#spares.some((spare) => spare.key === key)) return
    const excess = this.#spares.slice(0, Math.max(0, this.#spares.length - size + 1))
    this.#drop((spare) => excess.includes(spare))
    this.#spares.push(this.#start(launch, key))
  }

  #start(launch: Launch, key: string): WarmProcess {
    const conversationId = randomUUID()
    const { claude, clock, newProcess, onFault } = this.#options
    const started = claude.warm({ ...launch, start: { kind: 'new', id: conversationId } }, newProcess())
    const spare: WarmProcess = {
      key,
      conversationId,
      process: null,
      since: clock.now(),
      ready: Promise.resolve(null),
    }
    spare.ready = started.then(
      (process) => {
        spare.process = process
        return process
      },
      (error: unknown) => {
        // The session itself reports the problem when it starts a process of its own.
        onFault(error)
        this.#spares = this.#spares.filter((other) => other !== spare)
        return null
      },
    )
    return spare
  }

  /** Ends those that were started in a folder or below it. */
  dropBelow(path: string): void {
    for (const [key, cancel] of this.#planned) {
      if (!isBelow(cwdIn(key), path)) continue
      cancel()
      this.#planned.delete(key)
    }
    this.#drop((spare) => isBelow(cwdIn(spare.key), path))
  }

  /** Ends those that have waited too long. */
  sweep(): void {
    const { clock, keepMs } = this.#options
    this.#drop((spare) => clock.now() - spare.since > keepMs)
  }

  #drop(isUnwanted: (spare: WarmProcess) => boolean): void {
    const unwanted = this.#spares.filter(isUnwanted)
    this.#spares = this.#spares.filter((spare) => !unwanted.includes(spare))
    for (const spare of unwanted) this.#end(spare).catch(this.#options.onFault)
  }

  async #end({ ready }: WarmProcess): Promise<void> {
    const process = await ready
    await process?.close()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const cancel of this.#planned.values()) cancel()
    this.#planned.clear()
    const spares = this.#spares
    this.#spares = []
    await Promise.all(spares.map((spare) => this.#end(spare)))
  }
}

function cwdIn(key: string): string {
  return (JSON.parse(key) as Launch).cwd // A key is a launch.
}

function isBelow(folder: string, path: string): boolean {
  return folder === path || folder.startsWith(`${path}/`)
}

/** Launches with the same key differ in nothing but their conversation. */
function keyOf(launch: Launch): string {
  return JSON.stringify({ ...launch, start: null })
}
