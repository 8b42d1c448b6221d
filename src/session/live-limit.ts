/** Limits how many processes run concurrently. A session that needs one more waits in line; idle ones make room. */

export interface LiveLimitOptions {
  max: number
  /** Ends an idle process, if there is one. */
  makeRoom(): void
}

export class LiveLimit {
  readonly #options: LiveLimitOptions
  #line: (() => void)[] = []
  #taken = 0

  constructor(options: LiveLimitOptions) {
    this.#options = options
  }

  /** Whether the next one must wait. */
  get isFull(): boolean {
    return this.#taken >= this.#options.max || this.#line.length > 0
  }

  /**
   * Lease of a slot: resolves, first come first served, with the function that returns it. When the signal aborts, it leaves the
   * line and rejects with the reason.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.isFull) await this.#wait(signal)
    else this.#taken += 1
    return this.#lease()
  }

  /** A slot for a process that runs already, also beyond the limit. */
  takeNow(): () => void {
    this.#taken += 1
    return this.#lease()
  }

  #lease(): () => void {
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      this.#giveBack()
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const serve = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#line = this.#line.filter((other) => other !== serve)
        reject(signal.reason)
      }
      this.#line.push(serve)
      signal.addEventListener('abort', leave, { once: true })
      this.#options.makeRoom()
    })
  }

  #giveBack(): void {
    const next = this.#taken > this.#options.max ? undefined : this.#line.shift()
    if (next) next()
    else this.#taken -= 1
  }

  /** A process has become idle: it can be ended if another waits for its slot. */
  recheck(): void {
    if (this.#line.length > 0) this.#options.makeRoom()
  }
}
