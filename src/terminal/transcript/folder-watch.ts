/** Watches the folders of transcripts. The limit of watches may be reached: then the regular scan finds changes. */

import { type FSWatcher, watch } from 'node:fs'

const MAX_WATCHES = 500

export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #onChange: (folder: string, name: string) => void

  constructor(onChange: (folder: string, name: string) => void) {
    this.#onChange = onChange
  }

  /** Idempotent. */
  add(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= MAX_WATCHES) return
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name !== null) this.#onChange(folder, name)
      })
      watcher.on('error', () => this.#remove(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // It does not exist, or cannot be watched.
    }
  }

  has(folder: string): boolean {
    return this.#watchers.has(folder)
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#remove(folder)
  }
}
