/** A stand-in for the CLI: the test says what it says. For the logic around it; the real CLI is tested end to end. */

import type { Claude, ClaudeMessage, ClaudeOptions, OpenClaude } from '../../src/session/claude-driver.js'
import { InputQueue } from '../../src/session/input-queue.js'

export class FakeClaude implements Claude {
  readonly options: ClaudeOptions
  readonly received: ClaudeMessage[] = []
  readonly lastWords = ''
  interrupts = 0
  isClosed = false
  readonly #output = new InputQueue()
  #failure: Error | null = null

  constructor(options: ClaudeOptions) {
    this.options = options
  }

  get messages(): AsyncIterable<unknown> {
    return this.#read()
  }

  async *#read(): AsyncGenerator {
    yield* this.#output
    if (this.#failure) throw this.#failure
  }

  send(message: ClaudeMessage): void {
    this.received.push(message)
  }

  async interrupt(): Promise<void> {
    this.interrupts += 1
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.#output.end()
  }

  say(...messages: unknown[]): void {
    for (const message of messages) this.#output.push(message)
  }

  /** Takes up a message and begins to work on it, as the CLI does. */
  begin(message: ClaudeMessage): void {
    this.say(
      { type: 'command_lifecycle', command_uuid: message.uuid, state: 'started' },
      {
        type: 'system',
        subtype: 'init',
        session_id: this.options.conversation.id,
        model: 'm',
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

export interface FakeClaudes {
  open: OpenClaude
  /** Every process that was started, oldest first. */
  readonly started: FakeClaude[]
  /** Makes the next start fail. */
  failNext(error: Error): void
}

export function createFakeClaudes(): FakeClaudes {
  const started: FakeClaude[] = []
  let failure: Error | null = null
  return {
    started,
    failNext(error) {
      failure = error
    },
    async open(options) {
      const error = failure
      failure = null
      if (error) throw error
      const claude = new FakeClaude(options)
      started.push(claude)
      return claude
    },
  }
}
