/** All listed paths of a workspace in a form that is searched quickly. Made and searched in slices of the event loop. */

import type { Steps } from '../../lib/sliced-work.js'
import { foldCase, letterMask, matchPath } from './fuzzy-match.js'

/** Paths between two yields: about 200 microseconds. */
const STEP = 1_000

export class PathTable {
  readonly paths: readonly string[]
  readonly #folded: readonly string[]
  readonly #masks: Int32Array

  private constructor(paths: readonly string[], folded: readonly string[], masks: Int32Array) {
    this.paths = paths
    this.#folded = folded
    this.#masks = masks
  }

  /** Of folders the paths end with a slash. */
  static *make(all: Iterable<string>): Steps<PathTable> {
    const paths: string[] = []
    const folded: string[] = []
    const masks: number[] = []
    for (const path of all) {
      const text = foldCase(path)
      paths.push(path)
      folded.push(text)
      if (masks.push(letterMask(text)) % STEP === 0) yield
    }
    return new PathTable(paths, folded, Int32Array.from(masks))
  }

  /** The best matches, best first. Without a query: what is at the top of the workspace. */
  *search(query: string, limit: number): Steps<string[]> {
    const wanted = foldCase(query)
    const mask = letterMask(wanted)
    const best = new Best(limit)
    for (let index = 0; index < this.paths.length; index += 1) {
      if (index % STEP === STEP - 1) yield
      if (((this.#masks[index] ?? 0) & mask) !== mask) continue
      const path = this.paths[index] ?? ''
      const folded = this.#folded[index] ?? ''
      if (wanted === '') {
        if (path.indexOf('/') >= path.length - 1 || !path.includes('/')) best.add(path, 0)
        continue
      }
      const score = matchPath({ folded, nameAt: nameAt(folded) }, wanted)
      if (score !== null) best.add(path, score)
    }
    return best.paths
  }
}

/** The slash at the end of a folder belongs to its name. */
function nameAt(path: string): number {
  return path.lastIndexOf('/', path.length - 2) + 1
}

/** The best of many, without sorting them all. */
class Best {
  readonly #limit: number
  readonly #entries: { path: string; score: number }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get paths(): string[] {
    return this.#entries.map(({ path }) => path)
  }

  add(path: string, score: number): void {
    const entry = { path, score }
    const last = this.#entries.at(-1)
    if (this.#entries.length >= this.#limit && last && !isBefore(entry, last)) return
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#entries[middle]
      if (other && isBefore(other, entry)) low = middle + 1
      else high = middle
    }
    this.#entries.splice(low, 0, entry)
    if (this.#entries.length > this.#limit) this.#entries.pop()
  }
}

function isBefore(one: { path: string; score: number }, other: { path: string; score: number }): boolean {
  return one.score > other.score || (one.score === other.score && one.path < other.path)
}
