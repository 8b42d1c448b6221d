/**
 * Cancels messages that the agent has not read. Race: a message may be handed to the process at the same moment, so the
 * cancellation is noted first, synchronously, and the sender checks here at the moment of sending. A message that was
 * sent already can only be cancelled by Claude Code, which reports whether it has.
 */

import { AppendRefused, type Journal } from '../../journal/journal.js'
import type { Session } from '../../protocol/session.js'
import { isDelayed } from '../../protocol/view/condition.js'
import { appendUnlessRefused } from '../append-unless-refused.js'
import type { LiveSession } from '../live-session.js'

export interface CancellationDeps {
  journal: Journal
  live(sessionId: string): LiveSession | null
  /** Runs it behind everything that is under way in the session now. */
  behind(sessionId: string, work: () => void): void
  /** Hands over what is still queued. */
  deliver(sessionId: string): void
}

export class Cancellations {
  readonly #deps: CancellationDeps
  /** Messages that must not be sent. */
  readonly #cancelled = new Set<string>()
  readonly #running = new Map<string, Promise<boolean>>()

  constructor(deps: CancellationDeps) {
    this.#deps = deps
  }

  isCancelled(messageId: string): boolean {
    return this.#cancelled.has(messageId)
  }

  /** False if it has ended before: the agent has read it, or it was cancelled. Of several callers one gets `true`. */
  async cancel(sessionId: string, messageId: string, reason: string): Promise<boolean> {
    for (let first = this.#running.get(messageId); first; first = this.#running.get(messageId)) {
      const isEnded = await first.then(
        () => true,
        () => false,
      )
      if (isEnded) return false
    }
    const running = this.#cancel(sessionId, messageId, reason).finally(() => this.#running.delete(messageId))
    this.#running.set(messageId, running)
    return running
  }

  /** Cancels everything that waits. */
  async cancelAll(session: Session, reason: string): Promise<void> {
    const { id, queue } = session
    // Race: the session may be deleted meanwhile, which ends them as well.
    if (isDelayed(session))
      await appendUnlessRefused(this.#deps.journal, id, {
        type: 'session.changed',
        data: { condition: null },
      })
    await Promise.all(queue.map(({ messageId }) => this.cancel(id, messageId, reason)))
  }

  async #cancel(sessionId: string, messageId: string, reason: string): Promise<boolean> {
    for (;;) {
      const live = this.#deps.live(sessionId)
      if (!live?.input.hasSent(messageId)) return this.#cancelUnsent(sessionId, messageId, reason)
      const end = await live.input.cancelSent(messageId, reason)
      // Race: the process has exited without reading the message, and its successor may have received it
      // already. Check again.
      if (end !== 'unread') return end === 'cancelled'
    }
  }

  async #cancelUnsent(sessionId: string, messageId: string, reason: string): Promise<boolean> {
    const { journal, live, behind, deliver } = this.#deps
    this.#cancelled.add(messageId)
    let isEnded = true
    try {
      await journal.append(sessionId, [{ type: 'message.cancelled', data: { messageId, reason } }])
      return true
    } catch (error) {
      if (error instanceof AppendRefused) return false
      isEnded = false
      this.#cancelled.delete(messageId)
      live(sessionId)?.input.forget(messageId)
      deliver(sessionId)
      throw error
    } finally {
      // A delivery that has read the queue before may still come to it, and may leave it waiting for the end of a turn.
      if (isEnded)
        behind(sessionId, () => {
          live(sessionId)?.input.forget(messageId)
          this.#cancelled.delete(messageId)
        })
    }
  }
}
