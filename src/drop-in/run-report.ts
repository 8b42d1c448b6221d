/** Reports what happens in the sessions of a `ClaudeManager`, in the words of its callers. */

import { speak } from '../dialect/dialect.js'
import { type ManagerEvent, type ManagerState, managerDialect } from '../dialect/manager.js'
import type { Session } from '../embed/session.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import type { ManagerSession } from './manager-session.js'
import type { ConversationId, PendingRequests } from './pending-request.js'

export interface RunReportDeps<Id extends ConversationId> {
  pending: PendingRequests<Id>
  onEvent(sessionId: Id | string, event: ManagerEvent): void
}

export class RunReport<Id extends ConversationId> {
  readonly #deps: RunReportDeps<Id>
  /** How each conversation was announced: a live process does not say it again. */
  readonly #inits = new Map<string, ManagerEvent>()

  constructor(deps: RunReportDeps<Id>) {
    this.#deps = deps
  }

  /** Passes on what happens in a session until its turn ends. `state` was reported already. */
  async follow(
    sessionId: Id | string,
    run: ManagerSession,
    session: Session,
    state: ManagerState,
    isOurs: (event: SessionEvent | Delta) => boolean = () => true,
  ): Promise<void> {
    const { pending, onEvent } = this.#deps
    const { signal } = run.abortController
    const tell = speak(managerDialect)
    let hasInit = false
    let told = state
    for await (const event of session.stream()) {
      if (signal.aborted) return
      if (!isOurs(event)) continue
      const known = event.type === 'turn.started' && !hasInit ? this.#inits.get(session.id) : undefined
      const events = [...tell(event), ...(known ? [known] : [])]
      run.note(event, events)
      pending.note(sessionId, event, events)
      for (const theirs of events) {
        if (theirs.type === 'init') {
          hasInit = true
          this.#inits.set(session.id, theirs)
        }
        if (theirs.type === 'state') {
          // The run itself reports its beginning and its end.
          if (theirs.state === told || theirs.state === 'idle') continue
          told = theirs.state
        }
        onEvent(sessionId, theirs)
      }
    }
  }
}
