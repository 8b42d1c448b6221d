/** Orphaned processes: those that an earlier run of the daemon started and could not end, because it crashed. */

import type { ProcessRecord, Store } from '../../store/port.js'
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

  /**
   * Call it before any process is started: every process with the mark of this home counts as orphaned. Rejects if it
   * cannot be read which ones those are; does not wait until they are gone.
   */
  async kill(): Promise<void> {
    const recorded = await this.#deps.store.processes()
    this.#killing = this.#kill(recorded).catch(this.#deps.onFault)
  }

  /** Two processes must never write one conversation, so no process is started before this resolves. */
  gone(): Promise<void> {
    return this.#killing
  }

  async #kill(recorded: readonly ProcessRecord[]): Promise<void> {
    const { store, mark } = this.#deps
    await reap(`${mark}/`, recorded)
    for (const { pid } of recorded) store.removeProcess(pid)
  }
}
