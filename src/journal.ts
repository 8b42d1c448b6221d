/** The one door for events: checked, stamped, stored, and only then published. */

import type { Clock } from './lib/clock.js'
import type { IdSource } from './lib/id.js'
import { Turnstile } from './lib/turnstile.js'
import { type Delta, type DeltaDraft, EventDraft, type SessionEvent } from './protocol/event.js'
import type { Partial, Session } from './protocol/session.js'
import { partialAfter, partialAsDelta } from './protocol/view.js'
import type { AppendGroup, AppendResult, Refusal, Store } from './store/port.js'
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

export interface AppendOptions extends Pick<AppendGroup, 'once'> {
  /** When it happened, for what is told later than it happened. Otherwise it happens now. */
  at?: string
}

export interface Journal {
  /** Resolves when the events are stored and published. Events of one session keep the order of the calls. */
  append(sessionId: string, drafts: readonly EventDraft[], options?: AppendOptions): Promise<SessionEvent[]>
  /** Publishes a fragment behind everything that was handed in before it. */
  publish(sessionId: string, draft: DeltaDraft): void
  /** Replays from a cursor, then follows: no gap, no duplicate. Fragments come only once it has caught up. */
  subscribe(options: SubscribeOptions): { close(): void }
  /** The snapshot, with what is being written right now. */
  session(id: string): Promise<Session | null>
  /** Waits for what was handed in. Afterwards nothing is published. */
  close(): Promise<void>
}

export function createJournal(deps: { store: Store; clock: Clock; ids: IdSource }): Journal {
  return new StoreJournal(deps)
}

type Entry =
  | {
      kind: 'append'
      group: AppendGroup
      resolve(events: SessionEvent[]): void
      reject(error: unknown): void
    }
  | { kind: 'delta'; delta: Delta }

class StoreJournal implements Journal {
  readonly #store: Store
  readonly #clock: Clock
  readonly #ids: IdSource
  readonly #subscribers = new Set<Subscriber>()
  readonly #partials = new Map<string, Partial>()
  readonly #turnstile = new Turnstile()
  #waiting: Entry[] = []
  /** The running flush; entries that arrive meanwhile share the next commit. */
  #flushing: Promise<void> | null = null
  #isCommitting = false

  constructor({ store, clock, ids }: { store: Store; clock: Clock; ids: IdSource }) {
    this.#store = store
    this.#clock = clock
    this.#ids = ids
  }

  append(
    sessionId: string,
    drafts: readonly EventDraft[],
    { at = this.#now(), ...options }: AppendOptions = {},
  ): Promise<SessionEvent[]> {
    return new Promise((resolve, reject) => {
      const stamped = drafts.map((draft) => ({ ...EventDraft.parse(draft), id: this.#ids.next('evt'), at }))
      this.#enqueue({ kind: 'append', group: { sessionId, drafts: stamped, ...options }, resolve, reject })
    })
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
    const appends = entries.filter((entry) => entry.kind === 'append')
    let results: AppendResult[]
    try {
      this.#isCommitting = true
      results = appends.length > 0 ? await this.#store.append(appends.map((entry) => entry.group)) : []
    } catch (error) {
      for (const entry of appends) entry.reject(error)
      return
    } finally {
      this.#isCommitting = false
    }
    const published: Published[] = []
    const settle: (() => void)[] = []
    let next = 0
    for (const entry of entries) {
      if (entry.kind === 'delta') {
        published.push({ event: entry.delta })
        continue
      }
      const result = results[next++]
      if (result?.kind === 'stored') {
        published.push(...result.events)
        settle.push(() => entry.resolve(result.events.map((stored) => stored.event)))
      } else if (result) {
        settle.push(() => entry.reject(new AppendRefused(result.why)))
      }
    }
    this.#publish(published)
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

  /** What is being written; null between a commit and its publication, when it would be out of date. */
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
