/** Orphaned processes: those that an earlier run of the daemon started and could not end, because it crashed. */

import type { Store } from '../../store/port.js'
import { reap } from './reaper.js'

export interface OrphansDeps {
  store: Store
  /** Every process of this home carries it. */
  mark: string
  onFault(error: unknown): void
}

export class Orphans {
  readonly #deps: OrphansDeps
  #killing: Promise<void> = Promise.resolve()

  constructor(deps: OrphansDeps) {
    this.#deps = deps
  }

  /** Call it before any process is started: every process with the mark of this home counts as orphaned. */
  kill(): void {
    this.#killing = this.#kill().catch(this.#deps.onFault)
  }

  /** Two processes must never write one conversation, so no process is started before this resolves. */
  gone(): Promise<void> {
    return this.#killing
  }

  async #kill(): Promise<void> {
    const { store, mark } = this.#deps
    const recorded = await store.processes()
    await reap(`${mark}/`, recorded)
    for (const { pid } of recorded) store.removeProcess(pid)
  }
}
