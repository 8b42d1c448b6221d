/**
 * A reader of the journal that continues after a restart where it stopped: its cursor is in the database. Each event is
 * handled at least once, in order. Records of the handler are saved in one transaction with the cursor, so that state
 * derived from events is neither lost nor counted twice by a crash.
 */

import { retryDelay } from '../lib/back-off.js'
import type { Clock } from '../lib/clock.js'
import type { EventType } from '../protocol/event/event.js'
import type { StoredEvent } from '../store/port/append.js'
import type { RecordChange } from '../store/port/record.js'
import type { EventGap, Store } from '../store/port.js'
import type { Journal } from './journal.js'

export interface DurableSubscriberOptions {
  /** Of its cursor. */
  name: string
  journal: Journal
  store: Pick<Store, 'record' | 'saveRecords' | 'lastPosition'>
  clock: Clock
  types: readonly EventType[]
  /** Resolves with records to save together with the cursor. A rejection is retried with back-off. */
  handle(items: readonly StoredEvent[]): Promise<readonly RecordChange[]>
  /** The changes of a batch, and the cursor behind it, are durable. */
  onSaved?(): void
  /** Events were trimmed before they could be handled. */
  onGap?(gap: EventGap): void
  onFault(error: unknown): void
}

export interface DurableSubscriber {
  /** Waits for the batch that is being handled. Idempotent. */
  close(): Promise<void>
}

const CURSOR = 'cursor'
const MAX_BATCH = 100
const MAX_QUEUED = 500
/** Events of other types that may pass before the cursor is saved: a restart scans at most these again. */
const SAVE_EVERY = 5_000

/** A subscriber without a cursor begins with the next event. */
export async function followDurably(options: DurableSubscriberOptions): Promise<DurableSubscriber> {
  const { name, store } = options
  let position = positionIn(await store.record(CURSOR, name))
  if (position === null) {
    position = await store.lastPosition()
    await store.saveRecords([cursorAt(name, position)], { isPatient: true })
  }
  return new Reader(options, position)
}

/** Deletes the cursor: the next subscriber of this name begins anew. */
export function forgetCursor(name: string): RecordChange {
  return { kind: CURSOR, id: name, body: null }
}

class Reader implements DurableSubscriber {
  readonly #options: DurableSubscriberOptions
  readonly #types: ReadonlySet<string>
  readonly #subscription: { close(): void }
  #queue: StoredEvent[] = []
  #position: number
  #saved: number
  #running: Promise<void> | null = null
  #onDrained: (() => void) | null = null
  #endPause: (() => void) | null = null
  #isClosed = false

  constructor(options: DurableSubscriberOptions, position: number) {
    this.#options = options
    this.#types = new Set(options.types)
    this.#position = position
    this.#saved = position
    this.#subscription = options.journal.subscribe({
      after: position,
      types: options.types,
      deliver: (items) => this.#add(items.filter((item) => item.position !== undefined)),
      isFull: () => this.#queue.length > MAX_QUEUED,
      ready: () => this.#drained(),
      ...(options.onGap && { onGap: options.onGap }),
      onError: options.onFault,
    })
  }

  #add(items: readonly StoredEvent[]): void {
    for (const item of items) {
      if (this.#types.has(item.event.type)) this.#queue.push(item)
      else if (this.#queue.length === 0 && !this.#running) this.#position = item.position
    }
    if (this.#queue.length > 0 || this.#position - this.#saved >= SAVE_EVERY)
      this.#running ??= this.#run().catch(this.#options.onFault)
  }

  /** Backpressure: the journal reads no further page before the queue is empty. */
  #drained(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onDrained = resolve
    })
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#isClosed; ) {
      const batch = this.#queue.slice(0, MAX_BATCH)
      if (batch.length === 0 && this.#position - this.#saved < SAVE_EVERY) break
      try {
        await this.#handle(batch)
        failures = 0
      } catch (error) {
        // A handler that is cancelled by its owner fails as well.
        if (this.#isClosed) break
        if (failures === 0) this.#options.onFault(error)
        failures += 1
        await this.#pause(retryDelay(failures))
      }
    }
    this.#running = null
    this.#onDrained?.()
    this.#onDrained = null
  }

  async #handle(batch: readonly StoredEvent[]): Promise<void> {
    const { name, store, handle, onSaved } = this.#options
    const position = batch.at(-1)?.position ?? this.#position
    const changes = batch.length > 0 ? await handle(batch) : []
    // A kill is simulated by closing: nothing may be saved for a reader that is gone.
    if (this.#isClosed) return
    // A cursor alone is not worth waiting for the disk: after a power cut the same events are handled again.
    const isQuick = changes.length === 0
    await store.saveRecords([...changes, cursorAt(name, position)], { isPatient: true, isQuick })
    this.#queue = this.#queue.slice(batch.length)
    this.#position = position
    this.#saved = position
    onSaved?.()
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#subscription.close()
    this.#endPause?.()
    await this.#running
  }
}

function cursorAt(name: string, position: number): RecordChange {
  return { kind: CURSOR, id: name, body: { position } }
}

function positionIn(body: unknown): number | null {
  const { position } = (body ?? {}) as { position?: unknown }
  return typeof position === 'number' ? position : null
}
