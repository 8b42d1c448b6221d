/**
 * Tracks the state of terminal sessions: from the events of the lifecycle stream, read from their start, and, where no
 * hook fires, from Claude Code's registry, transcripts and processes.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, systemClock } from '../../lib/clock.js'
import { type LifecycleEvent, NO_SESSION } from '../stream/event.js'
import type { EventSource } from '../stream/event-source.js'
import { FileSource } from '../stream/file-source.js'
import { PassRunner } from '../stream/pass-runner.js'
import { StreamWatch } from '../stream/stream-watch.js'
import type { SessionMonitorProvider, SessionSnapshot } from './monitor.js'
import { asSeenNow, createProcessTable, type ProcessTable } from './process-table.js'
import { isRegistered } from './session-process.js'
import { isRegistryFile, SessionRegistry } from './session-registry.js'
import { TrackedSession } from './tracked-session.js'

export interface LifecycleSessionMonitorOptions {
  /** Path of the stream, which need not exist yet. */
  path: string
  /** Source of the events, such as the rows of a database. Default: the files of the stream. */
  source?: EventSource
  /** Claude Code's folder, for its registry. Absent: only the stream is read. */
  claudeFolder?: string | null
  clock?: Clock
  processes?: ProcessTable
  pollMs?: number
  /** Interval of checks of registry, transcripts and processes. */
  inspectMs?: number
  idleAfterMs?: number
  /** How long a session is kept after its end. */
  keepEndedMs?: number
  /** Skips sessions that ended long ago when the stream is replayed. */
  skipsOld?: boolean
  /** Also measures CPU and memory of each session. */
  measuresProcesses?: boolean
  /**
   * Gets all lines in order, and the number of the last one read, before subscribers get the changes. Backpressure: the
   * next lines wait until it resolves.
   */
  onLines?: (lines: readonly AppliedLine[], through: number) => Promise<void>
  /**
   * Stores what is in the stream now, for a source that reads what others store. Called between looking at registry and
   * processes and drawing conclusions: a process can end before its last line was read.
   */
  catchUp?: () => Promise<void>
  onError?: (error: unknown) => void
}

type Optional = 'catchUp' | 'onError' | 'onLines'

/** A line with the state before and after it. A duplicate line changes nothing. */
export interface AppliedLine {
  readonly event: LifecycleEvent
  /** Number in the source: of its row, or counted from 1 for files. */
  readonly seq: number
  readonly before: SessionSnapshot | null
  readonly after: SessionSnapshot
}

const DEFAULTS = {
  pollMs: 500,
  inspectMs: 1_000,
  idleAfterMs: 300_000,
  keepEndedMs: 86_400_000,
  skipsOld: true,
  measuresProcesses: false,
}
/**
 * Delays of further reads of the transcript after a turn: Claude Code writes its last lines after the hook has fired.
 */
const TRANSCRIPT_DELAYS_MS = [100, 400, 1_500, 4_000]

export class LifecycleSessionMonitor implements SessionMonitorProvider {
  readonly #options: Required<Omit<LifecycleSessionMonitorOptions, Optional>> &
    Pick<LifecycleSessionMonitorOptions, Optional>
  readonly #source: EventSource
  readonly #registry: SessionRegistry | null
  readonly #sessions = new Map<string, TrackedSession>()
  readonly #listeners = new Set<(changed: readonly SessionSnapshot[]) => void>()
  readonly #changed = new Set<TrackedSession>()
  readonly #timers = new Set<() => void>()
  readonly #runner = new PassRunner(() => this.#pass())
  #watch: { close(): void } | null = null
  #registryWatch: StreamWatch | null = null
  #hasRegistryChanged = false
  #inspectedAt = 0
  #isReplaying = true

