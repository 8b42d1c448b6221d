/** A tracked session: its state, and the sources for finding out more. */

import type { LifecycleEvent } from '../stream/event.js'
import type { SessionSnapshot } from './monitor.js'
import { inspect } from './probe.js'
import type { ProcessTable } from './process-table.js'
import { ProcessMeter, processState } from './session-process.js'
import type { RegistryEntry } from './session-registry.js'
import { copyOf, draftOf, enrich, noteEvent, type SessionDraft } from './session-state.js'
import { Transcript } from './transcript.js'

/** Data of one check, shared by all sessions. */
export interface Look {
  readonly now: number
  readonly idleAfterMs: number
  readonly processes: ProcessTable
  readonly measuresProcesses: boolean
  /** Only entries whose process is alive. */
  readonly entries: readonly RegistryEntry[]
}

/** A line that is older than the last event of its session by more than this is a repeated one. */
const REPEATED_MS = 60_000
const MINUTE_LENGTH = '2026-02-18T13:10'.length
/** Bounds memory: no interactive session has more events per minute. */
const RECENT_IDS = 1_000

/** Methods return whether anything changed. */
export class TrackedSession {
  readonly #onError: ((error: unknown) => void) | undefined
  #draft: SessionDraft
  /** The snapshot last returned; null after a change. */
  #snapshot: SessionSnapshot | null = null
  #transcript: { path: string; content: Transcript } | null = null
  readonly #recent = new RecentIds()
  readonly #meter = new ProcessMeter()
  /** Start of the wait that the registry has confirmed. */
  #seenWaiting: string | null = null

  constructor(first: LifecycleEvent, onError: ((error: unknown) => void) | undefined) {
    this.#onError = onError
    this.#draft = draftOf(first)
    this.#recent.add(first)
  }

  get snapshot(): SessionSnapshot {
    this.#snapshot ??= copyOf(this.#draft)
    return this.#snapshot
  }

  /** Idempotent: after unusual rotations a line may be read again. */
  apply(event: LifecycleEvent): boolean {
    if (this.#hasCome(event)) return false
    this.#recent.add(event)
    noteEvent(this.#draft, event)
    this.#snapshot = null
    return true
  }

  #hasCome({ id, occurredAtIso }: LifecycleEvent): boolean {
    const { lastActivityAt } = this.#draft
    // Fast path: lines are usually in order, and timestamps of the same format compare as strings.
    if (occurredAtIso > lastActivityAt && isSameForm(occurredAtIso, lastActivityAt)) return false
    return this.#recent.has(id) || Date.parse(lastActivityAt) - Date.parse(occurredAtIso) > REPEATED_MS
  }

  readTranscript(): boolean {
    const { transcriptPath: path } = this.snapshot
    if (path === null) return false
    if (this.#transcript?.path !== path) this.#transcript = { path, content: new Transcript(path) }
    const { content } = this.#transcript
    try {
      return content.refresh() && this.#become(enrich(this.snapshot, content.data))
    } catch (error) {
      // Optional: the transcript only adds data.
      this.#onError?.(error)
      return false
    }
  }

  /** The result of a call that the user was asked about, according to the transcript, and its time; null if unknown. */
  answerOf(toolName: string, input: unknown): { allowed: boolean; at: number } | null {
    return this.#transcript?.content.answerOf(toolName, input) ?? null
  }

  /** Infers changes that no hook reports. */
  look(look: Look): boolean {
    const before = this.snapshot
    if (before.state === 'completed') return false
    const entry = look.entries.find(({ sessionId }) => sessionId === before.sessionId) ?? null
    const isUnsure = before.isInTurn && (entry === null || entry.status === null)
    if (isUnsure || before.waitingFor !== null) this.readTranscript()
    this.#inspect(entry, look)
    const { waitingFor, lastOutcome, state } = this.snapshot
    const isAnswered = before.waitingFor !== null && waitingFor === null
    if (isAnswered || lastOutcome !== before.lastOutcome || state === 'completed') this.readTranscript()
    if (look.measuresProcesses) this.#measure(look)
    return this.snapshot !== before
  }

  #inspect(entry: RegistryEntry | null, { now, idleAfterMs, processes, entries }: Look): void {
    const known = this.snapshot
    const since = known.waitingFor?.since ?? null
    if (entry?.status === 'waiting') this.#seenWaiting = since
    this.#become(
      inspect(known, {
        now,
        idleAfterMs,
        entry,
        process: processState(processes, known),
        processIsIn: entries.find(({ pid }) => pid === known.pid)?.sessionId ?? null,
        isWaitSeen: since !== null && this.#seenWaiting === since,
        interruptedAt: this.#transcript?.content.interruptedAt ?? null,
      }),
    )
  }

  #measure({ processes, now }: Look): void {
    const measured = this.#meter.measure(processes, this.snapshot, now)
    if (measured) this.#become({ ...this.snapshot, ...measured })
  }

  #become(snapshot: SessionSnapshot): boolean {
    if (snapshot === this.snapshot) return false
    this.#draft = copyOf(snapshot)
    this.#snapshot = snapshot
    return true
  }
}

function isSameForm(one: string, other: string): boolean {
  return one.length === other.length && one.endsWith('Z') && other.endsWith('Z')
}

/**
 * Ids of at least the last minute; older duplicates are recognised by their time. Performance: lookups are rare but
 * every line adds an id, and a `Set` would cost more than the rest of the work for a line, so these are arrays.
 */
class RecentIds {
  /** The latest minute with an event. */
  #minute = ''
  #ids: string[] = []
  #before: string[] = []

  has(id: string): boolean {
    return this.#ids.includes(id) || this.#before.includes(id)
  }

  add({ id, occurredAtIso }: LifecycleEvent): void {
    const isLater = !occurredAtIso.startsWith(this.#minute) && occurredAtIso > this.#minute
    if (isLater || this.#minute === '' || this.#ids.length >= RECENT_IDS) {
      this.#minute = occurredAtIso.slice(0, MINUTE_LENGTH)
      this.#before = this.#ids
      this.#ids = []
    }
    this.#ids.push(id)
  }
}
