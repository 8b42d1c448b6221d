/** The asking side of the inbox, beside the agents: raises a request for a call and waits for its one answer. */

import type { Journal } from '../journal/journal.js'
import type { IdSource } from '../lib/id.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { Form } from '../protocol/form/form.js'
import { reason as codedReason, type Reason } from '../protocol/reason/reason.js'
import type { InboxRequest, RequestTimeouts } from '../protocol/request.js'
import { isAnswered, type Question } from '../protocol/value.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import { type AskedCall, callData, digestOf, type Why, whyData } from './asked-call.js'
import { ParkedRequests } from './parked-requests.js'
import {
  denial,
  deny,
  type PermissionResolution,
  type QuestionResolution,
  type Resolution,
  resolutionOf,
  unlessRefused,
} from './resolution.js'

export interface AskerDeps extends RequestTimeouts {
  journal: Journal
  store: Pick<RunnerStore, 'session' | 'request' | 'requests'>
  ids: IdSource
  /** Events behind this position are followed. */
  after: number
  onFault(error: unknown): void
}

export interface Asker {
  /**
   * Resolves with the one answer, from any client. Never rejects for lack of an answer: then it is denied. A
   * parked request about the same call is resumed instead of raising another.
   */
  askPermission(call: AskedCall, why: Why): Promise<PermissionResolution>
  askQuestion(call: AskedCall, questions: readonly Question[]): Promise<QuestionResolution>
  /** An MCP server asks. */
  askForm(call: AskedCall, form: Form): Promise<QuestionResolution>
  /**
   * The process of a session is gone, or is about to be: what is pending waits for the same calls to be made again.
   * From here on nothing that happens to the process decides a request.
   */
  park(sessionId: string, reason: string): Promise<void>
  /** The same for requests whose answers had not reached the process: they count when the calls are made again. */
  parkAnswered(sessionId: string, requestIds: readonly string[], reason: string): Promise<void>
  /** The session has continued without its parked requests: they will not be asked again. */
  lapse(sessionId: string, reason: string | Reason): Promise<void>
  /** No process can use an answer any more: denies pending requests of a session, and gives up parked ones. */
  withdraw(sessionId: string, reason: string | Reason): Promise<void>
  /** For requests that this session raises from now on, in place of the timeouts of all. Forgotten with the process. */
  setTimeouts(sessionId: string, timeouts: RequestTimeouts): void
  close(): void
}

export function createAsker(deps: AskerDeps): Asker {
  return new JournalAsker(deps)
}

type Kind = 'per' | 'que'

/** A call in this process that waits for its answer. */
interface Waiter {
  settle(resolution: Resolution): void
  /** Abandons the call: its process is gone. */
  leave(): void
}

class JournalAsker implements Asker {
  readonly #deps: AskerDeps
  /** The answer itself comes through the journal. */
  readonly #waiting = new Map<string, Waiter>()
  readonly #timeouts = new Map<string, RequestTimeouts>()
  readonly #parked: ParkedRequests
  readonly #subscription: { close(): void }

