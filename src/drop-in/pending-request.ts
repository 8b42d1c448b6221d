/** The requests of a `ClaudeManager` that wait for an answer, as its callers see them. */

import type { ManagerEvent } from '../dialect/manager.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import type { InboxRequest } from '../protocol/request.js'
import type { Question } from '../protocol/value.js'

/** A caller's own id of a conversation. One that was stored by an earlier process comes back as text. */
export type ConversationId = string | number

/** A request that waits for `respondPermission` or `respondQuestion`. */
export interface PendingRequest<Id extends ConversationId = string> {
  readonly sessionId: Id | string
  readonly requestId: string
  readonly event: ManagerEvent
  readonly questions: readonly Question[]
}

type AskingEvent = ManagerEvent & { type: 'permission_request' | 'askQuestion' }

export class PendingRequests<Id extends ConversationId> {
  readonly permissions = new Map<string, PendingRequest<Id>>()
  readonly questions = new Map<string, PendingRequest<Id>>()
  /** The event to replay first to a client that reconnects, by session. */
  readonly events = new Map<Id | string, ManagerEvent>()

  isWaiting(sessionId: Id | string): boolean {
    const all = [...this.permissions.values(), ...this.questions.values()]
    return all.some((pending) => pending.sessionId === sessionId)
  }

  /** Our event, and the manager events that were emitted for it. */
  note(sessionId: Id | string, event: SessionEvent | Delta, told: readonly ManagerEvent[]): void {
    if (event.type === 'permission.requested' || event.type === 'question.requested') {
      const [theirs] = told
      if (theirs?.type !== 'permission_request' && theirs?.type !== 'askQuestion') return
      this.add(sessionId, event.data.requestId, theirs)
    }
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      this.#settle(sessionId, ({ requestId }) => requestId === event.data.requestId)
    }
  }

  add(sessionId: Id | string, requestId: string, event: AskingEvent): void {
    const isQuestion = event.type === 'askQuestion'
    const place = isQuestion ? this.questions : this.permissions
    place.set(event.toolUseId, { sessionId, requestId, event, questions: isQuestion ? event.questions : [] })
    this.events.set(sessionId, event)
  }

  /** The run of the session is over: none of its requests waits any more. */
  forget(sessionId: Id | string): void {
    this.#settle(sessionId, () => true)
  }

  #settle(sessionId: Id | string, isSettled: (pending: PendingRequest<Id>) => boolean): void {
    for (const place of [this.permissions, this.questions]) {
      for (const [toolUseId, pending] of place) {
        if (pending.sessionId !== sessionId || !isSettled(pending)) continue
        place.delete(toolUseId)
        if (this.events.get(sessionId) === pending.event) this.events.delete(sessionId)
      }
    }
  }
}

/** The event by which a manager would have announced a request that an earlier process has left open. */
export function askingEventOf({
  id,
  kind,
  toolName,
  input: toolInput,
  questions,
  toolUseId,
}: InboxRequest): AskingEvent {
  const asked = { toolUseId: toolUseId ?? id }
  return kind === 'question'
    ? { type: 'askQuestion', questions, ...asked }
    : { type: 'permission_request', toolName, toolInput, ...asked }
}
