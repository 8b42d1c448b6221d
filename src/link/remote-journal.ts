/**
 * The journal of a runner in a process of its own. The hub numbers and stores; here events are kept until the feed has shown
 * them. While no hub is there, what has happened counts as stored once the spool is on disk, so that a turn goes on;
 * what the hub may refuse waits for it.
 */

import { type AppendOptions, AppendRefused, type Journal, type Published } from '../journal/journal.js'
import { type SubscribeOptions, Subscriber } from '../journal/subscriber.js'
import type { Clock } from '../lib/clock.js'
import { FairQueue } from '../lib/fair-queue.js'
import type { IdSource } from '../lib/id.js'
import { type DeltaDraft, EventDraft, type SessionEvent } from '../protocol/event/event.js'
import type { Session, StreamingBlock } from '../protocol/session.js'
import { partialAfter, partialAsDelta } from '../protocol/view/streaming-block.js'
import type { StampedDraft } from '../store/port/append.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import type { StoredSecret } from '../store/port.js'
import type { Kept, ToHub, ToRunner } from './frame.js'
import { KnownSessions } from './known-sessions.js'
import type { Spool } from './spool.js'

/** Events that the hub may refuse, since users decide them as well. All others are facts. */
const CONDITIONAL =
  /^(?:session\.created|message\.(?:queued|delivered|cancelled)|permission\.resolved|question\.resolved|request\..*)$/

/** Backpressure: beyond this the output of the CLI is not read. */
const MAX_SPOOL_BYTES = 256 << 20
const MAX_WAITING_BYTES = 32 << 20
const LOOK_MS = 100

export interface RemoteJournalDeps {
  spool: Spool
  clock: Clock
  ids: IdSource
  store: Pick<RunnerStore, 'readAll' | 'readSession' | 'storage'>
  /** Bytes that the hub has not read. */
  waitingBytes(): number
  /** Null while no hub is there. */
  send(): ((frame: ToHub) => void) | null
  /** The snapshot as the hub has it; null where no hub is there, or it goes away. */
  askSession(id: string): Promise<{ session: Session | null } | null>
  /** Resolves when a hub is there. */
  whenConnected(): Promise<void>
  onFault(error: unknown): void
}

interface Waiting {
  entry: Kept
  /** Ids of drafts that the feed has not shown. */
  missing: Set<string>
  shown: SessionEvent[]
  isFact: boolean
  /** The caller went on while no hub was there. */
  isCounted: boolean
  resolve(events: SessionEvent[]): void
  reject(error: unknown): void
}

export class RemoteJournal implements Journal {
  readonly #deps: RemoteJournalDeps
  readonly #known = new KnownSessions()
  readonly #waiting = new Map<number, Waiting>()
  readonly #byId = new Map<string, Waiting>()
  readonly #subscribers = new Set<Subscriber>()
  readonly #partials = new Map<string, StreamingBlock>()
  readonly #turnstile = new FairQueue()
  #position: number | null = null
  #onEmpty: (() => void)[] = []

  constructor(deps: RemoteJournalDeps) {
    this.#deps = deps
    for (const entry of deps.spool.left)
      this.#keep(entry, { resolve: () => {}, reject: (error) => this.#faultUnlessRefused(error) })
  }

  /** How far the feed was seen; null before the first. */
  get position(): number | null {
    return this.#position
  }

