/**
 * The ends of several conversations, followed over one connection: a browser opens only six to a server. Exists only
 * while the grid is shown.
 */

import {
  type Delta,
  emptyTranscript,
  extendTranscript,
  type SessionEvent,
  type Transcript,
} from '../../../src/protocol/index.js'

/** Throttle: deltas that arrive within this time are drawn at once. */
const FLUSH_MS = 100
const MAX_ITEMS = 80
const KEPT_ITEMS = 30

export interface TailSource {
  /** The newest stored events of a session, oldest first. */
  load(sessionId: string): Promise<readonly SessionEvent[]>
  /** New events and deltas of all sessions. `onLive` is called after each connect. */
  follow(signal: AbortSignal, onLive: () => void): AsyncIterable<SessionEvent | Delta>
}

interface Tail {
  transcript: Transcript
  lastSeq: number
}

export class Tails {
  readonly #source: TailSource
  readonly #leave = new AbortController()
  /** Null: being loaded. */
  readonly #tails = new Map<string, Tail | null>()
  readonly #pending = new Map<string, (SessionEvent | Delta)[]>()
  readonly #listeners = new Map<string, Set<() => void>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLive = false

  constructor(source: TailSource) {
    this.#source = source
    void this.#run().catch(() => {})
  }

  /** Loads the tails of sessions that are new here, and forgets all others. */
  show(ids: readonly string[]): void {
    for (const id of this.#tails.keys()) if (!ids.includes(id)) this.#forget(id)
    for (const id of ids) {
      if (this.#tails.has(id)) continue
      this.#tails.set(id, null)
      // Race: what is loaded before the stream is there may miss events.
      if (this.#isLive) void this.#load(id)
    }
  }

  get(id: string): Transcript | null {
    return this.#tails.get(id)?.transcript ?? null
  }

  subscribe(id: string, listener: () => void): () => void {
    const known = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, known.add(listener))
    return () => known.delete(listener)
  }

  close(): void {
    this.#leave.abort()
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    // Events may have been missed while there was no connection.
    const onLive = () => {
      this.#isLive = true
      for (const id of this.#tails.keys()) void this.#load(id)
    }
    for await (const event of this.#source.follow(this.#leave.signal, onLive)) {
      if (!this.#tails.has(event.sessionId)) continue
      const pending = this.#pending.get(event.sessionId) ?? []
      pending.push(event)
      this.#pending.set(event.sessionId, pending)
      this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
    }
  }

  async #load(id: string): Promise<void> {
    const events = await this.#source.load(id).catch(() => [])
    if (!this.#tails.has(id)) return
    this.#tails.set(id, {
      transcript: trimmed(extendTranscript(emptyTranscript, events)),
      lastSeq: events.at(-1)?.seq ?? 0,
    })
    this.#notify(id)
  }

  #flush(): void {
    this.#timer = undefined
    for (const [id, events] of this.#pending) {
      const tail = this.#tails.get(id)
      // While it loads, events wait: they may be newer than the reply.
      if (!tail) continue
      this.#pending.delete(id)
      this.#apply(id, tail, events)
    }
    if (this.#pending.size > 0) this.#timer = setTimeout(() => this.#flush(), FLUSH_MS)
  }

  #apply(id: string, { transcript, lastSeq }: Tail, events: readonly (SessionEvent | Delta)[]): void {
    const fresh = events.filter((event) => !('seq' in event) || event.seq > lastSeq)
    const first = fresh.find((event) => 'seq' in event)
    if (first && 'seq' in first && lastSeq > 0 && first.seq > lastSeq + 1) return void this.#load(id)
    const newest = fresh.reduce((seq, event) => ('seq' in event ? event.seq : seq), lastSeq)
    this.#tails.set(id, { transcript: trimmed(extendTranscript(transcript, fresh)), lastSeq: newest })
    this.#notify(id)
  }

  #notify(id: string): void {
    for (const listener of this.#listeners.get(id) ?? []) listener()
  }

  #forget(id: string): void {
    this.#tails.delete(id)
    this.#pending.delete(id)
  }
}

function trimmed(transcript: Transcript): Transcript {
  if (transcript.items.length <= MAX_ITEMS) return transcript
  const items = transcript.items.slice(-KEPT_ITEMS)
  return { ...transcript, items, places: new Map(items.map((item, index) => [item.id, index])) }
}
