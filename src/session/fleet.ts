/** The live processes of all sessions: how one is started, how many there may be, which of them rest. */

import { abortable } from '../lib/abortable.js'
import type { Condition } from '../protocol/event/session-event.js'
import { type Reason, reason } from '../protocol/reason/reason.js'
import { isTrusted } from '../protocol/workspace.js'
import { appendUnlessRefused } from './append-unless-refused.js'
import type { LeftLaunch } from './attach/left-process.js'
import { ProcessRegistry, type ProcessRegistryDeps } from './attach/process-registry.js'
import { SILENT_MS } from './claude/response-watch.js'
import { LiveLimit } from './live-limit.js'
import type { LiveSession } from './live-session.js'
import { endOverTrusted, isOverTrusted } from './over-trusted.js'
import { ProcessStart, type ProcessStartDeps, type Purpose, type Started } from './process-start.js'
import type { Ending, EndPurpose } from './session-ending.js'
import { WarmPool } from './warm-pool.js'

export interface FleetDeps
  extends Omit<ProcessStartDeps, 'pool' | 'processes' | 'onActivity'>,
    Pick<ProcessRegistryDeps, 'runFolder' | 'keeper'> {
  limits: FleetLimits
  /** A process has ended, on purpose or not. */
  onEnded(live: LiveSession, ending: Ending): Promise<void>
}

export interface FleetLimits {
  /** How many processes are kept ready for sessions to come. */
  warm: number
  /** A session that has done nothing for this long gives up its process; its next message starts another. */
  parkAfterMs: number
  /** How many processes may live at once. */
  maxLive: number
}

interface Member extends Started {
  /** When it last did something. */
  activeAt: number
}

const SWEEP_MS = 30_000

export class Fleet {
  readonly #deps: FleetDeps
  readonly #members = new Map<string, Member>()
  readonly #limit: LiveLimit
  readonly #pool: WarmPool
  readonly #start: ProcessStart
  #cancelSweep = () => {}

