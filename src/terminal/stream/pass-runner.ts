/** Runs a piece of work over and over, never twice at once. A call during a run gets a run that starts afterwards. */
export class PassRunner {
  readonly #pass: () => Promise<void>
  #running: Promise<void> | null = null
  #isWanted = false
  #isClosed = false

  constructor(pass: () => Promise<void>) {
    this.#pass = pass
  }

  /** Resolves when nothing is wanted any more. */
  run(): Promise<void> {
    this.#isWanted = true
    this.#running ??= this.#runAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** As `run`, for those who do not wait: a failure is told, and the next call tries again. */
  wake(onError: ((error: unknown) => void) | undefined): void {
    this.#isWanted = true
    // One that runs sees the wish by itself; a failure is reported to the caller that started it.
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

  /** Waits for the run that is under way; none follows. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running?.catch(() => {})
  }
}
