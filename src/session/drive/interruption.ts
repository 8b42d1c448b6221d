/** Interrupts sessions: stops the running turn or, where none has begun, what would have begun it. */

import { setTimeout as wait } from 'node:timers/promises'
import type { Asker } from '../../inbox/asker.js'
import type { Journal } from '../../journal/journal.js'
import { reason as codedReason } from '../../protocol/reason/reason.js'
import type { LiveSession } from '../live-session.js'
import type { Cancellations } from './cancellation.js'
import type { Delivery } from './delivery.js'
import type { SessionWork } from './session-work.js'

const INTERRUPT_MS = 5_000
/** How long a process that has said nothing yet may take to answer an interrupt before it is killed. */
const START_INTERRUPT_MS = 500
const INTERRUPTED = 'Interrupted before it was read.'

export interface InterruptionDeps extends Pick<SessionWork, 'fleet' | 'drivable'> {
  journal: Journal
  asker: Asker
  cancellations: Cancellations
  delivery: Pick<Delivery, 'instead'>
  /** Ends the wait before the next start of a process. */
  endPause(sessionId: string): void
}

export class Interruption {
  readonly #deps: InterruptionDeps

  constructor(deps: InterruptionDeps) {
    this.#deps = deps
  }

  /** Stops the running turn. Where none has begun, what would have begun it is cancelled, and a start is ended. */
  async interrupt(sessionId: string): Promise<void> {
    const { fleet, delivery } = this.#deps
    const live = fleet.get(sessionId)
    if (!live) return delivery.instead(sessionId, () => this.#interruptWaiting(sessionId))
    const interrupted = this.#interruptLive(sessionId, live)
    if (live.hasSpoken || (await this.#isDoneSoon(interrupted)) || live.hasSpoken) return interrupted
    // Nothing is lost with a process that has not said a word: one that may hang at its start is not waited for.
    interrupted.catch(() => {})
    await delivery.instead(sessionId, async () => {
      await live.abandon(codedReason('end.not-started'))
      await this.#interruptWaiting(sessionId)
    })
  }

  async #interruptLive(sessionId: string, live: LiveSession): Promise<void> {
    if (!live.hasTurn) await this.#cancelUnread(sessionId, live)
    await live.interrupt()
  }

  /** A process that is ready answers within milliseconds, and stays. */
  async #isDoneSoon(work: Promise<void>): Promise<boolean> {
    const isDone = work.then(
      () => true,
      () => false,
    )
    return Promise.race([isDone, wait(START_INTERRUPT_MS, false, { ref: false })])
  }

  /** Messages that the process was given, or is about to be; those that wait for the end of a turn stay. */
  async #cancelUnread(sessionId: string, live: LiveSession): Promise<void> {
    const { journal, cancellations } = this.#deps
    const { queue = [] } = (await journal.session(sessionId)) ?? {}
    const unread = queue.filter(({ messageId }) => !live.input.isHolding(messageId))
    const cancelling = unread.map(({ messageId }) =>
      // One that cannot be cancelled now may be read: then its turn is stopped.
      cancellations.cancel(sessionId, messageId, INTERRUPTED).catch(() => false),
    )
    await Promise.race([Promise.all(cancelling), wait(INTERRUPT_MS, undefined, { ref: false })])
  }

  /** A turn that waits for an answer is given up. Without one, what waits for a process is cancelled. */
  async #interruptWaiting(sessionId: string): Promise<void> {
    const { asker, cancellations, drivable, endPause } = this.#deps
    endPause(sessionId)
    const session = await drivable(sessionId)
    if (!session) return
    const isWaiting = session.pendingRequests.length > 0
    await asker.withdraw(sessionId, codedReason('request.interrupted'))
    if (!isWaiting) await cancellations.cancelAll(session, INTERRUPTED)
  }
}
