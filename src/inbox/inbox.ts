/** The answering side of the inbox: lists requests, takes the first answer to each, and denies those whose time is up. */

import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { AppendRefused, type Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { HubError } from '../protocol/error.js'
import type { Grant } from '../protocol/event/request-event.js'
import { RequestId } from '../protocol/id.js'
import { reason as codedReason } from '../protocol/reason/reason.js'
import { type Answer, expiryOf, type InboxRequest } from '../protocol/request.js'
import type { Actor } from '../protocol/value.js'
import type { RequestFilter } from '../store/port/filter.js'
import { CLIENT_WAIT_MS, type Store } from '../store/port.js'
import { draftOfAnswer } from './answer.js'
import { Expiry } from './expiry.js'
import { keyOf } from './idempotency-key.js'
import { pendingRequests } from './pending.js'
import { deny } from './resolution.js'

export interface InboxDeps {
  journal: Journal
  store: Store
  clock: Clock
  /** Events behind this position are followed. */
  after: number
  /** The grant of `allowAll` where the request does not name one, or the user has changed the input: the exact call. */
  grantFor(tool: string, input: unknown): Grant
  /** Resolves when a session of the previous run is recovered. Rejects while nothing can be stored. */
  recovered?(sessionId: string): Promise<void>
  onFault(error: unknown): void
}

export interface Inbox {
  /**
   * Restarts the timeouts of requests that are pending since a previous run. With many requests it resolves before the last is
   * read.
   */
  start(): Promise<void>
  /**
   * The first answer wins; a later one gets an error that names the first. The same one again, by its
   * idempotency key, is the same answer.
   */
  answer(requestId: string, answer: Answer, actor: Actor): Promise<InboxRequest>
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

class JournalInbox implements Inbox {
  readonly #deps: InboxDeps
  readonly #expiry: Expiry
  readonly #subscription: { close(): void }
  #isClosed = false

  constructor(deps: InboxDeps) {
    this.#deps = deps
    this.#expiry = new Expiry(deps.clock, (id) => void this.#expire(id).catch(deps.onFault))
    this.#subscription = deps.journal.subscribe({
      after: deps.after,
      onError: deps.onFault,
      deliver: (items) => {
        for (const { event } of items) {
          if (event.type === 'permission.requested' || event.type === 'question.requested') {
            const expiresAt = expiryOf(event)
            if (expiresAt !== null) this.#expiry.add(event.data.requestId, expiresAt)
          }
          if (event.type === 'permission.resolved' || event.type === 'question.resolved')
            this.#expiry.remove(event.data.requestId)
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

  async #expire(requestId: string): Promise<void> {
    const { sessionId, requestedAt, expiresAt } = await this.request(requestId)
    const timeoutMs = Date.parse(expiresAt ?? requestedAt) - Date.parse(requestedAt)
    const code = requestId.startsWith('que') ? 'request.question-timeout' : 'request.timeout'
    const why = codedReason(code, { seconds: String(timeoutMs / 1000) })
    await deny(this.#deps.journal, sessionId, requestId, 'timeout', why)
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
    if (request.state === 'pending' && request.isOnlyInTerminal) throw notHeld(requestId)
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

/** A request of a terminal is answered there, unless its hook waits for our answer. */
function notHeld(requestId: string): HubError {
  return new HubError('request_not_held', `Request ${requestId} can be answered only in its terminal.`, {
    requestId,
  })
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
  acp: 'an editor',
  api: 'the API',
  library: 'a program',
  agent: 'an agent',
  terminal: 'the terminal',
  channel: 'a notification',
  mcp: 'an MCP client',
}
