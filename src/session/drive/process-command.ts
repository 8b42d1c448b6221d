/** Commands that act on the process of a session. Each is answered in bounded time. */

import type { Journal } from '../../journal/journal.js'
import { abortable } from '../../lib/abortable.js'
import type { Clock } from '../../lib/clock.js'
import { HubError } from '../../protocol/error.js'
import { reason } from '../../protocol/reason/reason.js'
import type { LiveChange } from '../../protocol/runner-command.js'
import type { Actor } from '../../protocol/value.js'
import { CONTROL_MS } from '../claude/control-timeout.js'
import type { LiveSession } from '../live-session.js'
import type { SessionWork } from './session-work.js'

export interface ProcessCommandDeps extends SessionWork {
  journal: Journal
  clock: Clock
}

export class ProcessCommands {
  readonly #deps: ProcessCommandDeps

  constructor(deps: ProcessCommandDeps) {
    this.#deps = deps
  }

  /** Does something that needs the process, which is started if there is none. Answers in bounded time. */
  async withLive<Result>(sessionId: string, action: (live: LiveSession) => Promise<Result>): Promise<Result> {
    const { fleet, drivable } = this.#deps
    const live = fleet.get(sessionId) ?? (await this.#startWithin(sessionId, CONTROL_MS))
    if (live) return this.#act(live, action)
    if (await drivable(sessionId))
      throw new HubError('claude_failed', 'The start of the process was interrupted. Try again.')
    throw new HubError('session_ended', `Session ${sessionId} has ended.`, { sessionId })
  }

  async #act<Result>(live: LiveSession, action: (live: LiveSession) => Promise<Result>): Promise<Result> {
    const { fleet } = this.#deps
    try {
      return await action(live)
    } catch (error) {
      // Race: it may be parked or stopped while it is asked.
      if (error instanceof HubError || fleet.get(live.id) === live) throw error
      const message = 'The process of the session ended before it had answered. Try again.'
      throw new HubError('claude_failed', message, { sessionId: live.id }, { cause: error })
    } finally {
      fleet.recheck(live.id)
    }
  }

  /** Rejects when there is no process in time. Resolves with null if the session has ended, or was interrupted. */
  async #startWithin(sessionId: string, ms: number): Promise<LiveSession | null> {
    const { fleet, sequencer, starts, drivable, clock } = this.#deps
    const limit = new AbortController()
    const cancel = clock.after(ms, () => limit.abort(noProcess()))
    const start = async (signal: AbortSignal) => {
      limit.signal.throwIfAborted()
      return fleet.ensure(sessionId, 'command', AbortSignal.any([signal, limit.signal]))
    }
    const started = sequencer.run(sessionId, async () =>
      (await drivable(sessionId)) ? starts.run(sessionId, start) : null,
    )
    return abortable(started, limit.signal).finally(cancel)
  }

  /** Holds for the process that is there, and for one that is being started. */
  async configure(sessionId: string, change: LiveChange, by: Actor | null): Promise<void> {
    const { fleet, journal } = this.#deps
    const live = fleet.get(sessionId)
    try {
      if (live) return await live.configure(change, by)
    } catch (error) {
      if (fleet.get(sessionId) === live) throw error
    }
    // Without a process it is only recorded; the next process starts with it.
    const data = { ...change, ...(by && change.permissionMode !== undefined && { by }) }
    await journal.append(sessionId, [{ type: 'session.changed', data }])
    fleet.noteChange()
    // Race: a process that has come meanwhile may have been started without it.
    await fleet.get(sessionId)?.configure(change, by)
  }

  /** Ends the process, not the session. One that is being started reads its settings again before it is given anything. */
  async park(sessionId: string, onlyIdle: boolean): Promise<void> {
    const { fleet, sequencer } = this.#deps
    fleet.noteChange()
    const live = fleet.get(sessionId)
    if (!live) return fleet.end(sessionId, 'parked', reason('end.parked'))
    await sequencer.run(sessionId, async () => {
      if (!onlyIdle || !live.isNeeded) await live.end('parked', reason('end.parked'))
    })
  }

  /** One that is being started reads the trust in force again before it is given anything. */
  async distrust(path: string): Promise<void> {
    const { fleet } = this.#deps
    fleet.noteChange()
    await fleet.endOverTrusted(path)
  }
}

function noProcess(): HubError {
  return new HubError(
    'claude_failed',
    `The session has no process, and none was free within ${CONTROL_MS / 1000} s. Try again when a session has ended its work, or raise maxLive.`,
  )
}
