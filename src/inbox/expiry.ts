/** Time limits of requests. They hold whoever asked and whether it still runs, so they belong to no call. */

import type { Clock } from '../lib/clock.js'

export class Expiry {
  readonly #clock: Clock
  readonly #onExpired: (requestId: string) => void
  readonly #timers = new Map<string, () => void>()

  constructor(clock: Clock, onExpired: (requestId: string) => void) {
    this.#clock = clock
    this.#onExpired = onExpired
  }

  /** Sees to it that a request does not wait longer than this. A limit that has passed takes effect at once. */
  add(requestId: string, expiresAt: string): void {
    this.remove(requestId)
    const left = Math.max(0, Date.parse(expiresAt) - this.#clock.now())
    const cancel = this.#clock.after(left, () => {
      this.#timers.delete(requestId)
      this.#onExpired(requestId)
    })
    this.#timers.set(requestId, cancel)
  }

  remove(requestId: string): void {
    this.#timers.get(requestId)?.()
    this.#timers.delete(requestId)
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }
}
