/** Runs tasks with the same key one after the other, and tasks with different keys at the same time. */
export class Sequencer {
  readonly #tails = new Map<string, Promise<unknown>>()

  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const result = before.then(task, task)
    const tail = result
      .catch(() => {})
      .then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key)
      })
    this.#tails.set(key, tail)
    return result
  }

  /** Resolves when everything that was handed in so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values())
  }
}
