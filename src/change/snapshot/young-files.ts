/**
 * Files that were changed just before they were recorded. Git compares times in whole seconds and then, if in doubt, the
 * content: a second change of permissions within the same second is not seen. So these are looked at once more.
 */

import type { BytePath } from '../byte-path.js'
import { statsAt } from './inspect.js'

const YOUNG_MS = 2_000
const MAX_FILES = 20_000

export class YoungFiles {
  readonly #workspace: string
  readonly #times = new Map<BytePath, number>()

  constructor(workspace: string) {
    this.#workspace = workspace
  }

  /** After these were recorded. */
  note(paths: readonly BytePath[], now = Date.now()): void {
    for (const path of paths.slice(0, MAX_FILES)) {
      const time = statsAt(this.#workspace, path)?.ctimeMs ?? 0
      if (time > now - YOUNG_MS) this.#times.set(path, time)
      else this.#times.delete(path)
    }
  }

  /** Those that have been changed since, of all or of some. Others are forgotten when they are old enough for git. */
  changed(only: readonly BytePath[] | null, now = Date.now()): BytePath[] {
    const found: BytePath[] = []
    for (const [path, time] of this.#times) {
      if (only?.includes(path) === false) continue
      const { ctimeMs = 0 } = statsAt(this.#workspace, path) ?? {}
      if (ctimeMs !== time) found.push(path)
      if (ctimeMs !== time || time <= now - YOUNG_MS) this.#times.delete(path)
    }
    return found
  }
}
