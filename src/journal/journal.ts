/** The one door for events: checked, stamped, stored, and only then published. */

import type { Clock } from '../lib/clock.js'
import { FairQueue } from '../lib/fair-queue.js'
import type { IdSource } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import { type Delta, type DeltaDraft, EventDraft, type SessionEvent } from '../protocol/event/event.js'
import type { Session, StreamingBlock } from '../protocol/session.js'
import { isStorageProblem } from '../protocol/storage.js'
import { partialAfter, partialAsDelta } from '../protocol/view/streaming-block.js'
import type { AppendGroup, AppendResult, Refusal } from '../store/port/append.js'
import type { Store } from '../store/port.js'
import { type Published, type SubscribeOptions, Subscriber } from './subscriber.js'

/** An append that the store refused, for a reason that the caller may expect. */
export class AppendRefused extends Error {
  readonly why: Refusal

  constructor(why: Refusal) {
    super(`The append was refused: ${why.kind}`)
    this.name = 'AppendRefused'
    this.why = why
  }
}

export type { Published } from './subscriber.js'

export interface AppendOptions
  extends Pick<AppendGroup, 'once' | 'from' | 'alongside' | 'isRepeatable' | 'resume'> {
  /** The time of the events, if they are recorded later than they happened: of all, or of each. Default: now. */
  at?: string | readonly string[]
  /**
   * Something of the past: stored, and published to subscribers of this session alone. Subscribers to all sessions,
   * such as notifications, do not get it.
   */
  isPast?: true
  /**
   * How long it may wait while nothing can be stored: then it is withdrawn, and rejects with `storage_unavailable`.
   * Without it: until it is stored.
   */
  waitMs?: number
  /** Of the drafts, where a runner in a process of its own has named them. */
  ids?: readonly string[]
}

export interface Journal {
  /**
   * Resolves when the events are stored and published. Events of one session keep the order of the calls. Events
   * that the disk refuses are kept and retried; beyond a bound no more are accepted (`storage_unavailable`).
   */
  append(sessionId: string, drafts: readonly EventDraft[], options?: AppendOptions): Promise<SessionEvent[]>
  /** Publishes a fragment behind everything that was handed in before it. */
  publish(sessionId: string, draft: DeltaDraft): void
  /** Replays from a cursor, then follows: no gap, no duplicate. Fragments come only once it has caught up. */
  subscribe(options: SubscribeOptions): { close(): void }
  /** Null while events are stored. Otherwise resolves when it is worth looking again: read nothing more until then. */
  whenStoring(): Promise<void> | null
  /** The snapshot, with what is being written right now. */
  session(id: string): Promise<Session | null>
  /** Waits for what was handed in. Afterwards nothing is published. */
  close(): Promise<void>
}

export function createJournal(deps: { store: Store; clock: Clock; ids: IdSource }): Journal {
  return new StoreJournal(deps)
}

/** The same journal for clients, who can be refused: their appends wait for a store that cannot write this long. */
export function impatient(journal: Journal, waitMs: number): Journal {
  return {
    append: (sessionId, drafts, options) =>
      journal.append(sessionId, drafts, { waitMs, ...options }).catch((error: unknown) => {
        throw clientError(error, sessionId)
      }),
    publish: (sessionId, draft) => journal.publish(sessionId, draft),
    subscribe: (options) => journal.subscribe(options),
    whenStoring: () => journal.whenStoring(),
    session: (id) => journal.session(id),
    close: () => journal.close(),
  }
}

/** Race: the session was deleted since the client's request was checked. */
export function clientError(error: unknown, sessionId: string): unknown {
  if (!(error instanceof AppendRefused) || error.why.kind !== 'session_unknown') return error
  return new HubError('session_not_found', `Session ${sessionId} was deleted.`, { sessionId })
}

interface AppendEntry {
  kind: 'append'
  group: AppendGroup
  isPast: boolean
  /** By the clock that only runs forward. */
  until: number
  resolve(events: SessionEvent[]): void
  reject(error: unknown): void
}

type Entry = AppendEntry | { kind: 'delta'; delta: Delta }

/** Limits of the buffer for events while the store cannot be written. */
const MAX_KEPT = 20_000
const MAX_KEPT_BYTES = 64 << 20

class StoreJournal implements Journal {
  readonly #store: Store
  readonly #clock: Clock
  readonly #ids: IdSource
  readonly #subscribers = new Set<Subscriber>()
  readonly #partials = new Map<string, StreamingBlock>()
  readonly #turnstile = new FairQueue()
  #waiting: Entry[] = []
  /** The running flush; entries that arrive meanwhile share the next commit. */
  #flushing: Promise<void> | null = null
  #isCommitting = false
  /** Why nothing can be stored now. */
  #stalled: HubError | null = null
  #keptBytes = 0

  constructor({ store, clock, ids }: { store: Store; clock: Clock; ids: IdSource }) {
    this.#store = store
    this.#clock = clock
    this.#ids = ids
  }

