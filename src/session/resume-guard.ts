/**
 * Stops a crash loop. A message, or a turn that goes on, may crash the daemon each time it is handled: a supervisor starts the daemon
 * again, and the start resumes the session again. So a start records which sessions it resumes, and forgets it when they have run for
 * a while. A session with which three starts in a row ended is not resumed automatically any more.
 */

import type { Clock } from '../lib/clock.js'
import type { Store } from '../store/port.js'

const KEY = 'resume:'
/** After this many starts a session waits for the user. */
export const MAX_RESUMES = 3
/** From here on one at a time, so that the session that crashes the daemon is the only one that is counted. */
const SUSPECT = 2
/** How long a resumed session must run before a crash is no longer put down to it. */
const STABLE_MS = 10_000

interface Left {
  count: number
  what: string
}

export interface ResumeGuardDeps {
  store: Pick<Store, 'states' | 'setState'>
  clock: Clock
  /** Whether its process runs, or nothing is left to do. */
  hasStarted(sessionId: string): Promise<boolean>
  onFault(error: unknown): void
}

export class ResumeGuard {
  readonly #deps: ResumeGuardDeps
  /** Per session, how many previous starts crashed after resuming it, and the work that was resumed. */
  readonly #left = new Map<string, Left>()
  /** Sessions that this start has resumed and that may still crash it, with a function that cancels their wait. */
  readonly #running = new Map<string, () => void>()
  readonly #suspects: { sessionId: string; what: string; resume(): void }[] = []

  constructor(deps: ResumeGuardDeps) {
    this.#deps = deps
  }

  async load(): Promise<void> {
    for (const { key, value } of await this.#deps.store.states(KEY)) {
      const [count = '', what = ''] = value.split(' ')
      this.#left.set(key.slice(KEY.length), { count: Number(count), what })
    }
  }

  /**
   * Resumes a session, now or when its turn comes. `what` is resumed of it: a session that has got further is not counted with
   * earlier starts. `hold`: instead, once, where it is not resumed any more.
   */
  async resume(
    sessionId: string,
    what: string,
    resume: () => void,
    hold: () => Promise<void>,
  ): Promise<void> {
    const count = this.#countOf(sessionId, what)
    if (count > MAX_RESUMES) return
    if (count === MAX_RESUMES) {
      await hold()
      const held = { count: count + 1, what }
      this.#left.set(sessionId, held)
      return this.#store(sessionId, held)
    }
    if (count < SUSPECT) return this.#begin(sessionId, what, resume)
    this.#suspects.push({ sessionId, what, resume })
    if (this.#suspects.length === 1) await this.#begin(sessionId, what, resume)
  }

  #countOf(sessionId: string, what: string): number {
    const left = this.#left.get(sessionId)
    return left?.what === what ? left.count : 0
  }

  async #begin(sessionId: string, what: string, resume: () => void): Promise<void> {
    const count = this.#countOf(sessionId, what) + 1
    // Before anything of it runs. Where it cannot be stored, the session is resumed all the same.
    await this.#store(sessionId, { count, what }).catch(this.#deps.onFault)
    this.#watch(sessionId)
    resume()
  }

  #watch(sessionId: string): void {
    const look = async () => {
      // One that still waits for a slot has not been tried.
      if (await this.#deps.hasStarted(sessionId)) this.forget(sessionId)
      else if (this.#running.has(sessionId)) this.#watch(sessionId)
    }
    const cancel = this.#deps.clock.after(STABLE_MS, () => void look().catch(this.#deps.onFault))
    this.#running.set(sessionId, cancel)
  }

  /** The session has gone well, or has nothing left to resume. */
  forget(sessionId: string): void {
    const isKnown = this.#left.delete(sessionId)
    const cancel = this.#running.get(sessionId)
    if (!isKnown && !cancel) return
    cancel?.()
    this.#running.delete(sessionId)
    this.#store(sessionId, null).catch(this.#deps.onFault)
    if (this.#suspects[0]?.sessionId !== sessionId) return
    this.#suspects.shift()
    const [next] = this.#suspects
    if (next) this.#begin(next.sessionId, next.what, next.resume).catch(this.#deps.onFault)
  }

  /** A daemon that stops has not crashed. */
  async close(): Promise<void> {
    const running = [...this.#running]
    this.#running.clear()
    this.#suspects.length = 0
    for (const [sessionId, cancel] of running) {
      cancel()
      await this.#store(sessionId, null).catch(this.#deps.onFault)
    }
  }

  #store(sessionId: string, left: Left | null): Promise<void> {
    return this.#deps.store.setState(`${KEY}${sessionId}`, left && `${left.count} ${left.what}`)
  }
}
