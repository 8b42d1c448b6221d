/**
 * Times and sizes of single files when they were last recorded. While the file system reports the same, an edit of one of
 * them need not wait for git.
 */

import { lstatSync } from 'node:fs'
import type { BytePath } from '../byte-path.js'
import { absolute } from './inspect.js'

/** A file system may give the same time to two changes that follow each other within one tick of its clock. */
const TICK_MS = 100
const MAX_FILES = 1_000
const ABSENT = 'absent'

export class PathStamps {
  readonly #workspace: string
  readonly #known = new Map<BytePath, string>()

  constructor(workspace: string) {
    this.#workspace = workspace
  }

  /** Call it before a look at these paths, and the result when the look has recorded them. */
  take(paths: readonly BytePath[]): () => void {
    const stamps = paths.slice(0, MAX_FILES).map((path) => [path, this.#stampOf(path)] as const)
    return () => {
      if (this.#known.size > MAX_FILES) this.#known.clear()
      for (const [path, stamp] of stamps) {
        if (stamp === null) this.#known.delete(path)
        else this.#known.set(path, stamp)
      }
    }
  }

  /** Compares them with what they are now, at any later time. */
  watch(paths: readonly BytePath[]): () => boolean {
    const stamps = paths.slice(0, MAX_FILES).map((path) => this.#stampOf(path))
    return () => stamps.length === paths.length && paths.every((path, at) => this.#isStill(path, stamps[at]))
  }

  #isStill(path: BytePath, stamp: string | null | undefined): boolean {
    return stamp !== undefined && stamp !== null && stamp === this.#stampOf(path)
  }

  /** Whether each of them is as it was when it was last recorded. */
  areSame(paths: readonly BytePath[]): boolean {
    return paths.every((path) => this.#isStill(path, this.#known.get(path)))
  }

  /** Null: a change that follows might not be seen by it. */
  #stampOf(path: BytePath): string | null {
    try {
      const stats = lstatSync(absolute(this.#workspace, path), { bigint: true })
      if (!stats.isFile()) return null
      const { dev, ino, mode, nlink, size, mtimeNs, ctimeNs } = stats
      const ageMs = Date.now() - Number(ctimeNs / 1_000_000n)
      // A clock that counts whole seconds, or runs ahead of ours, says too little.
      if (ageMs < TICK_MS || ctimeNs % 1_000_000_000n === 0n) return null
      return [dev, ino, mode, nlink, size, mtimeNs, ctimeNs].join(' ')
    } catch (error) {
      return (error as { code?: unknown }).code === 'ENOENT' ? ABSENT : null
    }
  }
}
