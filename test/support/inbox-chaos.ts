/** Simulated users at an inbox, and a machine that fails. The replies that users got are kept, to be checked. */

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client/client.js'
import { HubError } from '../../src/protocol/error.js'
import { type Answer, applyToRequest, type InboxRequest } from '../../src/protocol/request.js'

/** The same numbers for the same seed. */
export function createRandom(seed: number) {
  let state = seed % 2_147_483_647 || 1
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return {
    next,
    chance: (percent: number) => next(100) < percent,
    fork: () => createRandom(next(2_147_483_646) + 1),
  }
}

export type Random = ReturnType<typeof createRandom>

/** The outcome of one attempt to answer. */
export interface Attempt {
  requestId: string
  who: string
  answer: Answer
  /** `accepted` and `refused` are the server's word; `unknown`: the connection was gone before it came. */
  outcome: 'accepted' | 'refused' | 'unknown'
  /** The winner, as named in the reply to the refused client. */
  winner?: string | null
}

export interface PersonOptions {
  name: string
  url: string
  token: string
  random: Random
  /** The answer of this user to a request. */
  answerTo(request: InboxRequest): Answer
}

/** A user with a page open: reads the inbox, follows the stream, answers requests, now and then twice. */
export class Person {
  readonly attempts: Attempt[] = []
  readonly #options: PersonOptions
  readonly #client: Client
  readonly #pending = new Map<string, InboxRequest>()
  readonly #leave = new AbortController()
  #page: AbortController | null = null
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: PersonOptions) {
    this.#options = options
    this.#client = createClient({ url: options.url, token: options.token })
  }

  start(): void {
    this.#running = Promise.all([this.#keepPageOpen(), this.#answerThings()])
  }

  async stop(): Promise<void> {
    this.#leave.abort()
    this.#page?.abort()
    await this.#running
  }

  get pending(): string[] {
    return [...this.#pending.keys()]
  }

  /** Throws the page away, as a reload or a lost connection does; another one begins from what the server says. */
  reload(): void {
    this.#page?.abort()
  }

  async #keepPageOpen(): Promise<void> {
    while (!this.#leave.signal.aborted) {
      const page = new AbortController()
      this.#page = page
      this.#pending.clear()
      const resolved = new Set<string>()
      const read = async () => {
        for (const request of await this.#readInbox())
          if (!resolved.has(request.id) && !page.signal.aborted) this.#pending.set(request.id, request)
      }
      const onState = (state: string) => {
        // Race: between two connections an event may have been missed, so the page reads again.
        if (state === 'live') read().catch(() => page.abort())
      }
      try {
        for await (const { event } of this.#client.events({ signal: page.signal, onState, deltas: false })) {
          if (event.type === 'permission.requested' || event.type === 'question.requested') {
            const request = applyToRequest(null, event)
            if (request && !resolved.has(request.id)) this.#pending.set(request.id, request)
          }
          if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
            resolved.add(event.data.requestId)
            this.#pending.delete(event.data.requestId)
          }
        }
      } catch {
        await wait(50)
      }
    }
  }

  async #readInbox(): Promise<InboxRequest[]> {
    const found: InboxRequest[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await this.#client.listRequests({
        query: { state: 'pending', limit: 100, ...(cursor !== undefined && { cursor }) },
      })
      found.push(...page.requests)
      if (page.nextCursor === null) return found
      cursor = page.nextCursor
    }
  }

  async #answerThings(): Promise<void> {
    const { random } = this.#options
    while (!this.#leave.signal.aborted) {
      const waiting = [...this.#pending.values()]
      const request = waiting[random.next(Math.max(1, waiting.length))]
      if (request) await this.#answer(request)
      await wait(5 + random.next(40))
    }
  }

  /** Retries until the server has replied: a user does not give up because the page does not react. */
  async #answer(request: InboxRequest): Promise<void> {
    const { random, answerTo } = this.#options
    const hasKey = random.chance(70)
    const answer = { ...answerTo(request), ...(hasKey && { idempotencyKey: randomUUID() }) }
    const taps = random.chance(25) ? 2 : 1
    for (let tries = 0; tries < 200 && !this.#leave.signal.aborted; tries += 1) {
      const outcomes = await Promise.all(Array.from({ length: taps }, () => this.#send(request, answer)))
      if (outcomes.some((outcome) => outcome !== 'unknown')) break
      await wait(100)
    }
    this.#pending.delete(request.id)
  }

  async #send(request: InboxRequest, answer: Answer): Promise<Attempt['outcome']> {
    const { name, url, token, random } = this.#options
    const told = { requestId: request.id, who: name, answer }
    const cut = new AbortController()
    const client = createClient({
      url,
      token,
      via: 'api',
      fetch: (target, init) => fetch(target, { ...init, signal: cut.signal }),
    })
    // The connection goes away while the answer is on its way, or on the way back.
    if (random.chance(8)) setTimeout(() => cut.abort(), random.next(6))
    try {
      await client.answerRequest({ params: { id: request.id }, body: answer })
      this.attempts.push({ ...told, outcome: 'accepted' })
      return 'accepted'
    } catch (error) {
      if (error instanceof HubError && error.code === 'request_already_resolved') {
        const resolution = error.details['resolution'] as { who: string | null }
        this.attempts.push({ ...told, outcome: 'refused', winner: resolution.who })
        return 'refused'
      }
      if (error instanceof HubError && error.code !== 'daemon_unreachable') throw error
      this.attempts.push({ ...told, outcome: 'unknown' })
      return 'unknown'
    }
  }
}
