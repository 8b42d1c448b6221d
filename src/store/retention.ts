/** Retention: deletes the events of sessions that ended long ago. Sessions, usage and the audit log are kept. */

import type { Clock } from '../lib/clock.js'
import type { Store } from './port.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface Retention {
  /** Does not wait for a running step; the store finishes it. Idempotent. */
  close(): void
}

/** Runs in the background at once, then every hour. 0 days: keeps everything. */
export function keepRetention(deps: {
  store: Pick<Store, 'trim'>
  /** Deletes other data under retention, such as log files last written before this time. */
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
