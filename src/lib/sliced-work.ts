/**
 * Long computations on the one thread of the daemon, cut into slices, so that they do not block the event loop.
 * A computation is a generator that yields every few hundred microseconds. All of them together get one slice in
 * each turn of the event loop, round robin.
 */

export type Steps<Result> = Generator<void, Result>

const SLICE_MS = 5

interface Task {
  /** Whether it has come to its end. */
  step(): boolean
}

export class SlicedWork {
  readonly #tasks: Task[] = []
  #isPlanned = false

  /** Begins in the next turn of the event loop. */
  run<Result>(steps: Steps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#tasks.push({
        step() {
          try {
            const { done, value } = steps.next()
            if (done) resolve(value)
            return done === true
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)))
            return true
          }
        },
      })
      this.#plan()
    })
  }

  #plan(): void {
    if (this.#isPlanned || this.#tasks.length === 0) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      this.#runSlice()
      this.#plan()
    })
  }

  #runSlice(): void {
    const until = performance.now() + SLICE_MS
    const task = this.#tasks.shift()
    if (!task) return
    for (;;) {
      if (task.step()) return
      if (performance.now() >= until) break
    }
    this.#tasks.push(task)
  }
}

/** All of it at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
