/** Requests to the user: raised once, stored before they are published, answered once. */

import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { AppendRefused, type Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import type { IdSource } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import type { DataOf, EventDraft } from '../protocol/event/event.js'
import type { Grant } from '../protocol/event/request-event.js'
import type { Form } from '../protocol/form/form.js'
import { RequestId } from '../protocol/id.js'
import type { Severity } from '../protocol/policy/policy.js'
import { reason as codedReason, type Reason, saying } from '../protocol/reason/reason.js'
import type { ReasonPart } from '../protocol/reason/reason-part.js'
import { type Answer, expiryOf, type InboxRequest, type RequestTimeouts } from '../protocol/request.js'
import type { Actor, DecidedBy, PermissionMode, Question } from '../protocol/value.js'
import type { RequestFilter } from '../store/port/filter.js'
import { CLIENT_WAIT_MS, type Store } from '../store/port.js'
import { draftOfAnswer } from './answer.js'
import { Expiry } from './expiry.js'
import { keyOf } from './idempotency-key.js'
import { pendingRequests } from './pending.js'

export interface InboxDeps extends RequestTimeouts {
  journal: Journal
  store: Store
  clock: Clock
  ids: IdSource
  /** The grant of `allowAll` where the request does not name one, or the user has changed the input: the exact call. */
  grantFor(tool: string, input: unknown): Grant
  /** Whether the answer to a request of a terminal can get there. */
  isHeld?(requestId: string): boolean
  /** Resolves when a session of the previous run is recovered. Rejects while nothing can be stored. */
  recovered?(sessionId: string): Promise<void>
  onFault(error: unknown): void
}

/** A tool call that waits for the user. When `signal` aborts, the answer is not needed any more. */
export interface AskedCall {
  sessionId: string
  toolUseId: string | null
  toolName: string
  input: unknown
  agentId?: string
  signal: AbortSignal
}

/** The explanation of a permission request: the call in a few words, and why it is asked. */
export interface Why {
  title: string
  reason: string
  /** The reason as codes and parameters. */
  reasonParts?: ReasonPart[]
  /** Of the most serious finding about the call. */
  severity?: Severity
  suggestions: readonly unknown[]
  /** The plan that is to be approved. */
  plan?: string
  /** The mode of the agent that it would start, where that is freer than the session. */
  freerMode?: PermissionMode
  /** The scope of `allowAll`. */
  grant?: Grant
}

export type PermissionResolution = DataOf<'permission.resolved'>
export type QuestionResolution = DataOf<'question.resolved'>

export interface Inbox {
  /**
   * Restarts the timeouts of requests that are pending since a previous run. With many requests it resolves before the last is
   * read.
   */
  start(): Promise<void>
  /**
   * Resolves with the one answer, from any client. Never rejects for lack of an answer: then it is denied. A
   * parked request about the same call is resumed instead of raising another.
   */
  askPermission(call: AskedCall, why: Why): Promise<PermissionResolution>
  askQuestion(call: AskedCall, questions: readonly Question[]): Promise<QuestionResolution>
  /** An MCP server asks. */
  askForm(call: AskedCall, form: Form): Promise<QuestionResolution>
  /**
   * The first answer wins; a later one gets an error that names the first. The same one again, by its
   * idempotency key, is the same answer.
   */
  answer(requestId: string, answer: Answer, actor: Actor): Promise<InboxRequest>
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
  request(id: string): Promise<InboxRequest>
  /** By its id, or by the id of its tool call: of several the newest that is pending, else the newest. */
  find(idOrToolUseId: string): Promise<InboxRequest>
  requests(filter: RequestFilter): Promise<InboxRequest[]>
  /** All that wait, of one session or of all, page by page. */
  pending(sessionId?: string): AsyncIterable<InboxRequest>
  close(): void
}

export function createInbox(deps: InboxDeps): Inbox {
  return new JournalInbox(deps)
}

/** At a start: the server that is being started has its turn in between. */
const READ_AT_ONCE = 200
const READ_PAUSE_MS = 20

type Resolution = PermissionResolution | QuestionResolution
type Kind = 'per' | 'que'

/** A call in this process that waits for its answer. */
interface Waiter {
  settle(resolution: Resolution): void
  /** Abandons the call: its process is gone. */
  leave(): void
}

class JournalInbox implements Inbox {
  readonly #deps: InboxDeps
  /** The answer itself comes through the journal. */
  readonly #waiting = new Map<string, Waiter>()
  readonly #expiry: Expiry
  readonly #timeouts = new Map<string, RequestTimeouts>()
  readonly #subscription: { close(): void }
  #isClosed = false

  constructor(deps: InboxDeps) {
    this.#deps = deps
    this.#expiry = new Expiry(deps.clock, (id) => void this.#expire(id).catch(deps.onFault))
    this.#subscription = deps.journal.subscribe({
      deliver: (items) => {
        for (const { event } of items) {
          if (event.type === 'permission.requested' || event.type === 'question.requested') {
            const expiresAt = expiryOf(event)
            if (expiresAt !== null) this.#expiry.add(event.data.requestId, expiresAt)
          }
          if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
            this.#expiry.remove(event.data.requestId)
            this.#waiting.get(event.data.requestId)?.settle(event.data)
          }
          if (event.type === 'session.ended') this.#timeouts.delete(event.sessionId)
        }
      },
    })
  }

  async start(): Promise<void> {
    const isRead = this.#readLimits()
    await Promise.race([isRead, turn()])
    isRead.catch(this.#deps.onFault)
  }

  async #readLimits(): Promise<void> {
    let count = 0
    for await (const { id, expiresAt } of pendingRequests(this.#deps.store)) {
      if (this.#isClosed) return
      if (expiresAt !== null) this.#expiry.add(id, expiresAt)
      count += 1
      if (count % READ_AT_ONCE === 0) await wait(READ_PAUSE_MS)
    }
  }

  async askPermission(
    call: AskedCall,
    { title, reason: text, reasonParts, severity, suggestions, plan, freerMode, grant }: Why,
  ): Promise<PermissionResolution> {
    const { permissionTimeoutMs } = this.#timeoutsOf(call)
    const resolution = await this.#ask(call, 'per', (requestId) => ({
      type: 'permission.requested',
      data: {
        ...this.#callData(call, requestId, permissionTimeoutMs),
        title,
        reason: text,
        ...(reasonParts !== undefined && { reasonParts }),
        ...(severity !== undefined && { severity }),
        suggestions: [...suggestions],
        ...(plan !== undefined && { plan }),
        ...(freerMode !== undefined && { freerMode }),
        ...(grant !== undefined && { grant }),
      },
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
      data: { ...this.#callData(call, requestId, this.#timeoutsOf(call).questionTimeoutMs), ...asked },
    }))
    return resolution as QuestionResolution // As above.
  }

  #timeoutsOf({ sessionId }: AskedCall): RequestTimeouts {
    return this.#timeouts.get(sessionId) ?? this.#deps
  }

  setTimeouts(sessionId: string, timeouts: RequestTimeouts): void {
    this.#timeouts.set(sessionId, timeouts)
  }

  #callData({ toolUseId, toolName, input, agentId }: AskedCall, requestId: string, timeoutMs: number) {
    return {
      requestId,
      toolUseId,
      toolName,
      input,
      inputDigest: digestOf(input),
      ...(agentId !== undefined && { agentId }),
      ...(timeoutMs > 0 && { timeoutMs }),
    }
  }

  async #ask(call: AskedCall, kind: Kind, draftOf: (requestId: string) => EventDraft): Promise<Resolution> {
    for (const requestId of await this.#parkedLike(call, kind)) {
      const { toolUseId } = call
      const revived = this.#wait(call, requestId, { type: 'request.revived', data: { requestId, toolUseId } })
      const resolution = await revived.catch(unlessRefused)
      if (resolution) return resolution
    }
    const requestId = this.#deps.ids.next(kind)
    return this.#wait(call, requestId, draftOf(requestId))
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

  /** Rejects only if `draft` could not be stored. */
  async #wait({ sessionId, signal }: AskedCall, requestId: string, draft: EventDraft): Promise<Resolution> {
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
      await journal.append(sessionId, [draft])
      const known = draft.type === 'request.revived' ? await store.request(requestId) : null
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
    this.#decide(sessionId, requestId, 'shutdown', why).catch((error: unknown) => {
      this.#deps.onFault(error)
      this.#waiting.get(requestId)?.settle(denial(requestId, 'shutdown', why))
    })
  }

  async #expire(requestId: string): Promise<void> {
    const { sessionId, requestedAt, expiresAt } = await this.request(requestId)
    const timeoutMs = Date.parse(expiresAt ?? requestedAt) - Date.parse(requestedAt)
    const code = requestId.startsWith('que') ? 'request.question-timeout' : 'request.timeout'
    const why = codedReason(code, { seconds: String(timeoutMs / 1000) })
    await this.#decide(sessionId, requestId, 'timeout', why)
  }

  /** Race: a limit that has passed while nothing ran may not be read yet. An answer does not come before it. */
  async #expireIfDue(requestId: string): Promise<void> {
    const { state, expiresAt } = await this.request(requestId)
    if (state === 'pending' && expiresAt !== null && Date.parse(expiresAt) <= this.#deps.clock.now())
      await this.#expire(requestId)
  }

  async answer(requestId: string, answer: Answer, actor: Actor): Promise<InboxRequest> {
    const { grantFor, clock, journal } = this.#deps
    // An answer to what is not parked yet would be lost with the turn that has asked.
    await this.#deps.recovered?.((await this.request(requestId)).sessionId)
    await this.#expireIfDue(requestId)
    const request = await this.request(requestId)
    // Idempotent: a retry is evaluated at the time of the first attempt.
    const now = request.resolution?.at ?? new Date(clock.now()).toISOString()
    const draft = draftOfAnswer(request, answer, actor, { grantFor, now })
    if (request.state === 'pending') await this.#refuseUnheld(request)
    const key = keyOf(actor, answer)
    const once = key ? { once: { scope: `answers:${requestId}`, value: requestId, ...key } } : {}
    try {
      await journal.append(request.sessionId, [draft], { ...once, waitMs: CLIENT_WAIT_MS })
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error
      const { why } = error
      if (why.kind !== 'key_used' || !why.isSame) throw alreadyResolved(await this.request(requestId))
    }
    return this.request(requestId)
  }

  /** A request of a terminal is answered there, unless its hook waits for our answer. */
  async #refuseUnheld({ id, sessionId }: InboxRequest): Promise<void> {
    if (this.#deps.isHeld?.(id)) return
    if ((await this.#deps.journal.session(sessionId))?.kind !== 'observed') return
    throw new HubError('request_not_held', `Request ${id} can be answered only in its terminal.`, {
      requestId: id,
    })
  }

  async park(sessionId: string, reason: string): Promise<void> {
    const pending = await this.#pending(sessionId)
    for (const { id } of pending) this.#waiting.get(id)?.leave()
    const unparked = pending.filter(({ isParked }) => !isParked)
    await Promise.all(unparked.map(({ id }) => this.#park(sessionId, id, reason)))
  }

  async #park(sessionId: string, requestId: string, reason: string): Promise<void> {
    const { journal } = this.#deps
    try {
      await journal.append(sessionId, [{ type: 'request.parked', data: { requestId, reason } }])
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error
      // Race: the answer was quicker, and nothing waits for it any more.
      const { resolution } = await this.request(requestId)
      if (resolution?.by === 'person') await this.parkAnswered(sessionId, [requestId], reason)
    }
  }

  async parkAnswered(sessionId: string, requestIds: readonly string[], reason: string): Promise<void> {
    for (const requestId of requestIds)
      await this.#append(sessionId, { type: 'request.parked', data: { requestId, reason, answered: true } })
  }

  async lapse(sessionId: string, why: string | Reason): Promise<void> {
    const { reason: text } = explained(why)
    const { parkedRequests = [] } = (await this.#deps.store.session(sessionId)) ?? {}
    for (const requestId of parkedRequests) {
      const { state, title, resolution } = await this.request(requestId)
      if (state === 'pending') await this.#decide(sessionId, requestId, 'shutdown', why)
      else
        await this.#append(
          sessionId,
          { type: 'request.lapsed', data: { requestId, reason: text } },
          // The user must not wait for what will not happen.
          ...(resolution?.by === 'person' ? [unusedNotice(title, text)] : []),
        )
    }
  }

  async withdraw(sessionId: string, why: string | Reason): Promise<void> {
    const pending = await this.#pending(sessionId)
    await Promise.all(pending.map(({ id }) => this.#decide(sessionId, id, 'shutdown', why)))
    await this.lapse(sessionId, why)
  }

  #pending(sessionId: string): Promise<InboxRequest[]> {
    return this.requests({ sessionId, state: 'pending' })
  }

  /** Denies a request without an answer of the user. */
  async #decide(sessionId: string, requestId: string, by: DecidedBy, why: string | Reason): Promise<void> {
    const data = denial(requestId, by, why)
    await this.#append(
      sessionId,
      'answers' in data ? { type: 'question.resolved', data } : { type: 'permission.resolved', data },
    )
  }

  /** Race: losing to another client is fine. */
  async #append(sessionId: string, ...drafts: EventDraft[]): Promise<void> {
    await this.#deps.journal.append(sessionId, drafts).catch(unlessRefused)
  }

  async request(id: string): Promise<InboxRequest> {
    const request = await this.#deps.store.request(id)
    if (request) return request
    throw notFound(id)
  }

  async find(idOrToolUseId: string): Promise<InboxRequest> {
    if (RequestId.safeParse(idOrToolUseId).success) return this.request(idOrToolUseId)
    // Ids of permissions and questions are sorted apart.
    const found = (await this.requests({ toolUseId: idOrToolUseId })).toSorted((one, other) =>
      one.requestedAt < other.requestedAt ? -1 : 1,
    )
    const newest = found.findLast(({ state }) => state === 'pending') ?? found.at(-1)
    if (newest) return newest
    throw notFound(idOrToolUseId)
  }

  requests(filter: RequestFilter): Promise<InboxRequest[]> {
    return this.#deps.store.requests(filter)
  }

  pending(sessionId?: string): AsyncIterable<InboxRequest> {
    return pendingRequests(this.#deps.store, sessionId)
  }

  close(): void {
    this.#isClosed = true
    this.#subscription.close()
    this.#expiry.close()
  }
}

function unusedNotice(title: string, reason: string): EventDraft {
  const text = `Your answer to "${title}" was not used. ${reason}`
  return { type: 'notice.raised', data: { level: 'warning', topic: 'answer_unused', text } }
}

function notFound(id: string): HubError {
  return new HubError(
    'request_not_found',
    `No request ${id}. List pending requests with "signalbox inbox".`,
    {
      requestId: id,
    },
  )
}

function unlessRefused(error: unknown): null {
  if (error instanceof AppendRefused) return null
  throw error
}

/** The digest of the input that an answer is bound to. */
function digestOf(input: unknown): string {
  return digest(JSON.stringify(input) ?? '')
}

/** Words that are not ours have no code. */
function explained(why: string | Reason): { reason: string; reasonParts?: ReasonPart[] } {
  return typeof why === 'string' ? { reason: why } : saying(why)
}

function denial(requestId: string, by: DecidedBy, why: string | Reason): Resolution {
  const said = explained(why)
  const nobody = { requestId, by, who: null, via: null, ...said }
  if (requestId.startsWith('que_')) return { ...nobody, answers: null }
  return { ...nobody, decision: 'deny', rule: null, message: said.reason }
}

/** The answer as it was stored. */
function resolutionOf({ id: requestId, resolution }: InboxRequest): Resolution {
  const { at: _, ...rest } = resolution ?? { at: '' }
  return { requestId, ...rest } as Resolution // It was made from one.
}

function alreadyResolved({ id, resolution }: InboxRequest): HubError {
  const by = resolution?.who ?? resolution?.by ?? 'another client'
  const from = resolution?.via ? ` from ${PLACES[resolution.via]}` : ''
  const at = resolution ? ` at ${resolution.at}` : ''
  return new HubError(
    'request_already_resolved',
    `Request ${id} was already answered by ${by}${from}${at}.`,
    {
      requestId: id,
      resolution,
    },
  )
}

const PLACES: Readonly<Record<Actor['via'], string>> = {
  dashboard: 'the dashboard',
  cli: 'the command line',
  api: 'the API',
  library: 'a program',
  agent: 'an agent',
  terminal: 'the terminal',
}
