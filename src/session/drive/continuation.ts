/** Resumes turns that were cut off: by a crash, by a restart of the daemon, or while they waited for an answer. */

import { abortable } from '../../lib/abortable.js'
import type { Clock } from '../../lib/clock.js'
import type { Session } from '../../protocol/session.js'
import { CONTROL_MS } from '../claude/control-timeout.js'
import { answerOf } from '../recovery/parked-request.js'
import { RestartBackoff } from './restart-backoff.js'
import type { SessionWork } from './session-work.js'

export interface ContinuationDeps extends SessionWork {
  clock: Clock
  /** Hands over what is queued. */
  deliver(sessionId: string): void
  /** No process could be started. */
  fail(sessionId: string, error: unknown): Promise<void>
  onFault(error: unknown): void
}

export class Continuation {
  readonly #deps: ContinuationDeps
  readonly #answerStarts = new RestartBackoff()

  constructor(deps: ContinuationDeps) {
    this.#deps = deps
  }

  /** The turn that was cut off is resumed, then the queued messages. */
  goOn(sessionId: string): void {
    const { deliver, fail } = this.#deps
    this.#continue(sessionId).catch((error: unknown) => fail(sessionId, error))
    deliver(sessionId)
  }

  /** An answer to a request whose process is gone: the turn is resumed with it. */
  answered(sessionId: string, requestId: string): void {
    const { sequencer, fleet, drivable, onFault } = this.#deps
    sequencer
      .run(sessionId, async () => {
        const session = await drivable(sessionId)
        if (session?.parkedRequests.includes(requestId) && !fleet.get(sessionId)) this.goOn(sessionId)
      })
      .catch(onFault)
  }

  /** Race: the answer came when the process was gone. Once for each: a process that crashes over it is not tried for ever. */
  mayGoOn(session: Session): boolean {
    const requestId = answerOf(session)
    return requestId !== undefined && this.#answerStarts.next(session.id, requestId)?.delayMs === 0
  }

  /** A turn has ended as it should: later crashes count from the beginning. */
  wentWell(sessionId: string): void {
    this.#answerStarts.forget(sessionId)
  }

  /** Answers in bounded time; a start that takes longer continues, and reports a failure in the session. */
  async continueSoon(sessionId: string): Promise<void> {
    const { clock, fail } = this.#deps
    const late = new AbortController()
    const cancel = clock.after(CONTROL_MS, () => late.abort())
    const started = this.#continue(sessionId)
    try {
      await abortable(started, late.signal)
    } catch (error) {
      if (!late.signal.aborted) throw error
      started.catch((failure: unknown) => fail(sessionId, failure))
    } finally {
      cancel()
    }
  }

  async #continue(sessionId: string): Promise<void> {
    const { sequencer, starts, fleet, drivable } = this.#deps
    await sequencer.run(sessionId, async () => {
      if ((await drivable(sessionId)) && !fleet.get(sessionId))
        await starts.run(sessionId, (signal) => fleet.ensure(sessionId, 'continue', signal))
    })
  }
}
