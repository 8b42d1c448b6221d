/**
 * Hooks in terminals that wait for a remote answer. Each holds the request of the line that it wrote. The terminal's
 * dialog stays open meanwhile, and the first answer wins.
 */

import { AppendRefused, type Journal } from '../../journal/journal.js'
import type { Clock } from '../../lib/clock.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Store } from '../../store/port.js'
import { hookAnswer } from '../hook/hook-answer.js'
import { requestIdOf } from './to-request-events.js'

export interface HeldRequestsDeps {
  journal: Journal
  store: Store
  clock: Clock
  /** Events behind this position are followed. */
  after: number
  /** Maximum number of waiting hooks. */
  limit?: number
  onFault(error: unknown): void
}

const LIMIT = 200
/** Page size for reading requests. */
const PAGE = 200
/** Timeout for a request to appear in the log after its line. */
const APPEAR_MS = 5_000

/** Logged as events, because every client must see whether a request can be answered remotely. */
type HoldEvent = 'request.held' | 'request.released'

interface Held {
  /** Reads the request again. */
  look(): void
  release(): void
}

export class HeldRequests {
  readonly #deps: HeldRequestsDeps
  readonly #held = new Map<string, Held>()
  readonly #subscription: { close(): void }
  readonly #telling = new Set<Promise<void>>()

  constructor(deps: HeldRequestsDeps) {
    this.#deps = deps
    this.#subscription = deps.journal.subscribe({
      after: deps.after,
      onError: deps.onFault,
      deliver: (items) => {
        for (const { event } of items) {
          if ('requestId' in event.data) this.#held.get(bodyOf(event.data.requestId))?.look()
        }
      },
    })
  }

  /** After a crash: releases requests that a killed daemon left as held. */
  async releaseLost(): Promise<void> {
    const { store } = this.#deps
    for (let after = ''; ; ) {
      const page = await store.requests({ state: 'pending', after, limit: PAGE })
      for (const request of page) await this.#releaseIfLost(request)
      const last = page.at(-1)
      if (!last) return
      after = last.id
    }
  }

  async #releaseIfLost(request: InboxRequest): Promise<void> {
    if (request.isOnlyInTerminal || this.isHeld(request.id)) return
    if ((await this.#deps.store.session(request.sessionId))?.kind === 'observed')
      await this.#append(request, 'request.released')
  }

  /** Whether a hook waits for the answer to a request. */
  isHeld(requestId: string): boolean {
    return this.#held.has(bodyOf(requestId))
  }

  /** Resolves with the output of the hook; null if it prints nothing. `signal` aborts when the hook disconnects. */
  hold(lineId: string, signal: AbortSignal): Promise<string | null> {
    const { clock, limit = LIMIT } = this.#deps
    const ids = (['per', 'que'] as const).flatMap((kind) => requestIdOf(kind, lineId) ?? [])
    const key = bodyOf(ids[0] ?? '')
    // Two hooks for the same line: the later one is alive.
    this.#held.get(key)?.release()
    if (ids.length === 0 || signal.aborted || this.#held.size >= limit) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      let seen: InboxRequest | null = null
      const stopTimer = clock.after(APPEAR_MS, () => seen ?? finish(null))
      const finish = (answer: string | null) => {
        stopTimer()
        signal.removeEventListener('abort', release)
        if (this.#held.get(key) === held) {
          this.#held.delete(key)
          if (seen?.state === 'pending') this.#tell(seen, 'request.released')
        }
        resolve(answer)
      }
      const release = () => finish(null)
      const look = () => {
        this.#find(ids).then((request) => {
          if (request && !seen) this.#tell(request, 'request.held')
          seen = request ?? seen
          if (request?.state === 'resolved') finish(hookAnswer(request))
        }, reject)
      }
      const held = { look, release }
      this.#held.set(key, held)
      signal.addEventListener('abort', release)
      look()
    })
  }

  #tell(request: InboxRequest, type: HoldEvent): void {
    const told = this.#append(request, type)
      .catch(this.#deps.onFault)
      .finally(() => this.#telling.delete(told))
    this.#telling.add(told)
  }

  async #append({ id: requestId, sessionId }: InboxRequest, type: HoldEvent): Promise<void> {
    try {
      await this.#deps.journal.append(sessionId, [{ type, data: { requestId } }])
    } catch (error) {
      // Race: it was answered meanwhile.
      if (!(error instanceof AppendRefused) || error.why.kind !== 'request_not_pending') throw error
    }
  }

  async #find(ids: readonly string[]): Promise<InboxRequest | null> {
    for (const id of ids) {
      const request = await this.#deps.store.request(id)
      if (request) return request
    }
    return null
  }

  async close(): Promise<void> {
    this.#subscription.close()
    for (const held of this.#held.values()) held.release()
    await Promise.all(this.#telling)
  }
}

/** The permission and the question of a line differ only in the prefix of their ids. */
function bodyOf(requestId: string): string {
  return requestId.slice(requestId.indexOf('_') + 1)
}
