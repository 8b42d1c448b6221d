/** Runs passes of some work one at a time. Coalesces: calls during a pass share one pass that starts after it. */
export class PassRunner {
  readonly #pass: () => Promise<void>
  #running: Promise<void> | null = null
  #isWanted = false
  #isClosed = false

  constructor(pass: () => Promise<void>) {
    this.#pass = pass
  }

  /** Resolves when no further pass is requested. */
  run(): Promise<void> {
    this.#isWanted = true
    this.#running ??= this.#runAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** As `run`, but does not wait. A failure is reported to `onError`, and the next call retries. */
  wake(onError: ((error: unknown) => void) | undefined): void {
    this.#isWanted = true
    // A running pass picks up the request; its failure is reported to the caller that started it.
    if (!this.#running) this.run().catch((error: unknown) => onError?.(error))
  }

  async #runAll(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false
      await this.#pass()
    }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Waits for the running pass. No other follows. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running?.catch(() => {})
  }
}
