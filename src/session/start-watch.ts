/** Watches a process that was given a message and has said nothing yet: reports it, and gives it up in the end. */

import type { Clock } from '../lib/clock.js'
import type { EventDraft } from '../protocol/event.js'

const STARTING_MS = 5_000
const NOTICE_MS = 30_000
const GIVE_UP_MS = 60_000

export interface StartWatchDeps {
  clock: Clock
  write(drafts: readonly EventDraft[]): void
  giveUp(reason: string): void
}

export class StartWatch {
  readonly #deps: StartWatchDeps
  #cancels: (() => void)[] | null = null
  #hasReported = false
  #isOver = false

  constructor(deps: StartWatchDeps) {
    this.#deps = deps
  }

  /** The process was given its first message. */
  begin(): void {
    if (this.#isOver || this.#cancels) return
    const { clock, write, giveUp } = this.#deps
    this.#cancels = [
      clock.after(STARTING_MS, () => {
        this.#hasReported = true
        write([{ type: 'session.changed', data: { condition: 'starting' } }])
      }),
      clock.after(NOTICE_MS, () => {
        const text = `Claude Code has not reacted to the message for ${NOTICE_MS / 1000} s.`
        write([{ type: 'notice.raised', data: { level: 'warning', topic: 'not_responding', text } }])
      }),
      clock.after(GIVE_UP_MS, () => giveUp(`Claude Code did not react within ${GIVE_UP_MS / 1000} s.`)),
    ]
  }

  /** It has said something, or is gone. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const cancel of this.#cancels ?? []) cancel()
    if (this.#hasReported) this.#deps.write([{ type: 'session.changed', data: { condition: null } }])
  }
}
