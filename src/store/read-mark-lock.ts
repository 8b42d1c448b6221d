/**
 * A lock of another program on the read marks of the WAL index. SQLite waits for it inside each statement, up to ten seconds
 * and whatever `busy_timeout` says, and then fails with SQLITE_PROTOCOL. The first such wait blocks the event loop and cannot
 * be avoided. Until the lock is released, further statements are refused before they reach SQLite.
 */

import type { LockHolder } from './lock-holder.js'

const SQLITE_PROTOCOL = 15
/** As long as SQLite waits: where the holder cannot be seen, the event loop is free for at least half of the time. */
const UNSEEN_MS = 10_000

export class ReadMarkLock {
  readonly #holder: () => LockHolder | null
  /** Monotonic time of the last statement that failed because of it; null if it is not known to be held. */
  #failedAt: number | null = null
  #wasSeen = false

  constructor(holder: () => LockHolder | null) {
    this.#holder = holder
  }

  /** Call it with each error of a statement. True if this lock was the cause. */
  note(error: unknown): boolean {
    const { errcode } = (error ?? {}) as { errcode?: unknown }
    if (typeof errcode !== 'number' || (errcode & 0xff) !== SQLITE_PROTOCOL) return false
    this.#failedAt = performance.now()
    this.#wasSeen = this.#holder() !== null
    return true
  }

  /** Costs nothing unless the lock is known. */
  get isHeld(): boolean {
    if (this.#failedAt === null) return false
    const isSeen = this.#holder() !== null
    this.#wasSeen ||= isSeen
    if (isSeen || (!this.#wasSeen && performance.now() - this.#failedAt < UNSEEN_MS)) return true
    this.#failedAt = null
    return false
  }
}
