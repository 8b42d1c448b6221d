/** A reader of the journal. */

import type { FairQueue } from '../lib/fair-queue.js'
import { Follower } from '../lib/follower.js'
import type { Delta, EventType } from '../protocol/event/event.js'
import type { StoredEvent } from '../store/port/append.js'
import type { Store } from '../store/port.js'

/** Events in one batch of a replay: few enough not to delay other clients. */
const PAGE = 100
const PAGE_BYTES = 512 * 1024

/** Something that subscribers see: a stored event with its position, or a passing fragment. */
export type Published = StoredEvent | { readonly position?: undefined; readonly event: Delta }

export interface SubscribeOptions {
  /** One session; without it, all. */
  sessionId?: string
  /** Goes on behind this `seq` (one session) or position (all). Without it: only what is new. */
  after?: number
  /** Skips reading other stored events. A hint: events of other types may still be delivered. Without it: all. */
  types?: readonly EventType[]
  /** Must not throw and must not wait. */
  deliver(items: readonly Published[]): void
  /** For a reader that may be slow; see `Follower`. */
  isFull?(): boolean
  /** Events after `after` were trimmed, or never existed; the subscriber continues at `next`. */
  onGap?(gap: { after: number; next: number }): void
  ready?(): Promise<void>
  onError?(error: unknown): void
  /** Everything that was stored has been delivered, and what comes next is live; again after each catching up. */
  onLive?(): void
  /** The journal is closed: nothing comes any more. */
  onEnd?(): void
}

/** One reader: a follower that replays the log, and what is being written as soon as it has caught up. */
export class Subscriber {
  readonly #sessionId: string | undefined
  readonly #follower: Follower<Published> | null
  readonly #options: SubscribeOptions
  readonly #partials: () => Published[]
  #owesPartials = false
  /** A gap is reported once. */
  #toldUpTo = 0
  #isClosed = false

  constructor(
    options: SubscribeOptions,
    store: Pick<Store, 'readAll' | 'readSession' | 'gapBehind'>,
    partials: () => Published[] | null,
    turnstile: FairQueue,
  ) {
    const { sessionId, after, types, deliver } = options
    this.#options = options
    this.#sessionId = sessionId
    this.#partials = () => partials() ?? []
    if (after === undefined) {
      this.#follower = null
      return
    }
    this.#follower = new Follower<Published>({
      after,
      cursorOf: ({ position, event }) => {
        if (position === undefined) return null
        return sessionId === undefined ? position : event.seq
      },
      read: async (cursor) => {
        // Fairness: many concurrent replays of a long log would starve all other clients.
        await turnstile.pass()
        const filter = { after: cursor, limit: PAGE, maxBytes: PAGE_BYTES, ...(types && { types }) }
        const gap = await store.gapBehind(sessionId, cursor)
        if (gap && gap.next > this.#toldUpTo) {
          this.#toldUpTo = gap.next
          options.onGap?.(gap)
        }
        return sessionId === undefined ? store.readAll(filter) : store.readSession(sessionId, filter)
      },
      deliver,
      isFull: options.isFull,
      ready: options.ready,
      onLive: () => {
        const known = partials()
        if (known) this.#deliver(known)
        else this.#owesPartials = true
        options.onLive?.()
      },
      onError: (error) => options.onError?.(error),
    })
  }

  push(items: readonly Published[]): void {
    if (this.#isClosed) return
    const wanted =
      this.#sessionId === undefined ? items : items.filter(({ event }) => event.sessionId === this.#sessionId)
    if (this.#follower) this.#follower.push(wanted)
    else this.#deliver(wanted)
    if (!this.#owesPartials) return
    this.#owesPartials = false
    this.#deliver(this.#partials())
  }

  /** Events of the past concern only a reader of their session. */
  pushPast(items: readonly Published[]): void {
    if (this.#sessionId !== undefined && items.length > 0) this.push(items)
  }

  #deliver(items: readonly Published[]): void {
    if (items.length > 0 && !this.#isClosed) this.#options.deliver(items)
  }

  close(): void {
    this.#isClosed = true
    this.#follower?.close()
  }

  /** Closes it from the journal's side. */
  end(): void {
    this.close()
    this.#options.onEnd?.()
  }
}
