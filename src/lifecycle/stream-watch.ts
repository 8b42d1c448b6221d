/** Wakes a reader of a file when it may have changed: by the system's word where there is one, and by the clock always. */

import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Clock } from '../lib/clock.js'

export interface StreamWatchOptions {
  path: string
  clock: Clock
  pollMs: number
  /** Told what has woken it: `poll` comes every `pollMs`, whatever happens. */
  onWake(reason: 'poll' | 'change'): void
}

export class StreamWatch {
  readonly #options: StreamWatchOptions
  #watcher: { handle: FSWatcher; inode: number } | null = null
  #isWaking = false
  #isClosed = false
  #stopTimer: () => void = () => {}

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
    const { path } = this.#options
    const folder = dirname(path)
    try {
      const inode = statSync(folder).ino
      if (this.#watcher?.inode === inode) return
      this.#unwatch()
      const handle = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || name.startsWith(basename(path))) this.#wake()
      })
      handle.on('error', () => this.#unwatch())
      this.#watcher = { handle, inode }
    } catch {
      // It is not there yet, can not be watched, or there are no more watches to have: the clock is enough.
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
    this.#stopTimer()
    this.#unwatch()
  }
}
