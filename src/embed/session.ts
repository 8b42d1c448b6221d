/** A session as a program holds it: say something, read until the turn has ended, close. */

import type { Hub } from '../hub/port.js'
import type { ChangeSession } from '../protocol/api-body.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import type { Session as Snapshot } from '../protocol/session.js'
import type { Actor, ContentBlock, WhenBusy } from '../protocol/value.js'
import { follow } from './follow.js'

export interface SendOptions {
  whenBusy?: WhenBusy
  idempotencyKey?: string
}

export class Session implements AsyncDisposable {
  readonly id: string
  readonly #hub: Hub
  readonly #actor: Actor
  /** The newest event that a stream has yielded; the next stream continues after it. */
  #after: number
  /** Messages sent from here whose turn has not ended, with that turn once it is known. */
  readonly #open = new Map<string, string | null>()

  constructor(id: string, after: number, hub: Hub, actor: Actor) {
    this.id = id
    this.#after = after
    this.#hub = hub
    this.#actor = actor
  }

  /** Resolves when the message is stored: from then on it is not lost. */
  async send(message: string | ContentBlock[], options: SendOptions = {}): Promise<{ messageId: string }> {
    const command = typeof message === 'string' ? { text: message } : { content: message }
    const sent = await this.#hub.send(this.id, { ...command, ...options }, this.#actor)
    this.#open.set(sent.messageId, null)
    return sent
  }

  /**
   * Yields events from where the last stream ended, until the turn of everything that was sent from here has ended, or
   * the session has. Nothing is missed between two streams.
   */
  async *stream(): AsyncGenerator<SessionEvent | Delta> {
    for await (const event of follow(this.#hub.journal, { sessionId: this.id, after: this.#after })) {
      if ('seq' in event) this.#after = event.seq
      const isOver = this.#isOver(event)
      yield event
      if (isOver) return
    }
  }

  #isOver(event: SessionEvent | Delta): boolean {
    switch (event.type) {
      case 'message.delivered':
        if (this.#open.has(event.data.messageId))
          this.#open.set(event.data.messageId, event.data.turnId ?? null)
        return false
      case 'message.cancelled':
        return this.#open.delete(event.data.messageId) && this.#open.size === 0
      case 'turn.ended':
        for (const [messageId, turnId] of this.#open) {
          if (turnId === event.data.turnId) this.#open.delete(messageId)
        }
        return this.#open.size === 0
      case 'session.ended':
        this.#open.clear()
        return true
      default:
        return false
    }
  }

  snapshot(): Promise<Snapshot> {
    return this.#hub.session(this.id)
  }

  change(change: ChangeSession): Promise<Snapshot> {
    return this.#hub.change(this.id, change, this.#actor)
  }

  async interrupt(): Promise<void> {
    await this.#hub.interrupt(this.id)
  }

  /** Ends the session and its process. It can be resumed by its id. */
  async close(): Promise<void> {
    await this.#hub.stop(this.id, 'Closed by the program.', this.#actor)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
