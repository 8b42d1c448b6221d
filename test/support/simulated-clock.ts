/** Time that runs as fast as the program allows: each timer is run at its time, in order. */

import type { Clock } from '../../src/lib/clock.js'

export interface SimulatedClock extends Clock {
  /** Runs everything up to this time. After each timer the work that it began comes to rest. */
  runUntil(at: number): Promise<void>
}

interface Timer {
  at: number
  order: number
  action(): void
}

/** Turns of the event loop after which nothing is under way: stores answer at once, the journal takes a few turns. */
const TURNS = 8

export async function comeToRest(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

export function createSimulatedClock(start: number): SimulatedClock {
  let now = start
  let order = 0
  const timers = new Set<Timer>()
  const next = (until: number): Timer | null => {
    let first: Timer | null = null
    for (const timer of timers)
      if (
        timer.at <= until &&
        (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
      )
        first = timer
    return first
  }
  return {
    now: () => now,
    after(ms, action) {
      const timer = { at: Math.ceil(now + ms), order: (order += 1), action }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async runUntil(at) {
      await comeToRest()
      for (let timer = next(at); timer; timer = next(at)) {
        timers.delete(timer)
        now = Math.max(now, timer.at)
        timer.action()
        await comeToRest()
      }
      now = Math.max(now, Math.ceil(at))
    },
  }
}

/** A source of random numbers that repeats itself: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
