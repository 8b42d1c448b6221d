/** Messages on their way to the CLI: which go at once, and which wait for the running turn to end. */

import type { DataOf } from '../protocol/event/event.js'

export type OutgoingMessage = Pick<
  DataOf<'message.queued'>,
  'messageId' | 'text' | 'content' | 'whenBusy' | 'from'
> & { isVerbatim?: boolean }

export interface OutboxDeps {
  isBusy(): boolean
  hasTurn(): boolean
  interrupt(): Promise<void>
  /** Whether it must not be sent any more. Asked at the moment of sending, after every wait. */
  isCancelled(messageId: string): boolean
  handOver(message: OutgoingMessage): void
}

export class Outbox {
  readonly #deps: OutboxDeps
  readonly #seen = new Set<string>()
  #held: OutgoingMessage[] = []

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /** The same message again changes nothing. */
  async add(message: OutgoingMessage): Promise<void> {
    if (this.#seen.has(message.messageId)) return
    this.#seen.add(message.messageId)
    const { isBusy, hasTurn, interrupt } = this.#deps
    // One behind the other: what waits already comes first.
    if (message.whenBusy === 'queue' && (isBusy() || this.#held.length > 0)) {
      this.#held.push(message)
      return
    }
    // A turn that cannot be stopped must not keep the message; it is then read when the turn lets it.
    if (message.whenBusy === 'replace' && hasTurn()) await interrupt().catch(() => {})
    this.#handOver(message)
  }

  #handOver(message: OutgoingMessage): void {
    if (!this.#deps.isCancelled(message.messageId)) this.#deps.handOver(message)
  }

  /** It was handed over before. */
  noteSent(messageId: string): void {
    this.#seen.add(messageId)
  }

  /** Called when something has happened; each message that waited gets a turn of its own. */
  release(): void {
    while (this.#held.length > 0 && !this.#deps.isBusy()) {
      const [next, ...rest] = this.#held
      this.#held = rest
      if (next) this.#handOver(next)
    }
  }

  /** Whether it waits for the running turn to end. */
  isHeld(messageId: string): boolean {
    return this.#held.some((message) => message.messageId === messageId)
  }

  /** As if it had never been added. */
  forget(messageId: string): void {
    this.#seen.delete(messageId)
    this.#held = this.#held.filter((message) => message.messageId !== messageId)
  }
}
