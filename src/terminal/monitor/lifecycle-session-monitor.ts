/**
 * Knows what the sessions of terminals are doing: from the events of the lifecycle stream, which it reads from their
 * start, and where no hook speaks from Claude Code's registry, from transcripts and from the processes.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, systemClock } from '../../lib/clock.js'
import { type LifecycleEvent, NO_SESSION } from '../stream/event.js'
import type { EventSource } from '../stream/event-source.js'
import { FileSource } from '../stream/file-source.js'
import { PassRunner } from '../stream/pass-runner.js'
import { StreamWatch } from '../stream/stream-watch.js'
import type { SessionMonitorProvider, SessionSnapshot } from './monitor.js'
import { createProcessTable, type ProcessTable } from './process-table.js'
import { isRegistered } from './session-process.js'
import { isRegistryFile, SessionRegistry } from './session-registry.js'
import { FollowedSession } from './tracked-session.js'

export interface LifecycleSessionMonitorOptions {
  /** The stream. It need not be there yet. */
  path: string
  /** Where its events come from, if not from the files of the stream: the rows of a database, for example. */
  source?: EventSource
  /** Claude Code's folder, for its registry; without it, only the stream is read. */
  claudeFolder?: string | null
  clock?: Clock
  processes?: ProcessTable
  pollMs?: number
  /** How often registry, transcripts and processes are looked at. */
  inspectMs?: number
  idleAfterMs?: number
  /** How long a session is known after its end. */
  keepEndedMs?: number
  /** Whether sessions that ended long ago are passed over when the stream is replayed. */
  skipsOld?: boolean
  /** Whether processor time and memory of each session are looked at as well. */
  measuresProcesses?: boolean
  /**
   * Gets all lines in order, before subscribers get what they change, and the number of the last one that was read. The
   * next ones wait until it resolves.
   */
  onLines?: (lines: readonly AppliedLine[], through: number) => Promise<void>
  onError?: (error: unknown) => void
}

/** A line and what it made of what was known. A line that had come before changes nothing. */
export interface AppliedLine {
  readonly event: LifecycleEvent
  /** Its number in the source: of its row, or counted from 1 where files are read. */
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
/** When the transcript is looked at again after a turn: the last lines of it come after the hook. */
const TRANSCRIPT_DELAYS_MS = [100, 400, 1_500, 4_000]

export class LifecycleSessionMonitor implements SessionMonitorProvider {
  readonly #options: Required<Omit<LifecycleSessionMonitorOptions, 'onError' | 'onLines'>> &
    Pick<LifecycleSessionMonitorOptions, 'onError' | 'onLines'>
  readonly #source: EventSource
  readonly #registry: SessionRegistry | null
  readonly #sessions = new Map<string, FollowedSession>()
  readonly #listeners = new Set<(changed: readonly SessionSnapshot[]) => void>()
  readonly #changed = new Set<FollowedSession>()
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

  /** It is looked at every now and then in any case; an answer in a terminal should be seen at once. */
  #watchRegistry(): StreamWatch | null {
    const { clock, inspectMs, onError } = this.#options
    if (!this.#registry) return null
    return new StreamWatch({
      folder: this.#registry.folder,
      isWanted: isRegistryFile,
      clock,
      pollMs: inspectMs,
      onWake: (reason) => {
        // It is mostly the sessions of our own that change it, with every turn: where nobody is followed that says nothing.
        if (reason !== 'change' || this.#sessions.size === 0) return
        this.#hasRegistryChanged = true
        this.#runner.wake(onError)
      },
    })
  }

  /** What the transcript says became of a call that was asked about, and when; null if it says nothing. */
  answerOf(sessionId: string, toolName: string, input: unknown): { allowed: boolean; at: number } | null {
    return this.#sessions.get(sessionId)?.answerOf(toolName, input) ?? null
  }

  /** Reads what is there and looks at everything once, without following it. */
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
      this.#lookAtAll(now)
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
    // Nobody but the listener needs to know how it was after each line.
    const before = this.#options.onLines && known ? known.snapshot : null
    const followed = known ?? this.#follow(event)
    const isNews = !known || known.apply(event)
    if (isNews) this.#changed.add(followed)
    const line = this.#options.onLines ? { event, seq, before, after: followed.snapshot } : null
    if (isNews && !this.#isReplaying && isEnd(event)) this.#followTranscript(followed)
    return line
  }

  #follow(first: LifecycleEvent): FollowedSession {
    const followed = new FollowedSession(first, this.#options.onError)
    this.#sessions.set(first.sessionId, followed)
    return followed
  }

  /** The end of a turn is told before its last lines are written: they are looked for a few times. */
  #followTranscript(followed: FollowedSession): void {
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

  #lookAtAll(now: number): void {
    this.#forgetOld(now)
    const { processes, idleAfterMs, measuresProcesses } = this.#options
    const entries = (this.#registry?.read() ?? []).filter((entry) => isRegistered(processes, entry))
    const look = { now, idleAfterMs, processes, measuresProcesses, entries }
    for (const followed of this.#sessions.values()) if (followed.look(look)) this.#changed.add(followed)
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
