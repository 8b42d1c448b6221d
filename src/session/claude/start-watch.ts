/** Watches a process that was given a message and has said nothing yet: reports it, and gives it up in the end. */

import type { Clock } from '../../lib/clock.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'

const STARTING_MS = 5_000
const NOTICE_MS = 30_000
const GIVE_UP_MS = 60_000

export interface StartWatchDeps {
  clock: Clock
  write(drafts: readonly EventDraft[]): void
  giveUp(why: Reason): void
}

export class StartWatch {
  readonly #deps: StartWatchDeps
  #cancel: (() => void) | null = null
  #hasReported = false
  #isOver = false

  constructor(deps: StartWatchDeps) {
    this.#deps = deps
  }

  /** The process was given its first message. */
  begin(): void {
    if (this.#isOver || this.#cancel) return
    const { write, giveUp } = this.#deps
    this.#plan(STARTING_MS, () => {
      this.#hasReported = true
      write([{ type: 'session.changed', data: { condition: 'starting' } }])
      this.#plan(NOTICE_MS - STARTING_MS, () => {
        const silent = reason('notice.no-reaction', { seconds: String(NOTICE_MS / 1000) })
        write([raiseNotice('warning', 'not_responding', silent)])
        this.#plan(GIVE_UP_MS - NOTICE_MS, () =>
          giveUp(reason('process.no-reaction', { seconds: String(GIVE_UP_MS / 1000) })),
        )
      })
    })
  }

  /** One after the other: a daemon that was suspended must not find all of them due before it reads what came meanwhile. */
  #plan(ms: number, action: () => void): void {
    this.#cancel = this.#deps.clock.after(ms, () => {
      if (!this.#isOver) action()
    })
  }

  /** It has said something, or is gone. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancel?.()
    if (this.#hasReported) this.#deps.write([{ type: 'session.changed', data: { condition: null } }])
  }
}