  constructor(options: LifecycleSessionMonitorOptions) {
    this.#options = {
      ...DEFAULTS,
      clock: systemClock,
      processes: createProcessTable(),
      claudeFolder: null,
      source: new FileSource(options.path),
      ...options,
    }
    const { source, claudeFolder } = this.#options
    this.#source = source
    this.#registry = claudeFolder ? new SessionRegistry(claudeFolder) : null
  }

  async start(): Promise<void> {
    if (this.#watch || this.#runner.isClosed) return
    const { clock, pollMs, onError } = this.#options
    this.#watch = this.#source.follow({ clock, pollMs, onWake: () => this.#runner.wake(onError) })
    this.#registryWatch = this.#watchRegistry()
    await this.refresh()
  }

  /** Besides polling, so that an answer in a terminal is noticed at once. */
  #watchRegistry(): StreamWatch | null {
    const { clock, inspectMs, onError } = this.#options
    if (!this.#registry) return null
    return new StreamWatch({
      folder: this.#registry.folder,
      isWanted: isRegistryFile,
      clock,
      pollMs: inspectMs,
      onWake: (reason) => {
        // Mostly our own managed sessions change the registry, with every turn: ignored while no terminal session is
        // tracked.
        if (reason !== 'change' || this.#sessions.size === 0) return
        this.#hasRegistryChanged = true
        this.#runner.wake(onError)
      },
    })
  }

  /** The result of a call that the user was asked about, according to the transcript, and its time; null if unknown. */
  answerOf(sessionId: string, toolName: string, input: unknown): { allowed: boolean; at: number } | null {
    return this.#sessions.get(sessionId)?.answerOf(toolName, input) ?? null
  }

  /** Reads new events and checks everything once, without following. */
  refresh(): Promise<void> {
    return this.#runner.run()
  }

  sessions(): readonly SessionSnapshot[] {
    return [...this.#sessions.values()]
      .map(({ snapshot }) => snapshot)
      .toSorted((one, other) => (one.lastActivityAt < other.lastActivityAt ? 1 : -1))
  }

  session(sessionId: string): SessionSnapshot | null {
    return this.#sessions.get(sessionId)?.snapshot ?? null
  }

  subscribe(listener: (changed: readonly SessionSnapshot[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #pass(): Promise<void> {
    if (this.#isReplaying) await this.#replay()
    else await this.#readEvents()
    const now = this.#options.clock.now()
    const isDue = now - this.#inspectedAt >= this.#options.inspectMs
    if (isDue) {
      this.#inspectedAt = now
      this.#source.lookAround()
    }
    if (isDue || this.#hasRegistryChanged) {
      this.#hasRegistryChanged = false
      await this.#lookAtAll(now)
    }
    this.#tell()
  }

  async #replay(): Promise<void> {
    const { clock, keepEndedMs, skipsOld } = this.#options
    this.#source.skipEndedBefore(skipsOld ? clock.now() - keepEndedMs : null)
    await this.#readEvents()
    this.#source.skipEndedBefore(null)
    this.#isReplaying = false
    this.#forgetOld(clock.now())
    for (const followed of this.#sessions.values()) {
      if (this.#runner.isClosed) return
      if (!followed.readTranscript()) continue
      this.#changed.add(followed)
      await nextTurn()
    }
  }

  async #readEvents(): Promise<void> {
    const { onLines } = this.#options
    while (!this.#runner.isClosed) {
      const applied: AppliedLine[] = []
      const through = this.#source.read((event, seq) => {
        const line = this.#apply(event, seq)
        if (line) applied.push(line)
      })
      if (through === null) return
      await (onLines?.(applied, through) ?? nextTurn())
    }
  }

  #apply(event: LifecycleEvent, seq: number): AppliedLine | null {
    if (event.sessionId === NO_SESSION) return null
    const known = this.#sessions.get(event.sessionId)
    // Performance: a snapshot per line is made only for a listener.
    const before = this.#options.onLines && known ? known.snapshot : null
    const followed = known ?? this.#follow(event)
    const isNews = !known || known.apply(event)
    if (isNews) this.#changed.add(followed)
    const line = this.#options.onLines ? { event, seq, before, after: followed.snapshot } : null
    if (isNews && !this.#isReplaying && isEnd(event)) this.#followTranscript(followed)
    return line
  }

  #follow(first: LifecycleEvent): TrackedSession {
    const followed = new TrackedSession(first, this.#options.onError)
    this.#sessions.set(first.sessionId, followed)
    return followed
  }

  /** The hook fires before the last lines of the turn are written to the transcript, so it is read several times. */
  #followTranscript(followed: TrackedSession): void {
    if (followed.readTranscript()) this.#changed.add(followed)
    for (const delay of TRANSCRIPT_DELAYS_MS) {
      const stop = this.#options.clock.after(delay, () => {
        this.#timers.delete(stop)
        if (followed.readTranscript()) this.#changed.add(followed)
        this.#tell()
      })
      this.#timers.add(stop)
    }
  }

  #forgetOld(now: number): void {
    for (const [sessionId, followed] of this.#sessions) {
      const { state, endedAt, lastActivityAt } = followed.snapshot
      if (state !== 'completed' || now - Date.parse(endedAt ?? lastActivityAt) <= this.#options.keepEndedMs)
        continue
      this.#sessions.delete(sessionId)
      this.#changed.delete(followed)
    }
  }

  async #lookAtAll(now: number): Promise<void> {
    this.#forgetOld(now)
    const { processes: table, idleAfterMs, measuresProcesses } = this.#options
    const running = new Map<TrackedSession, SessionSnapshot>()
    for (const followed of this.#sessions.values())
      if (followed.snapshot.state !== 'completed') running.set(followed, followed.snapshot)
    const processes = asSeenNow(
      table,
      [...running.values()].map(({ pid }) => pid),
    )
    const entries = (this.#registry?.read() ?? []).filter((entry) => isRegistered(processes, entry))
    await this.#catchUp()
    const look = { now, idleAfterMs, processes, measuresProcesses, entries }
    for (const [followed, before] of running) {
      // Its lines are newer than the look. The next one counts.
      if (followed.snapshot !== before) continue
      if (followed.look(look)) this.#changed.add(followed)
    }
  }

  /** Reads what was written to the stream before the look. If that fails, the look counts all the same. */
  async #catchUp(): Promise<void> {
    const { catchUp, onError } = this.#options
    if (!catchUp || this.#sessions.size === 0) return
    await catchUp().catch((error: unknown) => onError?.(error))
    await this.#readEvents()
  }

  #tell(): void {
    const changed = [...this.#changed].map(({ snapshot }) => snapshot)
    this.#changed.clear()
    if (changed.length > 0) for (const listener of this.#listeners) listener(changed)
  }

  async close(): Promise<void> {
    this.#watch?.close()
    this.#registryWatch?.close()
    this.#watch = null
    this.#registryWatch = null
    for (const stop of this.#timers) stop()
    this.#timers.clear()
    await this.#runner.close()
    this.#source.close()
  }
}

function isEnd(event: LifecycleEvent): boolean {
  return (
    event.eventType === 'turn.end' || (event.eventType === 'session.lifecycle' && event.phase === 'ended')
  )
}
