/** Notifies one MCP client of changes of its resources: coalesced, and never more than it reads. */

import type { Journal } from '../../journal/journal.js'
import type { Clock } from '../../lib/clock.js'
import { HubError } from '../../protocol/error.js'
import { changedBy, placeOf } from './resources.js'

const MAX_SUBSCRIPTIONS = 50
/** Changes of a resource within this time are one notification. */
const COALESCE_MS = 250

export interface SubscriptionsDeps {
  journal: Pick<Journal, 'subscribe'>
  clock: Clock
  /** Backpressure: false without a listener, or while it reads too slowly. Then changes wait, each once. */
  canNotify(): boolean
  notify(uri: string): void
}

export class Subscriptions {
  readonly #deps: SubscriptionsDeps
  readonly #uris = new Set<string>()
  readonly #changed = new Set<string>()
  #subscription: { close(): void } | null = null
  #cancelFlush: (() => void) | null = null

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps
  }

  add(uri: string): void {
    placeOf(uri)
    if (!this.#uris.has(uri) && this.#uris.size >= MAX_SUBSCRIPTIONS)
      throw new HubError('requests_limited', `A client can subscribe to ${MAX_SUBSCRIPTIONS} resources.`)
    this.#uris.add(uri)
    this.#subscription ??= this.#deps.journal.subscribe({
      deliver: (items) => {
        for (const item of items)
          for (const changed of changedBy(item)) if (this.#uris.has(changed)) this.#changed.add(changed)
        this.flushSoon()
      },
    })
  }

  remove(uri: string): void {
    this.#uris.delete(uri)
    this.#changed.delete(uri)
    if (this.#uris.size === 0) this.close()
  }

  /** Also called when the client listens again. */
  flushSoon(): void {
    if (this.#changed.size === 0 || this.#cancelFlush) return
    this.#cancelFlush = this.#deps.clock.after(COALESCE_MS, () => {
      this.#cancelFlush = null
      if (!this.#deps.canNotify()) return
      const changed = [...this.#changed]
      this.#changed.clear()
      for (const uri of changed) this.#deps.notify(uri)
    })
  }

  close(): void {
    this.#subscription?.close()
    this.#subscription = null
    this.#cancelFlush?.()
    this.#cancelFlush = null
    this.#changed.clear()
  }
}