  append(
    sessionId: string,
    drafts: readonly EventDraft[],
    { at = this.#now(), waitMs, isPast, ids, ...options }: AppendOptions = {},
  ): Promise<SessionEvent[]> {
    return new Promise((resolve, reject) => {
      const stamped = drafts.map((draft, index) => {
        const time = typeof at === 'string' ? at : (at[index] ?? this.#now())
        return { ...EventDraft.parse(draft), id: ids?.[index] ?? this.#ids.next('evt'), at: time }
      })
      if (this.#stalled) this.#refuseBeyondLimit(stamped, this.#stalled)
      const until = waitMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + waitMs
      const group = { sessionId, drafts: stamped, ...options }
      this.#enqueue({ kind: 'append', group, isPast: isPast === true, until, resolve, reject })
    })
  }

  /** Called only while the store cannot write: counting takes as long as storing does. */
  #refuseBeyondLimit(drafts: readonly unknown[], stalled: HubError): void {
    this.#keptBytes += JSON.stringify(drafts).length
    if (this.#waiting.length >= MAX_KEPT || this.#keptBytes > MAX_KEPT_BYTES) throw stalled
  }

  whenStoring(): Promise<void> | null {
    return this.#stalled ? this.#store.storage.nextTry() : null
  }

  publish(sessionId: string, draft: DeltaDraft): void {
    const delta: Delta = { ...draft, sessionId, at: this.#now() }
    if (this.#flushing) this.#enqueue({ kind: 'delta', delta })
    else this.#publish([{ event: delta }])
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString()
  }

  #enqueue(entry: Entry): void {
    this.#waiting.push(entry)
    this.#flushing ??= this.#flush()
  }

  async #flush(): Promise<void> {
    // One turn of the event loop: everything that is appended in it shares one commit.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const entries = this.#waiting
      this.#waiting = []
      await this.#commit(entries)
    }
    this.#flushing = null
  }

  async #commit(entries: readonly Entry[]): Promise<void> {
    let rest = entries
    for (;;) {
      const appends = rest.filter((entry) => entry.kind === 'append')
      try {
        this.#isCommitting = true
        // Batch: all that waits is one commit.
        const results =
          appends.length > 0 ? await this.#store.append(appends.map((entry) => entry.group)) : []
        this.#isCommitting = false
        this.#stalled = null
        this.#keptBytes = 0
        this.#settle(rest, results)
        return
      } catch (error) {
        this.#isCommitting = false
        if (!isStorageProblem(error)) return this.#commitAlone(rest, error)
        this.#stalled = error
        rest = await this.#waitFor(rest, error)
      }
    }
  }

  /** Backpressure: events that could not be stored stay ahead of later ones. Resolves with those that still wait. */
  async #waitFor(entries: readonly Entry[], error: HubError): Promise<readonly Entry[]> {
    const next = this.#store.storage.nextTry()
    await next
    const isExpired = (entry: Entry) =>
      entry.kind === 'append' && (next === null || entry.until <= performance.now())
    const [kept, expired] = split(entries, isExpired)
    const [waiting, late] = split(this.#waiting, isExpired)
    this.#waiting = waiting
    for (const entry of [...expired, ...late]) if (entry.kind === 'append') entry.reject(error)
    return kept
  }

  /** One that cannot be stored at all does not take the others of its commit with it. */
  async #commitAlone(entries: readonly Entry[], error: unknown): Promise<void> {
    const [only, ...more] = entries
    if (more.length > 0) {
      for (const entry of entries) await this.#commit([entry])
    } else if (only?.kind === 'append') only.reject(error)
  }

  #settle(entries: readonly Entry[], results: readonly AppendResult[]): void {
    const published: Published[] = []
    const past: Published[] = []
    const settle: (() => void)[] = []
    let next = 0
    for (const entry of entries) {
      if (entry.kind === 'delta') {
        published.push({ event: entry.delta })
        continue
      }
      const result = results[next++]
      if (result?.kind === 'stored') {
        for (const stored of result.events) (entry.isPast ? past : published).push(stored)
        settle.push(() => entry.resolve(result.events.map((stored) => stored.event)))
      } else if (result) {
        settle.push(() => entry.reject(new AppendRefused(result.why)))
      }
    }
    this.#publish(published)
    for (const subscriber of this.#subscribers) subscriber.pushPast(past)
    for (const done of settle) done()
  }

  #publish(items: readonly Published[]): void {
    for (const { event } of items) {
      const partial = partialAfter(this.#partials.get(event.sessionId) ?? null, event)
      if (partial) this.#partials.set(event.sessionId, partial)
      else this.#partials.delete(event.sessionId)
    }
    for (const subscriber of this.#subscribers) subscriber.push(items)
  }

  subscribe(options: SubscribeOptions): { close(): void } {
    const subscriber = new Subscriber(
      options,
      this.#store,
      () => this.#partialsFor(options.sessionId),
      this.#turnstile,
    )
    this.#subscribers.add(subscriber)
    return {
      close: () => {
        this.#subscribers.delete(subscriber)
        subscriber.close()
      },
    }
  }

  /** The partial messages; null between a commit and its publication, when they would be stale. */
  #partialsFor(sessionId: string | undefined): Published[] | null {
    if (this.#isCommitting) return null
    const at = this.#now()
    return [...this.#partials]
      .filter(([id]) => sessionId === undefined || id === sessionId)
      .map(([id, partial]) => ({ event: partialAsDelta(id, at, partial) }))
  }

  async session(id: string): Promise<Session | null> {
    const session = await this.#store.session(id)
    return session && { ...session, partial: this.#partials.get(id) ?? null }
  }

  async close(): Promise<void> {
    while (this.#flushing) await this.#flushing
    for (const subscriber of this.#subscribers) subscriber.end()
    this.#subscribers.clear()
  }
}

function split<Item>(items: readonly Item[], isSecond: (item: Item) => boolean): [Item[], Item[]] {
  const parts: [Item[], Item[]] = [[], []]
  for (const item of items) parts[isSecond(item) ? 1 : 0].push(item)
  return parts
}
