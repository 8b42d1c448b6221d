/** A stand-in for the CLI: the test says what it says. For the logic around it; the real CLI is tested end to end. */

import { AsyncQueue } from '../../src/lib/async-queue.js'
import type {
  Claude,
  ClaudeCallbacks,
  ClaudeMessage,
  ClaudePort,
  Launch,
  ProcessOptions,
  WarmClaude,
} from '../../src/session/claude/port.js'

export class FakeClaude implements Claude {
  readonly launch: Launch
  readonly received: ClaudeMessage[] = []
  /** Control requests that it received, in order. */
  readonly told: [string, unknown][] = []
  /** Messages that it would not give back. */
  readonly taken = new Set<string>()
  readonly keptId = null
  lastWords = ''
  interrupts = 0
  isClosed = false
  wasKilled = false
  /** Neither answers control requests nor says anything. */
  isDeaf = false
  readonly #output = new AsyncQueue()
  #callbacks: ClaudeCallbacks | null = null
  #failure: Error | null = null

  constructor(launch: Launch, callbacks: ClaudeCallbacks | null) {
    this.launch = launch
    this.#callbacks = callbacks
  }

  get callbacks(): ClaudeCallbacks {
    if (!this.#callbacks) throw new Error('Nobody has claimed it.')
    return this.#callbacks
  }

  detach(): void {}

  claim(callbacks: ClaudeCallbacks): this {
    this.#callbacks = callbacks
    return this
  }

  get messages(): AsyncIterable<unknown> {
    return this.#read()
  }

  async *#read(): AsyncGenerator {
    yield* this.#output
    if (this.#failure) throw this.#failure
  }

  send(message: ClaudeMessage): void {
    if (this.isClosed) throw new Error('The process is gone.')
    this.received.push(message)
  }

  async cancel(uuid: string): Promise<boolean> {
    if (this.isDeaf) return never()
    return !this.taken.has(uuid)
  }

  async interrupt(): Promise<void> {
    if (this.isDeaf) return never()
    this.interrupts += 1
  }

  setPermissionMode = (mode: unknown) => this.#note('mode', mode)
  setModel = (model: unknown) => this.#note('model', model)
  setThinkingTokens = (tokens: unknown) => this.#note('thinking', tokens)
  setEffort = (effort: unknown) => this.#note('effort', effort)
  stopTask = (task: unknown) => this.#note('stop task', task)

  async #note(what: string, value: unknown): Promise<void> {
    if (this.isDeaf) return never()
    this.told.push([what, value])
  }

  setMcpServers: Claude['setMcpServers'] = async (servers) => ({
    added: Object.keys(servers),
    removed: [],
    errors: {},
  })
  inspect: Claude['inspect'] = async (what) => (this.isDeaf ? never() : { inspected: what })

  async close(): Promise<void> {
    this.isClosed = true
    this.#output.end()
  }

  holdOutput(): void {}

  async kill(): Promise<void> {
    this.wasKilled = true
    await this.close()
  }

  say(...messages: unknown[]): void {
    for (const message of messages) this.#output.push(message)
  }

  /** Reads a message and begins to work on it, as the CLI does. */
  begin(message: ClaudeMessage): void {
    const { start, model } = this.launch
    this.taken.add(message.uuid)
    this.say(
      { type: 'command_lifecycle', command_uuid: message.uuid, state: 'started' },
      {
        type: 'system',
        subtype: 'init',
        session_id: start.id,
        model: model ?? 'm',
        permissionMode: 'default',
      },
    )
  }

  finish(): void {
    this.say({
      type: 'result',
      subtype: 'success',
      terminal_reason: 'completed',
      result: 'Done.',
      total_cost_usd: 0.1,
    })
  }

  crash(message = 'Claude Code process exited with code 1'): void {
    this.#failure = new Error(message)
    this.#output.end()
  }
}

function never(): Promise<never> {
  return new Promise(() => {})
}

export interface FakeClaudes extends ClaudePort {
  /** Every process that sessions have used, oldest first. */
  readonly started: FakeClaude[]
  /** Those that wait for a session. */
  readonly spares: FakeClaude[]
  readonly processes: ProcessOptions[]
  /** Makes the next start fail. */
  failNext(error: Error): void
}

export function createFakeClaudes(): FakeClaudes {
  const started: FakeClaude[] = []
  const spares: FakeClaude[] = []
  const processes: ProcessOptions[] = []
  let failure: Error | null = null
  return {
    started,
    spares,
    processes,
    failNext(error) {
      failure = error
    },
    async open(launch, callbacks, process) {
      const error = failure
      failure = null
      if (error) throw error
      const claude = new FakeClaude(launch, callbacks)
      started.push(claude)
      processes.push(process)
      return claude
    },
    async warm(launch, process): Promise<WarmClaude> {
      const claude = new FakeClaude(launch, null)
      spares.push(claude)
      processes.push(process)
      return {
        claim(callbacks) {
          started.push(claude.claim(callbacks))
          return claude
        },
        close: () => claude.close(),
        get hasExited() {
          return claude.isClosed
        },
      }
    },
  }
}
