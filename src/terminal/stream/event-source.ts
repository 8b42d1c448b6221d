/** Where the monitor gets its events from: the stream itself, or the rows that a consumer has stored of it. */

import type { Clock } from '../../lib/clock.js'
import type { LifecycleEvent } from './event.js'

export interface EventSource {
  /**
   * Until it is called again with null, sessions that ended before this time (in ms) are passed over, as far as that
   * spares work. Called before the first `read`.
   */
  skipEndedBefore(time: number | null): void
  /**
   * Hands out some of the next events, in order and each with a number that grows. Returns the number of the last one,
   * also if that was passed over; null if there is nothing more now. The same events come again if `take` throws.
   */
  read(take: (event: LifecycleEvent, seq: number) => void): number | null
  /** Looks for what comes late or from elsewhere. Called every now and then. */
  lookAround(): void
  /** Calls `onWake` when there may be something to read, and every `pollMs`. */
  follow(options: { clock: Clock; pollMs: number; onWake(): void }): { close(): void }
  /** May be called twice. */
  close(): void
}