  constructor(deps: FleetDeps) {
    this.#deps = deps
    const { warm, parkAfterMs, maxLive } = deps.limits
    this.#limit = new LiveLimit({ max: maxLive, makeRoom: () => this.#parkLongestIdle() })
    const processes = new ProcessRegistry(deps)
    this.#pool = new WarmPool({
      ...deps,
      size: warm,
      keepMs: parkAfterMs,
      newProcess: () => processes.newProcess(''),
    })
    this.#start = new ProcessStart({
      ...deps,
      pool: this.#pool,
      processes,
      onActivity: (sessionId) => this.#touch(sessionId),
    })
    this.#planSweep()
  }

  /** The live session, if there is a process behind it that has not ended. */
  get(sessionId: string): LiveSession | null {
    const live = this.#members.get(sessionId)?.live
    return live && !live.hasEnded && !live.isEnding ? live : null
  }

  /**
   * The live session; its process is started if there is none. Resolves with null if there is nothing to start it for any
   * more. Every wait ends when the signal aborts.
   */
  async ensure(sessionId: string, purpose: Purpose, signal: AbortSignal): Promise<LiveSession | null> {
    const current = this.get(sessionId)
    if (current) return current
    // One process at a time: the old one is gone with everything it has started before the next one begins.
    await abortable(this.#whenGone(sessionId), signal)
    const giveBack = await this.#takeSlot(sessionId, signal)
    let live: LiveSession | null = null
    try {
      live = await this.#start.start(sessionId, purpose, signal, (started) => this.#join(started, giveBack))
      return live
    } finally {
      if (!live) void this.#whenGone(sessionId).finally(giveBack)
    }
  }

  /** Attaches to the process that a previous run has left. False if that cannot be done: then it must be ended. */
  async attach(left: LeftLaunch): Promise<boolean> {
    const giveBack = this.#limit.takeNow()
    let live: LiveSession | null = null
    try {
      const { signal } = new AbortController()
      live = await this.#start.attach(left, signal, (started) => this.#join(started, giveBack))
    } catch (error) {
      this.#deps.onFault(error)
    } finally {
      if (!live) giveBack()
    }
    return live !== null
  }

  /** A setting of a session that is not live has changed: a process that is being started must not miss it. */
  noteChange(): void {
    this.#start.noteChange()
  }

  async #whenGone(sessionId: string): Promise<void> {
    await this.#members.get(sessionId)?.live.ended
    await this.#start.whenDiscarded(sessionId)
  }

  async #takeSlot(sessionId: string, signal: AbortSignal): Promise<() => void> {
    if (!this.#limit.isFull) return this.#limit.take(signal)
    this.#showCondition(sessionId, 'waiting_for_slot')
    try {
      return await this.#limit.take(signal)
    } finally {
      this.#showCondition(sessionId, null)
    }
  }

  /** Not awaited: while the store cannot be written, a wait must still be ended in time. */
  #showCondition(sessionId: string, condition: Condition | null): void {
    const { journal, onFault } = this.#deps
    const draft = { type: 'session.changed', data: { condition } } as const
    appendUnlessRefused(journal, sessionId, draft).catch(onFault)
  }

  #join({ live, trust, launch }: Started, giveBack: () => void): LiveSession {
    this.#members.set(live.id, { live, trust, launch, activeAt: this.#deps.clock.now() })
    live.ended
      .then(async (ending) => {
        if (this.#members.get(live.id)?.live === live) this.#members.delete(live.id)
        giveBack()
        await this.#deps.onEnded(live, ending)
      })
      .catch(this.#deps.onFault)
    return live
  }

  /** Ends the process of a session that rests, if it has loaded what it would not be given now. */
  async refresh(sessionId: string): Promise<void> {
    const member = this.#members.get(sessionId)
    if (!member || member.live.isNeeded || !(await isOverTrusted(member, this.#deps.store))) return
    await endOverTrusted(member.live)
  }

  /** The same for all processes in and below a folder that is not trusted any more, also those at work. */
  async endOverTrusted(path: string): Promise<void> {
    this.#pool.dropBelow(path)
    const below = [...this.#members.values()].filter(({ launch }) => isTrusted(launch.cwd, [{ path }]))
    await Promise.all(
      below.map(async (member) => {
        if (!(await isOverTrusted(member, this.#deps.store)) || member.live.isEnding) return
        await endOverTrusted(member.live)
      }),
    )
  }

  #touch(sessionId: string): void {
    const member = this.#members.get(sessionId)
    if (!member) return
    member.activeAt = this.#deps.clock.now()
    this.recheck(sessionId)
  }

  /** A session that needs its process no more makes room for those that wait for one. */
  recheck(sessionId: string): void {
    if (this.#members.get(sessionId)?.live.isNeeded === false) this.#limit.recheck()
  }

  /** Ends the process of a session, if there is one. */
  async end(sessionId: string, kind: 'stopped' | 'parked', why: EndPurpose['reason']): Promise<void> {
    await this.#members.get(sessionId)?.live.end(kind, why)
  }

  #planSweep(): void {
    const { clock, limits } = this.#deps
    this.#cancelSweep = clock.after(Math.min(SWEEP_MS, limits.parkAfterMs), () => {
      this.#parkIdle()
      this.#probeSilent()
      this.#limit.recheck()
      this.#pool.sweep()
      this.#planSweep()
    })
  }

  #parkIdle(): void {
    const { clock, limits } = this.#deps
    for (const { live, activeAt } of this.#members.values()) {
      if (!live.isNeeded && clock.now() - activeAt >= limits.parkAfterMs) this.#park(live)
    }
  }

  #probeSilent(): void {
    const { clock, onFault } = this.#deps
    for (const { live, activeAt } of this.#members.values()) {
      const isSilent = clock.now() - activeAt >= SILENT_MS
      if (live.isNeeded && !live.isEnding && isSilent) live.response.probe().catch(onFault)
    }
  }

  #parkLongestIdle(): void {
    const idle = [...this.#members.values()].filter(({ live }) => !live.isNeeded && !live.isEnding)
    const [longest] = idle.toSorted((one, other) => one.activeAt - other.activeAt)
    if (longest) this.#park(longest.live)
  }

  #park(live: LiveSession): void {
    live.end('parked', reason('end.parked')).catch(this.#deps.onFault)
  }

  /** Leaves the processes of sessions running where they can be attached to, and ends the others. */
  async detach(why: Reason): Promise<void> {
    this.#cancelSweep()
    await Promise.all([this.#pool.close(), this.#start.close()])
    for (const [sessionId, { live }] of this.#members)
      if (await live.detach()) this.#members.delete(sessionId)
    await this.close(why)
  }

  /** Ends every process. */
  async close(why: Reason): Promise<void> {
    this.#cancelSweep()
    await Promise.all([
      this.#pool.close(),
      this.#start.close(),
      ...[...this.#members.values()].map(({ live }) => live.suspend(why)),
    ])
  }
}
