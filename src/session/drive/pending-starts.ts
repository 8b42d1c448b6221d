/**
 * Starts of processes that are under way, and what ends them. Every wait of a start (for a slot, for the disk, for files,
 * for the process) watches the signal that it is given here.
 */

/** Why a start was abandoned. */
class StartEnded extends Error {}

interface Start {
  isDelivery: boolean
  control: AbortController
}

type Work<Result> = (signal: AbortSignal) => Promise<Result>

export class Starts {
  readonly #running = new Map<string, Start>()
  /** Sessions in which nothing may start now, with how many want that. */
  readonly #barred = new Map<string, number>()
  #isClosed = false

  /** Does what needs a start. Resolves with null if it was ended, or may not begin. One per session at a time. */
  run<Result>(sessionId: string, work: Work<Result>): Promise<Result | null> {
    return this.#run(sessionId, work, false)
  }

  /** The same, for messages that wait: without them it is not needed. */
  deliver<Result>(sessionId: string, work: Work<Result>): Promise<Result | null> {
    return this.#run(sessionId, work, true)
  }

  async #run<Result>(sessionId: string, work: Work<Result>, isDelivery: boolean): Promise<Result | null> {
    if (this.#isClosed || this.#barred.has(sessionId)) return null
    const control = new AbortController()
    this.#running.set(sessionId, { control, isDelivery })
    try {
      return await work(control.signal)
    } catch (error) {
      if (control.signal.aborted) return null
      throw error
    } finally {
      this.#running.delete(sessionId)
    }
  }

  /** Ends the start of a session, and keeps others from beginning until `work` is done. */
  async without<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    this.#barred.set(sessionId, (this.#barred.get(sessionId) ?? 0) + 1)
    this.#running.get(sessionId)?.control.abort(new StartEnded('The start was ended.'))
    try {
      return await work()
    } finally {
      const left = (this.#barred.get(sessionId) ?? 1) - 1
      if (left > 0) this.#barred.set(sessionId, left)
      else this.#barred.delete(sessionId)
    }
  }

  /** Ends the start of a session, if it was for messages only. */
  endDelivery(sessionId: string): void {
    const start = this.#running.get(sessionId)
    if (start?.isDelivery) start.control.abort(new StartEnded('Nothing waits to be delivered.'))
  }

  /** Ends all of them; none begins afterwards. */
  close(): void {
    this.#isClosed = true
    for (const { control } of this.#running.values())
      control.abort(new StartEnded('Signalbox is being stopped.'))
  }
}
