/** Forgets what happened in sessions that ended long ago. What is known of them, what they used and the audit stay. */

import type { Clock } from '../lib/clock.js'
import type { Store } from './port.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface Retention {
  /** The store ends the step that is under way. May be called twice. */
  close(): void
}

/** At once, without being waited for, and then every hour. 0 days: everything stays. */
export function keepRetention(deps: {
  store: Pick<Store, 'trim'>
  /** What else is kept by time: files that were last written before this moment may go. */
  prune(before: string): void
  clock: Clock
  days: number
  onFault(error: unknown): void
}): Retention {
  const { store, prune, clock, days, onFault } = deps
  if (days === 0) return { close() {} }
  let isClosed = false
  let cancel = () => {}

  async function sweep(): Promise<void> {
    try {
      const before = new Date(clock.now() - days * DAY_MS).toISOString()
      prune(before)
      await store.trim(before)
    } catch (error) {
      onFault(error)
    }
    if (!isClosed) cancel = clock.after(HOUR_MS, () => void sweep())
  }

  void sweep()
  return {
    close() {
      isClosed = true
      cancel()
    },
  }
}
