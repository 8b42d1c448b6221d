/** Wakes a reader when files may have changed: by `fs.watch` where available, and always by polling. */

import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Clock } from '../../lib/clock.js'

export interface StreamWatchOptions {
  folder: string
  /** Filters files of the folder by name. */
  isWanted(name: string): boolean
  clock: Clock
  pollMs: number
  /** Whether to use `fs.watch`. */
  watches?: boolean
  /** `poll` is called every `pollMs`, `change` on a file system event. */
  onWake(reason: 'poll' | 'change'): void
}

const A_DAY_MS = 86_400_000

/** A stream with its rotated files. */
export function placeOfStream(path: string): Pick<StreamWatchOptions, 'folder' | 'isWanted'> {
  return { folder: dirname(path), isWanted: (name) => name.startsWith(basename(path)) }
}

export class StreamWatch {
  readonly #options: StreamWatchOptions
  #watcher: { handle: FSWatcher; inode: number } | null = null
  #isWaking = false
  #isClosed = false
  #stopTimer: () => void = () => {}
  /** Keeps the process alive while it follows a stream: timers of the clock are unreferenced. */
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

  /** Watches the folder instead of the file, which rotation renames. A recreated folder is watched again. */
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
      // The folder does not exist yet, cannot be watched, or the limit of watches is reached: polling is enough.
      this.#unwatch()
    }
  }

  #wake(): void {
    if (this.#isWaking || this.#isClosed) return
    this.#isWaking = true
    // Coalesces events of one turn of the event loop.
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
