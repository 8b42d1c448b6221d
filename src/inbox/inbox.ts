/** Everything that a person must answer: raised once, stored before anybody is told, answered once. */

import { AppendRefused, type Journal } from '../journal.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import type { IdSource } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import type { DataOf, EventDraft } from '../protocol/event.js'
import type { Answer, Request } from '../protocol/request.js'
import type { Grant } from '../protocol/request-event.js'
import type { Actor, DecidedBy, Question } from '../protocol/value.js'
import type { RequestFilter, Store } from '../store/port.js'
import { draftOfAnswer } from './answer.js'

export interface InboxDeps {
  journal: Journal
  store: Store
  clock: Clock
  ids: IdSource
  /** What "allow all of these" means for a call. */
  grantFor(tool: string, input: unknown): Grant
  /** 0: wait for ever. */
  permissionTimeoutMs: number
  questionTimeoutMs: number
  /** Whether the answer to a request of a terminal can get there. */
  isHeld?(requestId: string): boolean
}

/** A tool call that waits for a person. When `signal` aborts, nobody needs the answer any more. */
export interface AskedCall {
  sessionId: string
  toolUseId: string | null
  toolName: string
  input: unknown
  agentId?: string
  signal: AbortSignal
}

/** What a person is told about a permission: the call in a few words, and why it is asked. */
export interface Why {
  title: string
  reason: string
  suggestions: readonly unknown[]
}

export type PermissionResolution = DataOf<'permission.resolved'>
export type QuestionResolution = DataOf<'question.resolved'>

export interface Inbox {
  /** Resolves with the one answer, whoever gives it. Never rejects because nobody answered: then it is denied. */
  askPermission(call: AskedCall, why: Why): Promise<PermissionResolution>
  askQuestion(call: AskedCall, questions: readonly Question[]): Promise<QuestionResolution>
  /** The first answer wins; a later one is told who was first. */
  answer(requestId: string, answer: Answer, actor: Actor): Promise<Request>
  /** Nobody can use an answer any more: denies what is pending in a session. */
  withdraw(sessionId: string, reason: string): Promise<void>
  request(id: string): Promise<Request>
  requests(filter: RequestFilter): Promise<Request[]>
  close(): void
}

export function createInbox(deps: InboxDeps): Inbox {
  return new JournalInbox(deps)
}

type Resolution = PermissionResolution | QuestionResolution

class JournalInbox implements Inbox {
  readonly #deps: InboxDeps
  /** Calls in this process that wait for their answer. The answer itself comes through the journal. */
  readonly #waiting = new Map<string, (resolution: Resolution) => void>()
  readonly #subscription: { close(): void }

