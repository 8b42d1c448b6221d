/** The CLI processes of this run. Each has a folder before it does anything, so that another run of the daemon finds it. */

import { randomUUID } from 'node:crypto'
import type { ProcessOptions } from '../claude/port.js'
import { LaunchFolders } from './launch-folder.js'

export interface ProcessRegistryDeps {
  /** Distinguishes the processes of this home from those of another. */
  mark: string
  /** The folder of all launches. */
  runFolder: string
}

export class ProcessRegistry {
  readonly #mark: string
  readonly #folders: LaunchFolders
  readonly #pids = new Set<number>()

  constructor({ mark, runFolder }: ProcessRegistryDeps) {
    this.#mark = mark
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
      mark,
      makeFolder: () => {
        const folder = this.#folders.create()
        folder.write({ sessionId, mark })
        return folder
      },
      onSpawn: (pid) => this.#pids.add(pid),
      onExit: (pid) => this.#pids.delete(pid),
    }
  }
}
