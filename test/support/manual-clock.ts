/** Time that moves only when the test says so. */

import type { Clock } from '../../src/lib/clock.js'

export interface ManualClock extends Clock {
  advance(ms: number): void
  /** How many are waited for. */
  timers(): number
}

export function createManualClock(start = Date.UTC(2026, 10, 15, 12)): ManualClock {
  let now = start
  let timers: { at: number; action(): void }[] = []
  return {
    now: () => now,
    after(ms, action) {
      const timer = { at: now + ms, action }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    timers: () => timers.length,
    advance(ms) {
      now += ms
      const due = timers.filter((timer) => timer.at <= now)
      timers = timers.filter((timer) => timer.at > now)
      for (const timer of due) timer.action()
    },
  }
}
