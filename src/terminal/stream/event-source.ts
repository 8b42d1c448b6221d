/** The source of the monitor's events: the files of the stream, or the rows that a consumer stored. */

import type { Clock } from '../../lib/clock.js'
import type { LifecycleEvent } from './event.js'

export interface EventSource {
  /**
   * Skips sessions that ended before this time (in ms), where that saves work, until called with null. Call before the
   * first `read`.
   */
  skipEndedBefore(time: number | null): void
  /**
   * Passes some of the next events to `take`, in order, each with an increasing number. Returns the number of the last
   * one, even if it was skipped; null if there are no more. If `take` throws, the same events are read again.
   */
  read(take: (event: LifecycleEvent, seq: number) => void): number | null
  /** Looks for lines in rotated files, if the source has any. Called periodically. */
  lookAround(): void
  /** Calls `onWake` when there may be new events, and every `pollMs`. */
  follow(options: { clock: Clock; pollMs: number; onWake(): void }): { close(): void }
  /** Idempotent. */
  close(): void
}
