/** Wakes a reader of files when they may have changed: by the system's word where there is one, and by the clock always. */

import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Clock } from '../../lib/clock.js'

export interface StreamWatchOptions {
  folder: string
  /** Which files of the folder matter. */
  isWanted(name: string): boolean
  clock: Clock
  pollMs: number
  /** Whether the system's word is asked for at all. */
  watches?: boolean
  /** Told what has woken it: `poll` comes every `pollMs`, whatever happens. */
  onWake(reason: 'poll' | 'change'): void
}

const A_DAY_MS = 86_400_000

/** A stream with what rotation leaves beside it. */
export function placeOfStream(path: string): Pick<StreamWatchOptions, 'folder' | 'isWanted'> {
  return { folder: dirname(path), isWanted: (name) => name.startsWith(basename(path)) }
}

export class StreamWatch {
  readonly #options: StreamWatchOptions
  #watcher: { handle: FSWatcher; inode: number } | null = null
  #isWaking = false
  #isClosed = false
  #stopTimer: () => void = () => {}
  /** A process that only follows a stream must not end while it does: timers of the clock keep nothing alive. */
  readonly #alive = setInterval(() => {}, A_DAY_MS)

  constructor(options: StreamWatchOptions) {
    this.#options = options
    this.#watch()
    this.#poll()
  }

  #poll(): void {
    const { clock, pollMs, onWake } = this.#options
    this.#stopTimer = clock.after(pollMs, () => {
      if (this.#isClosed) return
      this.#watch()
      this.#poll()
      onWake('poll')
    })
  }

  /** The folder is watched, not the file: rotation takes the file away. A folder that was made anew is watched anew. */
  #watch(): void {
    const { folder, isWanted, watches = true } = this.#options
    if (!watches) return
    try {
      const inode = statSync(folder).ino
      if (this.#watcher?.inode === inode) return
      this.#unwatch()
      const handle = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || isWanted(name)) this.#wake()
      })
      handle.on('error', () => this.#unwatch())
      this.#watcher = { handle, inode }
    } catch {
      // It is not there yet, cannot be watched, or there are no more watches to have: the clock is enough.
      this.#unwatch()
    }
  }

  #wake(): void {
    if (this.#isWaking || this.#isClosed) return
    this.#isWaking = true
    // What happens within one turn of the loop is one change.
    setImmediate(() => {
      this.#isWaking = false
      if (!this.#isClosed) this.#options.onWake('change')
    })
  }

  #unwatch(): void {
    this.#watcher?.handle.close()
    this.#watcher = null
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#alive)
    this.#stopTimer()
    this.#unwatch()
  }
}
