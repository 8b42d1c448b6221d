/** Records each process of the CLI before it does anything, so that another run of the daemon can end it. */

import { randomUUID } from 'node:crypto'
import { startTokenOf } from '../lib/start-token.js'
import type { Store } from '../store/port.js'
import type { ProcessOptions } from './claude/port.js'

export interface ProcessRecordDeps {
  store: Pick<Store, 'addProcess' | 'removeProcess'>
  /** Distinguishes the processes of this home from those of another. */
  mark: string
  hooks: { scratchFolder: string }
}

export class ProcessRecord {
  readonly #deps: ProcessRecordDeps
  readonly #pids = new Set<number>()

  constructor(deps: ProcessRecordDeps) {
    this.#deps = deps
  }

  /** Processes that run now. */
  get pids(): ReadonlySet<number> {
    return this.#pids
  }

  /** `sessionId` is empty for a process that no session uses yet. */
  newProcess(sessionId: string): ProcessOptions {
    const { store, mark, hooks } = this.#deps
    return {
      mark: `${mark}/${randomUUID()}`,
      scratchFolder: hooks.scratchFolder,
      onSpawn: (pid) => {
        this.#pids.add(pid)
        store.addProcess({ pid, startToken: startTokenOf(pid) ?? '', sessionId })
      },
      onExit: (pid) => {
        this.#pids.delete(pid)
        store.removeProcess(pid)
      },
    }
  }
}
