/** Timeouts of requests. They apply also after the process has exited, so they do not belong to a call. */

import type { Clock } from '../lib/clock.js'

/** Timers count running time, so after a suspend or a jump of the clock the wall clock is compared as well. */
const RECHECK_MS = 15_000

interface Limit {
  expiresAt: number
  cancel(): void
}

export class Expiry {
  readonly #clock: Clock
  readonly #onExpired: (requestId: string) => void
  readonly #limits = new Map<string, Limit>()
  #cancelRecheck: (() => void) | null = null

  constructor(clock: Clock, onExpired: (requestId: string) => void) {
    this.#clock = clock
    this.#onExpired = onExpired
  }

  /** Sees to it that a request does not wait longer than this. A limit that has passed takes effect at once. */
  add(requestId: string, expiresAt: string): void {
    this.remove(requestId)
    const at = Date.parse(expiresAt)
    const left = Math.max(0, at - this.#clock.now())
    const cancel = this.#clock.after(left, () => this.#expire(requestId))
    this.#limits.set(requestId, { expiresAt: at, cancel })
    this.#cancelRecheck ??= this.#clock.after(RECHECK_MS, () => this.#recheck())
  }

  remove(requestId: string): void {
    this.#limits.get(requestId)?.cancel()
    this.#limits.delete(requestId)
    if (this.#limits.size === 0) this.#stopRecheck()
  }

  close(): void {
    for (const { cancel } of this.#limits.values()) cancel()
    this.#limits.clear()
    this.#stopRecheck()
  }

  #expire(requestId: string): void {
    this.remove(requestId)
    this.#onExpired(requestId)
  }

  #recheck(): void {
    this.#cancelRecheck = null
    const now = this.#clock.now()
    const due = [...this.#limits].filter(([, { expiresAt }]) => expiresAt <= now)
    for (const [requestId] of due) this.#expire(requestId)
    if (this.#limits.size > 0) this.#cancelRecheck = this.#clock.after(RECHECK_MS, () => this.#recheck())
  }

  #stopRecheck(): void {
    this.#cancelRecheck?.()
    this.#cancelRecheck = null
  }
}
