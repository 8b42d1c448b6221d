/**
 * A stand-in for the CLI that works on its own, with a pause wherever the real one takes time. It treats
 * messages as the CLI (2.1.325) does: a control request can overtake a message, one that was cancelled before
 * it arrived is cancelled when it does, and a message that comes in a turn joins it.
 */

import { randomUUID } from 'node:crypto'
import { AsyncQueue } from '../../src/lib/async-queue.js'
import type {
  Claude,
  ClaudeCallbacks,
  ClaudeMessage,
  ClaudePort,
  Launch,
} from '../../src/session/claude/port.js'

export interface Watcher {
  /** The process is given its first message. */
  onFirst(claude: SimulatedClaude): void
  /** It reads a message. */
  onRead(uuid: string): void
  /** It is about to call a tool; what it calls then says whether the call ran unasked. */
  onCall(claude: SimulatedClaude): (isAllowed: boolean) => void
}

export interface SimulationOptions {
  /** Takes a random while. */
  pause(): Promise<void>
  watcher: Watcher
}

export class SimulatedClaude implements Claude {
  readonly launch: Launch
  readonly keptId = null
  readonly lastWords = ''
  isClosed = false
  /** Whether its turns never end. */
  isStuck = false
  readonly #options: SimulationOptions
  readonly #output = new AsyncQueue()
  #callbacks: ClaudeCallbacks | null
  #waiting: string[] = []
  readonly #cancelled = new Set<string>()
  #turn: { isInterrupted: boolean } | null = null
  #hasMessage = false
  #failure: Error | null = null

  constructor(launch: Launch, callbacks: ClaudeCallbacks | null, options: SimulationOptions) {
    this.launch = launch
    this.#callbacks = callbacks
    this.#options = options
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

  #say(...messages: unknown[]): void {
    if (!this.isClosed) for (const message of messages) this.#output.push(message)
  }

  send({ uuid, content }: ClaudeMessage): void {
    if (this.isClosed) throw new Error('The process is gone.')
    if (!this.#hasMessage) this.#options.watcher.onFirst(this)
    this.#hasMessage = true
    if (JSON.stringify(content).includes('stuck')) this.isStuck = true
    void this.#options.pause().then(() => this.#arrive(uuid))
  }

  #arrive(uuid: string): void {
    this.#tell(uuid, 'queued')
    if (this.#cancelled.has(uuid)) return this.#tell(uuid, 'cancelled')
    this.#waiting.push(uuid)
    if (!this.#turn) void this.#work()
  }

  #tell(uuid: string, state: string): void {
    this.#say({ type: 'command_lifecycle', command_uuid: uuid, state })
  }

  async #work(): Promise<void> {
    const turn = { isInterrupted: false }
    this.#turn = turn
    await this.#options.pause()
    this.#takeUp()
    await this.#options.pause()
    if (!turn.isInterrupted && !this.isClosed) await this.#callTool()
    this.#takeUp()
    while (this.isStuck && !turn.isInterrupted && !this.isClosed) await this.#options.pause()
    const reason = turn.isInterrupted ? 'aborted_streaming' : 'completed'
    this.#say({ type: 'result', subtype: 'success', terminal_reason: reason, result: '', total_cost_usd: 0 })
    this.#turn = null
    if (this.#waiting.length > 0 && !this.isClosed) await this.#work()
  }

  #takeUp(): void {
    if (this.isClosed) return
    const { start, model } = this.launch
    for (const uuid of this.#waiting) {
      this.#options.watcher.onRead(uuid)
      this.#tell(uuid, 'started')
      this.#say({ type: 'system', subtype: 'init', session_id: start.id, model: model ?? 'm' })
    }
    this.#waiting = []
  }

  async #callTool(): Promise<void> {
    const told = this.#options.watcher.onCall(this)
    const toolUseId = `toolu_${randomUUID()}`
    const input = { command: 'rm -rf build' }
    const event = { hook_event_name: 'PreToolUse' }
    const call = { toolUseId, name: 'Bash', input, event }
    const decision = await this.#callbacks?.preToolUse(call, new AbortController().signal)
    told(decision?.decision === 'allow')
    const content = [{ type: 'tool_result', tool_use_id: toolUseId, content: 'done' }]
    this.#say({ type: 'user', message: { content } })
  }

  async cancel(uuid: string): Promise<boolean> {
    await this.#options.pause()
    this.#alive()
    const isWaiting = this.#waiting.includes(uuid)
    this.#waiting = this.#waiting.filter((other) => other !== uuid)
    if (!isWaiting) this.#cancelled.add(uuid)
    await this.#options.pause()
    return isWaiting
  }

  async interrupt(): Promise<void> {
    await this.#options.pause()
    this.#alive()
    if (this.#turn) this.#turn.isInterrupted = true
    await this.#options.pause()
  }

  #alive(): void {
    if (this.isClosed) throw new Error('The process is gone.')
  }

  async #answer(): Promise<void> {
    await this.#options.pause()
    this.#alive()
    await this.#options.pause()
  }

  setPermissionMode = () => this.#answer()
  setModel = () => this.#answer()
  setThinkingTokens = () => this.#answer()
  setEffort = () => this.#answer()
  stopTask = () => this.#answer()
  setMcpServers: Claude['setMcpServers'] = async () => ({ added: [], removed: [], errors: {} })
  inspect: Claude['inspect'] = async (what) => {
    await this.#answer()
    return { inspected: what }
  }

  holdOutput(): void {}

  async close(): Promise<void> {
    await this.#options.pause()
    this.isClosed = true
    this.#output.end()
  }

  kill = () => this.close()

  crash(): void {
    this.#failure = new Error('Claude Code process exited with code 1')
    this.isClosed = true
    this.#output.end()
  }
}

export function createSimulatedClaudes(options: SimulationOptions): ClaudePort & {
  /** Every process, oldest first. */
  readonly processes: readonly SimulatedClaude[]
} {
  const processes: SimulatedClaude[] = []
  const start = async (launch: Launch, callbacks: ClaudeCallbacks | null) => {
    await options.pause()
    const claude = new SimulatedClaude(launch, callbacks, options)
    processes.push(claude)
    await options.pause()
    return claude
  }
  return {
    processes,
    open: (launch, callbacks) => start(launch, callbacks),
    async warm(launch) {
      const claude = await start(launch, null)
      return {
        claim: (callbacks) => claude.claim(callbacks),
        close: () => claude.close(),
        get hasExited() {
          return claude.isClosed
        },
      }
    },
  }
}