  constructor(deps: InboxDeps) {
    this.#deps = deps
    this.#subscription = deps.journal.subscribe({
      deliver: (items) => {
        for (const { event } of items) {
          if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
            this.#waiting.get(event.data.requestId)?.(event.data)
          }
        }
      },
    })
  }

  async askPermission(call: AskedCall, { title, reason, suggestions }: Why): Promise<PermissionResolution> {
    const requestId = this.#deps.ids.next('per')
    const resolution = await this.#ask(call, requestId, this.#deps.permissionTimeoutMs, {
      type: 'permission.requested',
      data: { ...callData(call), requestId, title, reason, suggestions: [...suggestions] },
    })
    return resolution as PermissionResolution // What is asked as a permission is resolved as one.
  }

  async askQuestion(call: AskedCall, questions: readonly Question[]): Promise<QuestionResolution> {
    const requestId = this.#deps.ids.next('que')
    const resolution = await this.#ask(call, requestId, this.#deps.questionTimeoutMs, {
      type: 'question.requested',
      data: { ...callData(call), requestId, questions: [...questions] },
    })
    return resolution as QuestionResolution // As above.
  }

  async #ask(
    { sessionId, signal }: AskedCall,
    requestId: string,
    timeoutMs: number,
    draft: EventDraft,
  ): Promise<Resolution> {
    const answered = new Promise<Resolution>((resolve) => this.#waiting.set(requestId, resolve))
    const giveUp = (by: DecidedBy, reason: string) => {
      // Where even this can not be stored, the call is denied all the same.
      this.#decide(sessionId, requestId, by, reason).catch(() =>
        this.#waiting.get(requestId)?.(denial(requestId, by, reason)),
      )
    }
    const onAbort = () => giveUp('shutdown', 'The turn was interrupted before anybody answered.')
    let cancelTimer = () => {}
    try {
      await this.#deps.journal.append(sessionId, [draft])
      if (signal.aborted) onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      if (timeoutMs > 0)
        cancelTimer = this.#deps.clock.after(timeoutMs, () => giveUp('timeout', timeoutText(timeoutMs)))
      return await answered
    } finally {
      this.#waiting.delete(requestId)
      signal.removeEventListener('abort', onAbort)
      cancelTimer()
    }
  }

  async answer(requestId: string, answer: Answer, actor: Actor): Promise<Request> {
    const request = await this.request(requestId)
    const { grantFor, clock } = this.#deps
    const now = new Date(clock.now()).toISOString()
    const draft = draftOfAnswer(request, answer, actor, { grantFor, now })
    if (request.state === 'resolved') throw alreadyResolved(request)
    await this.#refuseUnheld(request)
    try {
      await this.#deps.journal.append(request.sessionId, [draft])
    } catch (error) {
      if (error instanceof AppendRefused) throw alreadyResolved(await this.request(requestId))
      throw error
    }
    return this.request(requestId)
  }

  /** What a terminal asks is answered there, unless something waits there for our answer. */
  async #refuseUnheld({ id, sessionId }: Request): Promise<void> {
    if (this.#deps.isHeld?.(id)) return
    if ((await this.#deps.journal.session(sessionId))?.kind !== 'observed') return
    throw new HubError('request_not_held', `Request ${id} can only be answered in its terminal.`, {
      requestId: id,
    })
  }

  async withdraw(sessionId: string, reason: string): Promise<void> {
    const pending = await this.#deps.store.requests({ sessionId, state: 'pending' })
    await Promise.all(pending.map((request) => this.#decide(sessionId, request.id, 'shutdown', reason)))
  }

  /** Denies a request without a person. That somebody was quicker is fine. */
  async #decide(sessionId: string, requestId: string, by: DecidedBy, reason: string): Promise<void> {
    const data = denial(requestId, by, reason)
    const draft: EventDraft =
      'answers' in data ? { type: 'question.resolved', data } : { type: 'permission.resolved', data }
    try {
      await this.#deps.journal.append(sessionId, [draft])
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error
    }
  }

  async request(id: string): Promise<Request> {
    const request = await this.#deps.store.request(id)
    if (request) return request
    throw new HubError('request_not_found', `No request ${id}. List what waits with "signalbox inbox".`, {
      requestId: id,
    })
  }

  requests(filter: RequestFilter): Promise<Request[]> {
    return this.#deps.store.requests(filter)
  }

  close(): void {
    this.#subscription.close()
  }
}

function denial(requestId: string, by: DecidedBy, reason: string): Resolution {
  const nobody = { requestId, by, who: null, via: null, reason }
  if (requestId.startsWith('que_')) return { ...nobody, answers: null }
  return { ...nobody, decision: 'deny', rule: null, message: reason }
}

function callData({ toolUseId, toolName, input, agentId }: AskedCall) {
  const inputDigest = digest(JSON.stringify(input) ?? '')
  return { toolUseId, toolName, input, inputDigest, ...(agentId !== undefined && { agentId }) }
}

function timeoutText(timeoutMs: number): string {
  return `Permission request timeout (${timeoutMs / 1000}s)`
}

function alreadyResolved({ id, resolution }: Request): HubError {
  const by = resolution?.who ?? resolution?.by ?? 'somebody'
  return new HubError('request_already_resolved', `Request ${id} was already answered by ${by}.`, {
    requestId: id,
    resolution,
  })
}
