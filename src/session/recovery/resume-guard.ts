/**
 * Stops a crash loop. A message, or a turn that is continued, may crash the daemon each time it is handled: a supervisor starts the
 * daemon again, and the start resumes the session again. So a start records which sessions it resumes, and forgets it when they have
 * run for a while. A session with which three starts in a row crashed is resumed after a pause that grows (back-off), so that other
 * sessions make progress first. After six it is held for the user.
 */

import type { Clock } from '../../lib/clock.js'
import type { RunnerStore } from '../../store/port/runner-store.js'

const KEY = 'resume:'
/** After this many starts a session waits for the user. */
const MAX_RESUMES = 6
/** After this many it is resumed only when the daemon has run for a while: first for this long, then twice as long each time. */
const PAUSED = 3
const FIRST_PAUSE_MS = 10_000
/** From here on one at a time, so that the session that crashes the daemon is the only one that is counted. */
const SUSPECT = 2
/** How long a resumed session must run before a crash is no longer put down to it. */
const STABLE_MS = 10_000

interface Left {
  count: number
  what: string
}

/** The work of a session that a start resumes. */
export interface Resumption {
  sessionId: string
  /** A session that has got further is not counted with earlier starts. */
  what: string
  resume(): void
  /** Called once, where the session is not resumed any more after this many crashes. */
  hold(crashes: number): Promise<void>
  /** The session is resumed after a pause. */
  pause(crashes: number, ms: number): Promise<void>
}

export interface ResumeGuardDeps {
  store: Pick<RunnerStore, 'states' | 'setState'>
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
  readonly #suspects: Resumption[] = []
  #endPause = () => {}

  constructor(deps: ResumeGuardDeps) {
    this.#deps = deps
  }

  async load(): Promise<void> {
    for (const { key, value } of await this.#deps.store.states(KEY)) {
      const [count = '', what = ''] = value.split(' ')
      this.#left.set(key.slice(KEY.length), { count: Number(count), what })
    }
  }

  /** Resumes a session: now, when its turn comes, after a pause, or not any more. */
  async resume(resumption: Resumption): Promise<void> {
    const { sessionId, what } = resumption
    const count = this.#countOf(sessionId, what)
    if (count > MAX_RESUMES) return
    if (count === MAX_RESUMES) {
      await resumption.hold(count)
      const held = { count: count + 1, what }
      this.#left.set(sessionId, held)
      return this.#store(sessionId, held)
    }
    if (count < SUSPECT) return this.#begin(resumption)
    this.#suspects.push(resumption)
    if (this.#suspects.length === 1) await this.#beginSuspect(resumption)
  }

  async #beginSuspect(suspect: Resumption): Promise<void> {
    const count = this.#countOf(suspect.sessionId, suspect.what)
    if (count < PAUSED) return this.#begin(suspect)
    const ms = FIRST_PAUSE_MS * 2 ** (count - PAUSED)
    await suspect.pause(count, ms)
    this.#endPause = this.#deps.clock.after(ms, () => {
      if (this.#suspects[0] === suspect) this.#begin(suspect).catch(this.#deps.onFault)
    })
  }

  #countOf(sessionId: string, what: string): number {
    const left = this.#left.get(sessionId)
    return left?.what === what ? left.count : 0
  }

  async #begin({ sessionId, what, resume }: Resumption): Promise<void> {
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
    this.#endPause()
    this.#suspects.shift()
    const [next] = this.#suspects
    if (next) this.#beginSuspect(next).catch(this.#deps.onFault)
  }

  /** A daemon that stops has not crashed. */
  async close(): Promise<void> {
    const running = [...this.#running]
    this.#running.clear()
    this.#suspects.length = 0
    this.#endPause()
    for (const [sessionId, cancel] of running) {
      cancel()
      await this.#store(sessionId, null).catch(this.#deps.onFault)
    }
  }

  #store(sessionId: string, left: Left | null): Promise<void> {
    return this.#deps.store.setState(`${KEY}${sessionId}`, left && `${left.count} ${left.what}`)
  }
}
