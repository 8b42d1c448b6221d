/** A session that the monitor follows: what is known of it, and what is needed to find out more. */

import type { LifecycleEvent } from '../stream/event.js'
import type { SessionSnapshot } from './monitor.js'
import { inspect } from './probe.js'
import type { ProcessTable } from './process-table.js'
import { ProcessMeter, processState } from './session-process.js'
import type { RegistryEntry } from './session-registry.js'
import { copyOf, draftOf, enrich, noteEvent, type SessionDraft } from './session-state.js'
import { Transcript } from './transcript.js'

/** What is looked at together, for all sessions. */
export interface Look {
  readonly now: number
  readonly idleAfterMs: number
  readonly processes: ProcessTable
  readonly measuresProcesses: boolean
  /** Of processes that are there. */
  readonly entries: readonly RegistryEntry[]
}

/** An event that much older than the last one of its session is a line that came again. */
const REPEATED_MS = 60_000
const MINUTE_LENGTH = '2026-02-18T13:10'.length
/** A session that has more in a minute is not a person's; memory is bounded all the same. */
const RECENT_IDS = 1_000

/** What its methods return: whether anything has changed. */
export class FollowedSession {
  readonly #onError: ((error: unknown) => void) | undefined
  #draft: SessionDraft
  /** What was handed out of it; null since something was noted. */
  #snapshot: SessionSnapshot | null = null
  #transcript: { path: string; content: Transcript } | null = null
  readonly #recent = new RecentIds()
  readonly #meter = new ProcessMeter()
  /** Since when it waits, once the registry has said so too. */
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

  /** After strange turns of the file a line may come again: it changes nothing. */
  apply(event: LifecycleEvent): boolean {
    if (this.#hasCome(event)) return false
    this.#recent.add(event)
    noteEvent(this.#draft, event)
    this.#snapshot = null
    return true
  }

  #hasCome({ id, occurredAtIso }: LifecycleEvent): boolean {
    const { lastActivityAt } = this.#draft
    // Nearly always: lines come in order, and times of one form need not be read to be compared.
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
      // It only adds to what is known.
      this.#onError?.(error)
      return false
    }
  }

  /** What the transcript says became of a call that was asked about, and when; null if it says nothing. */
  answerOf(toolName: string, input: unknown): { allowed: boolean; at: number } | null {
    return this.#transcript?.content.answerOf(toolName, input) ?? null
  }

  /** Finds out what no hook tells. */
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
 * The ids of the last minute at least: what is older is known by its time. They are seldom asked for, but every line
 * adds one: lists, because a set takes longer than all else that is done with a line.
 */
class RecentIds {
  /** The latest in which something happened. */
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