  append(
    sessionId: string,
    drafts: readonly EventDraft[],
    { at = this.#now(), waitMs: _wait, ids: _ids, from: _from, ...options }: AppendOptions = {},
  ): Promise<SessionEvent[]> {
    return new Promise((resolve, reject) => {
      const { spool, ids, send } = this.#deps
      const stamped = drafts.map((draft, index) => {
        const time = typeof at === 'string' ? at : (at[index] ?? this.#now())
        return { ...EventDraft.parse(draft), id: ids.next('evt'), at: time }
      })
      const entry = spool.add({ type: 'append', sessionId, drafts: stamped, options })
      const waiting = this.#keep(entry, { resolve, reject })
      const sendNow = send()
      if (sendNow) sendNow(entry)
      else this.#countAsStored([waiting])
    })
  }

  /** Before the events that may hold them. */
  addSecrets(sessionId: string, values: readonly string[], source: StoredSecret['source']): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = this.#deps.spool.add({ type: 'secrets', sessionId, values: [...values], source })
      const waiting = this.#keep(entry, { resolve: () => resolve(), reject })
      const sendNow = this.#deps.send()
      if (sendNow) sendNow(entry)
      else this.#countAsStored([waiting])
    })
  }

  #keep(entry: Kept, settle: Pick<Waiting, 'resolve' | 'reject'>): Waiting {
    const drafts = draftsOf(entry)
    const isFact =
      entry.type === 'secrets' ||
      (entry.options.once === undefined && drafts.every(({ type }) => !CONDITIONAL.test(type)))
    const waiting: Waiting = {
      entry,
      missing: new Set(drafts.map(({ id }) => id)),
      shown: [],
      isFact,
      isCounted: false,
      ...settle,
    }
    this.#waiting.set(entry.n, waiting)
    for (const { id } of drafts) this.#byId.set(id, waiting)
    return waiting
  }

  /** A fact stays true, whatever becomes of the hub. */
  #countAsStored(all: Iterable<Waiting>): void {
    const facts = [...all].filter(({ isFact }) => isFact)
    if (facts.length === 0) return
    try {
      this.#deps.spool.sync()
      for (const fact of facts) {
        fact.isCounted = true
        fact.resolve(fact.shown)
      }
    } catch (error) {
      for (const { reject } of facts) reject(error)
    }
  }

  publish(sessionId: string, draft: DeltaDraft): void {
    const delta = { ...draft, sessionId, at: this.#now() }
    const partial = partialAfter(this.#partials.get(sessionId) ?? null, delta)
    if (partial) this.#partials.set(sessionId, partial)
    // Without a hub there are no readers: the next one gets the text so far.
    this.#deps.send()?.({ type: 'delta', sessionId, draft })
  }

  subscribe(options: SubscribeOptions): { close(): void } {
    const { store } = this.#deps
    const source = {
      readAll: store.readAll,
      readSession: store.readSession,
      gapBehind: async () => null,
    }
    const subscriber = new Subscriber(options, source, () => [], this.#turnstile)
    this.#subscribers.add(subscriber)
    return {
      close: () => {
        this.#subscribers.delete(subscriber)
        subscriber.close()
      },
    }
  }

  whenStoring(): Promise<void> | null {
    const { spool, store, clock, waitingBytes } = this.#deps
    const isFull = spool.size > MAX_SPOOL_BYTES || waitingBytes() > MAX_WAITING_BYTES
    if (!store.storage.problem && !isFull) return null
    return new Promise((resolve) => {
      clock.after(LOOK_MS, resolve)
    })
  }

  async session(id: string): Promise<Session | null> {
    for (;;) {
      const asked = await this.#deps.askSession(id)
      if (asked) {
        if (asked.session) this.#known.note(asked.session)
        return asked.session
      }
      const drafts = [...this.#waiting.values()].flatMap(({ entry, isFact, missing }) =>
        isFact && entry.sessionId === id ? draftsOf(entry).filter((draft) => missing.has(draft.id)) : [],
      )
      const known = this.#known.get(id, drafts)
      if (known) return { ...known, partial: this.#partials.get(id) ?? null }
      await this.#deps.whenConnected()
    }
  }

  /** Everything that the hub does not have goes first, then the text so far. */
  connected({ position, lastN }: { position: number; lastN: number }, send: (frame: ToHub) => void): void {
    this.#position ??= position
    this.#deps.spool.continueBehind(lastN)
    for (const { entry } of this.#waiting.values()) send(entry)
    for (const [sessionId, partial] of this.#partials) {
      const { type, data } = partialAsDelta(sessionId, this.#now(), partial)
      const draft = { type, data } as DeltaDraft // The relation of type and data is that of the delta.
      send({ type: 'delta', sessionId, draft })
    }
  }

  disconnected(): void {
    this.#countAsStored(this.#waiting.values())
  }

  take(frame: Extract<ToRunner, { type: 'feed' | 'refused' | 'unstorable' | 'done' | 'repeated' }>): void {
    switch (frame.type) {
      case 'feed':
        return this.#show(frame.items)
      case 'done':
        return this.#settle(frame.n, ({ resolve }) => resolve([]))
      case 'refused':
        return this.#refuse(frame.n, new AppendRefused(frame.why))
      case 'unstorable':
        return this.#refuse(frame.n, new Error(frame.message))
      case 'repeated':
        // One that was stored has been shown by the feed before this frame, and waits no more.
        return this.#refuse(frame.n, new AppendRefused({ kind: 'repeated' }))
      default:
    }
  }

  #show(items: readonly Published[]): void {
    const done: Waiting[] = []
    for (const { position, event } of items) {
      if (position === undefined) continue
      this.#position = Math.max(this.#position ?? 0, position)
      this.#known.apply(event)
      const partial = partialAfter(this.#partials.get(event.sessionId) ?? null, event)
      if (!partial) this.#partials.delete(event.sessionId)
      const waiting = this.#byId.get(event.id)
      if (!waiting) continue
      waiting.missing.delete(event.id)
      waiting.shown.push(event)
      if (waiting.missing.size === 0) done.push(waiting)
    }
    for (const subscriber of this.#subscribers) subscriber.push(items)
    for (const { entry, shown } of done) this.#settle(entry.n, ({ resolve }) => resolve(shown))
  }

  #refuse(n: number, error: Error): void {
    this.#settle(n, ({ reject, isCounted }) => (isCounted ? this.#deps.onFault(error) : reject(error)))
  }

  /** The previous run may have settled it with the hub, or a user was quicker. */
  #faultUnlessRefused(error: unknown): void {
    if (!(error instanceof AppendRefused)) this.#deps.onFault(error)
  }

  #settle(n: number, settle: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(n)
    if (!waiting) return
    this.#waiting.delete(n)
    for (const { id } of draftsOf(waiting.entry)) this.#byId.delete(id)
    this.#deps.spool.done(n)
    settle(waiting)
    if (this.#waiting.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve()
  }

  /** Resolves when the hub has all that was handed in. */
  emptied(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onEmpty.push(resolve)
    })
  }

  #now(): string {
    return new Date(this.#deps.clock.now()).toISOString()
  }

  async close(): Promise<void> {
    for (const subscriber of this.#subscribers) subscriber.end()
    this.#subscribers.clear()
  }
}

function draftsOf(entry: Kept): readonly StampedDraft[] {
  return entry.type === 'append' ? entry.drafts : []
}
