/** Gives way to others: the import of the past pauses after each slice, and longer while anything else happens. */

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { Journal } from '../../journal/journal.js'

const BUSY_FOR_MS = 2_000
/** While others work, the import takes about one part in twelve of the time. */
const BUSY_FACTOR = 11

export class Pace {
  readonly #subscription: { close(): void }
  #busyUntil = 0

  constructor(journal: Pick<Journal, 'subscribe'>) {
    // Events of the past are not delivered here.
    this.#subscription = journal.subscribe({ deliver: () => this.noteWork() })
  }

  noteWork(): void {
    this.#busyUntil = performance.now() + BUSY_FOR_MS
  }

  async pause(workedMs: number): Promise<void> {
    if (performance.now() < this.#busyUntil) await wait(workedMs * BUSY_FACTOR, undefined, { ref: false })
    else await nextTurn()
  }

  close(): void {
    this.#subscription.close()
  }
}
