/** Watches whether a process that works still reacts, and reports in the session when that changes. */

import type { EventDraft } from '../../protocol/event/event.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { reason } from '../../protocol/reason/reason.js'
import type { Claude } from './port.js'

/** A working process that has said nothing for this long is asked whether it still reacts. */
export const SILENT_MS = 60_000

export interface ResponseWatchDeps {
  claude: Pick<Claude, 'inspect'>
  write(drafts: readonly EventDraft[]): void
  hasEnded(): boolean
}

export class ResponseWatch {
  readonly #deps: ResponseWatchDeps
  #isResponding = true

  constructor(deps: ResponseWatchDeps) {
    this.#deps = deps
  }

  /** Asks a process that has been silent in its work. */
  async probe(): Promise<void> {
    const reacts = await this.#deps.claude.inspect('mcp').then(
      () => true,
      () => false,
    )
    if (!this.#deps.hasEnded()) this.note(reacts)
  }

  note(isResponding: boolean): void {
    if (isResponding === this.#isResponding) return
    this.#isResponding = isResponding
    const condition = isResponding ? null : ('not_responding' as const)
    this.#deps.write([{ type: 'session.changed', data: { condition } }])
    if (isResponding) return
    this.#deps.write([raiseNotice('warning', 'not_responding', reason('notice.not-responding'))])
  }
}
