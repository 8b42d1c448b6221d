/** Answers that must not be lost: kept while the daemon can not be reached, and sent again until it has taken or refused them. */

import { HubError } from '../protocol/error.js'
import type { Answer, Request } from '../protocol/request.js'
import type { Client } from './client.js'

export interface AnswerQueueOptions {
  /** Keeps them over a reload of the page; `localStorage` fits. */
  storage?: { getItem(key: string): string | null; setItem(key: string, value: string): void }
  /** The list of requests that wait to be sent has changed. */
  onChange?(requestIds: readonly string[]): void
  /** What became of an answer that was kept from before. */
  onSettled?(requestId: string, outcome: { request: Request } | { error: HubError }): void
}

interface Kept {
  requestId: string
  answer: Answer
}

const STORAGE_KEY = 'signalbox-answers'
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 5_000

export class AnswerQueue {
  readonly #client: Pick<Client, 'answerRequest'>
  readonly #options: AnswerQueueOptions
  readonly #closed = new AbortController()
  #kept: Kept[]

  constructor(client: Pick<Client, 'answerRequest'>, options: AnswerQueueOptions = {}) {
    this.#client = client
    this.#options = options
    this.#kept = this.#load()
    for (const { requestId, answer } of this.#kept) {
      this.#deliver(requestId, answer).then(
        (request) => options.onSettled?.(requestId, { request }),
        (error: unknown) => {
          if (error instanceof HubError) options.onSettled?.(requestId, { error })
        },
      )
    }
  }

  /** Requests whose answers are on their way. */
  get waiting(): readonly string[] {
    return this.#kept.map(({ requestId }) => requestId)
  }

  /** Resolves when the answer counts; rejects when it is refused, as when somebody was quicker. */
  answer(requestId: string, answer: Answer): Promise<Request> {
    // Sent twice, it is one answer.
    const keyed = { idempotencyKey: crypto.randomUUID(), ...answer }
    this.#change([...this.#kept, { requestId, answer: keyed }])
    return this.#deliver(requestId, keyed)
  }

  /** Sends nothing more. What is kept in a storage is sent by the next one. */
  close(): void {
    this.#closed.abort()
  }

  async #deliver(requestId: string, answer: Answer): Promise<Request> {
    for (let failures = 0; ; failures += 1) {
      this.#closed.signal.throwIfAborted()
      try {
        const { request } = await this.#client.answerRequest({ params: { id: requestId }, body: answer })
        this.#forget(answer)
        return request
      } catch (error) {
        if (!(error instanceof HubError) || error.code !== 'daemon_unreachable') {
          this.#forget(answer)
          throw error
        }
      }
      await this.#pause(Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS))
    }
  }

  #forget(answer: Answer): void {
    this.#change(this.#kept.filter((kept) => kept.answer !== answer))
  }

  #change(kept: Kept[]): void {
    this.#kept = kept
    this.#options.storage?.setItem(STORAGE_KEY, JSON.stringify(kept))
    this.#options.onChange?.(this.waiting)
  }

  #load(): Kept[] {
    try {
      // Written by this class; whatever else is found there is no list.
      const value = JSON.parse(this.#options.storage?.getItem(STORAGE_KEY) ?? '[]') as Kept[]
      return Array.isArray(value) ? value : []
    } catch {
      return []
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#closed.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}
