/**
 * Replays a stored list from a cursor, then follows what is added to it: every item once, in order, without a gap.
 * While it replays, new items wait in a bounded buffer; what does not fit is read from the store instead.
 */

const BUFFER_LIMIT = 1_000

export interface FollowerOptions<Item> {
  after: number
  /** The place of a stored item; null for one that only passes by and is not seen before the follower is live. */
  cursorOf(item: Item): number | null
  /** A page of stored items behind the cursor, oldest first; empty at the end. */
  read(after: number): Promise<readonly Item[]>
  deliver(items: readonly Item[]): void
  /** Resolves when the reader can take more; a replay waits for it before each page. */
  ready?: (() => Promise<void>) | undefined
  /** Backpressure: asked after each live delivery. A reader that is full goes back to the store, and catches up when it is ready. */
  isFull?: (() => boolean) | undefined
  /** Called when everything stored has been delivered and what comes next is live; again after each catching up. */
  onLive?(): void
  onError(error: unknown): void
}

export class Follower<Item> {
  readonly #options: FollowerOptions<Item>
  #cursor: number
  #buffer: Item[] = []
  #hasOverflowed = false
  /** For a reader that is full: nothing is kept for it meanwhile, since the store has it all. */
  #isWaiting = false
  #state: 'replaying' | 'live' | 'closed' = 'replaying'

  constructor(options: FollowerOptions<Item>) {
    this.#options = options
    this.#cursor = options.after
    this.#start()
  }

  #start(): void {
    this.#state = 'replaying'
    this.#replay().catch((error: unknown) => {
      if (this.#state === 'closed') return
      this.close()
      this.#options.onError(error)
    })
  }

  /** Hands over items that were just stored or pass by, in order. */
  push(items: readonly Item[]): void {
    if (this.#state === 'live') {
      this.#deliver(items)
      if (this.#options.isFull?.()) this.#start()
      return
    }
    if (this.#state === 'closed' || this.#isWaiting) return
    for (const item of items) if (this.#options.cursorOf(item) !== null) this.#buffer.push(item)
    if (this.#buffer.length <= BUFFER_LIMIT) return
    this.#buffer = []
    this.#hasOverflowed = true
  }

  close(): void {
    this.#state = 'closed'
    this.#buffer = []
  }

  async #replay(): Promise<void> {
    while (this.#state === 'replaying') {
      if (this.#options.ready) await this.#untilReady(this.#options.ready)
      this.#hasOverflowed = false
      const page = await this.#options.read(this.#cursor)
      if (this.#state !== 'replaying') return
      this.#deliver(page)
      if (page.length > 0 || this.#hasOverflowed) continue
      this.#goLive()
    }
  }

  async #untilReady(ready: () => Promise<void>): Promise<void> {
    this.#buffer = []
    this.#isWaiting = true
    try {
      await ready()
    } finally {
      this.#isWaiting = false
    }
  }

  /** The page was empty and the buffer holds all that came since it was asked for. */
  #goLive(): void {
    const waiting = this.#buffer
    this.#buffer = []
    this.#deliver(waiting)
    if (this.#state !== 'replaying') return
    this.#state = 'live'
    this.#options.onLive?.()
  }

  #deliver(items: readonly Item[]): void {
    let fresh: Item[] = []
    for (const item of items) {
      const cursor = this.#options.cursorOf(item)
      if (cursor === null || cursor > this.#cursor) {
        this.#cursor = cursor ?? this.#cursor
        fresh.push(item)
      } else {
        // This item was read from the store already: what passed by before it is as old.
        fresh = []
      }
    }
    if (fresh.length > 0) this.#options.deliver(fresh)
  }
}
