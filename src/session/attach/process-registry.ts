/** The CLI processes of this run. Each has a folder before it does anything, so that another run of the daemon finds it. */

import { randomUUID } from 'node:crypto'
import type { ProcessOptions } from '../claude/port.js'
import type { Keeper } from '../keeper/keeper-client.js'
import { type LaunchFolder, LaunchFolders } from './launch-folder.js'

export interface ProcessRegistryDeps {
  /** Distinguishes the processes of this home from those of another. */
  mark: string
  /** The folder of all launches. */
  runFolder: string
  /** Holds processes, so that they outlive this one; null where they end with it. */
  keeper: Keeper | null
}

export class ProcessRegistry {
  readonly #mark: string
  readonly #folders: LaunchFolders
  readonly #keeper: Keeper | null
  readonly #pids = new Set<number>()

  constructor({ mark, runFolder, keeper }: ProcessRegistryDeps) {
    this.#mark = mark
    this.#keeper = keeper
    this.#folders = new LaunchFolders(runFolder)
  }

  /** Processes that run now. */
  get pids(): ReadonlySet<number> {
    return this.#pids
  }

  /** `sessionId` is empty for a process that no session uses yet. */
  newProcess(sessionId: string): ProcessOptions {
    const mark = `${this.#mark}/${randomUUID()}`
    return {
      ...this.#options(mark),
      makeFolder: (kept) => {
        const folder = this.#folders.create()
        folder.write({ sessionId, mark, ...(kept && { kept }) })
        return folder
      },
    }
  }

  /** A process that a previous run has left. */
  leftProcess(folder: LaunchFolder, mark: string): ProcessOptions {
    return { ...this.#options(mark), makeFolder: () => folder }
  }

  #options(mark: string): Omit<ProcessOptions, 'makeFolder'> {
    return {
      mark,
      keeper: this.#keeper,
      onSpawn: (pid) => this.#pids.add(pid),
      onExit: (pid) => this.#pids.delete(pid),
    }
  }
}