  constructor(deps: AskerDeps) {
    this.#deps = deps
    this.#parked = new ParkedRequests({ ...deps, leave: (id) => this.#waiting.get(id)?.leave() })
    this.#subscription = deps.journal.subscribe({
      after: deps.after,
      onError: deps.onFault,
      deliver: (items) => {
        for (const { event } of items) {
          if (event.type === 'permission.resolved' || event.type === 'question.resolved')
            this.#waiting.get(event.data.requestId)?.settle(event.data)
          if (event.type === 'session.ended') this.#timeouts.delete(event.sessionId)
        }
      },
    })
  }

  async askPermission(call: AskedCall, why: Why): Promise<PermissionResolution> {
    const { permissionTimeoutMs } = this.#timeoutsOf(call)
    const resolution = await this.#ask(call, 'per', (requestId) => ({
      type: 'permission.requested',
      data: { ...callData(call, requestId, permissionTimeoutMs), ...whyData(why) },
    }))
    return resolution as PermissionResolution // A request raised as a permission is resolved as one.
  }

  async askQuestion(call: AskedCall, questions: readonly Question[]): Promise<QuestionResolution> {
    return this.#askQuestion(call, { questions: [...questions] })
  }

  async askForm(call: AskedCall, form: Form): Promise<QuestionResolution> {
    return this.#askQuestion(call, { questions: [], form })
  }

  async #askQuestion(
    call: AskedCall,
    asked: { questions: Question[]; form?: Form },
  ): Promise<QuestionResolution> {
    const resolution = await this.#ask(call, 'que', (requestId) => ({
      type: 'question.requested',
      data: { ...callData(call, requestId, this.#timeoutsOf(call).questionTimeoutMs), ...asked },
    }))
    return resolution as QuestionResolution // As above.
  }

  #timeoutsOf({ sessionId }: AskedCall): RequestTimeouts {
    return this.#timeouts.get(sessionId) ?? this.#deps
  }

  setTimeouts(sessionId: string, timeouts: RequestTimeouts): void {
    this.#timeouts.set(sessionId, timeouts)
  }

  async #ask(call: AskedCall, kind: Kind, draftOf: (requestId: string) => EventDraft): Promise<Resolution> {
    for (const requestId of await this.#parkedLike(call, kind)) {
      const { toolUseId } = call
      const revived = this.#wait(call, requestId, { type: 'request.revived', data: { requestId, toolUseId } })
      const resolution = await revived.catch(unlessRefused)
      if (resolution) return resolution
    }
    const asked = call.isRepeated ? await this.#askedBefore(call, kind) : null
    if (asked?.resolution) return resolutionOf(asked)
    if (asked) return this.#wait(call, asked.id, null)
    const requestId = this.#deps.ids.next(kind)
    return this.#wait(call, requestId, draftOf(requestId))
  }

  /** The request that a previous run has raised about this very call; null if it had not come to that. */
  async #askedBefore(
    { sessionId, toolUseId, toolName, input }: AskedCall,
    kind: Kind,
  ): Promise<InboxRequest | null> {
    const { store } = this.#deps
    const inputDigest = digestOf(input)
    const about = toolUseId === null ? { state: 'pending' as const } : { toolUseId }
    const requests = await store.requests({ sessionId, ...about })
    const isAlike = (request: InboxRequest) =>
      request.id.startsWith(kind) &&
      !request.isParked &&
      request.toolName === toolName &&
      request.inputDigest === inputDigest &&
      // A form without a call: only one that waits can be known for the same.
      (request.resolution === null || isAnswered(request.resolution.by)) &&
      !this.#waiting.has(request.id)
    return requests.findLast(isAlike) ?? null
  }

  /** Parked requests of the session that were about this very call. */
  async #parkedLike({ sessionId, toolName, input }: AskedCall, kind: Kind): Promise<string[]> {
    const { store } = this.#deps
    const { parkedRequests = [] } = (await store.session(sessionId)) ?? {}
    const inputDigest = digestOf(input)
    const alike: string[] = []
    for (const id of parkedRequests) {
      if (!id.startsWith(kind)) continue
      const request = await store.request(id)
      if (request?.toolName === toolName && request.inputDigest === inputDigest) alike.push(id)
    }
    return alike
  }

  /** Rejects only if `draft` could not be stored. Without one, the request is there already. */
  async #wait(
    { sessionId, signal }: AskedCall,
    requestId: string,
    draft: EventDraft | null,
  ): Promise<Resolution> {
    const { journal, store } = this.#deps
    let leave = () => {}
    const answered = new Promise<Resolution>((settle) =>
      this.#waiting.set(requestId, { settle, leave: () => leave() }),
    )
    const onAbort = () => this.#giveUp(sessionId, requestId, codedReason('request.interrupted'))
    leave = () => {
      this.#waiting.delete(requestId)
      signal.removeEventListener('abort', onAbort)
    }
    try {
      if (draft) await journal.append(sessionId, [draft])
      const isNew = draft !== null && draft.type !== 'request.revived'
      const known = isNew ? null : await store.request(requestId)
      if (known?.resolution) return resolutionOf(known)
      if (!this.#waiting.has(requestId)) return await answered // It was parked again in the meantime.
      if (signal.aborted) onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      return await answered
    } finally {
      leave()
    }
  }

  /** Where even the denial cannot be stored, the call is denied all the same. */
  #giveUp(sessionId: string, requestId: string, why: Reason): void {
    deny(this.#deps.journal, sessionId, requestId, 'shutdown', why).catch((error: unknown) => {
      this.#deps.onFault(error)
      this.#waiting.get(requestId)?.settle(denial(requestId, 'shutdown', why))
    })
  }

  park: Asker['park'] = (sessionId, reason) => this.#parked.park(sessionId, reason)
  parkAnswered: Asker['parkAnswered'] = (sessionId, requestIds, reason) =>
    this.#parked.parkAnswered(sessionId, requestIds, reason)
  lapse: Asker['lapse'] = (sessionId, why) => this.#parked.lapse(sessionId, why)
  withdraw: Asker['withdraw'] = (sessionId, why) => this.#parked.withdraw(sessionId, why)

  close(): void {
    this.#subscription.close()
  }
}
