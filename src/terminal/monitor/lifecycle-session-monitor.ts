/**
 * Knows what the sessions of terminals are doing: from the lifecycle stream, which it reads by itself and from its
 * start, and where no hook speaks from Claude Code's registry, from transcripts and from the processes.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, systemClock } from '../../lib/clock.js'
import { decodeLine } from '../stream/decode.js'
import { type LifecycleEvent, NO_SESSION } from '../stream/event.js'
import { PassRunner } from '../stream/pass-runner.js'
import { findOld, type IsOld } from '../stream/replay.js'
import type { FileIdentity } from '../stream/stream-file.js'
import { placeOfStream, StreamWatch } from '../stream/stream-watch.js'
import { StreamTail, type TailState } from '../stream/tail.js'
import type { SessionMonitorProvider, SessionSnapshot } from './monitor.js'
import { createProcessTable, type ProcessTable } from './process-table.js'
import { isRegistered } from './session-process.js'
import { isRegistryFile, SessionRegistry } from './session-registry.js'
import { FollowedSession } from './tracked-session.js'

export interface LifecycleSessionMonitorOptions {
  /** The stream. It need not be there yet. */
  path: string
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
  /** Told of all lines in order, before anybody is told of what they change. The next ones wait until it resolves. */
  onLines?: (lines: readonly AppliedLine[], file: FileIdentity, state: TailState) => Promise<void>
  onError?: (error: unknown) => void
}

/** A line and what it made of what was known. A line that had come before changes nothing. */
export interface AppliedLine {
  readonly event: LifecycleEvent
  /** Where the line starts in its file. */
  readonly offset: number
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
const BATCH = { batchBytes: 256 << 10, maxLineBytes: 16 << 20 }
/** When the transcript is looked at again after a turn: the last lines of it come after the hook. */
const TRANSCRIPT_DELAYS_MS = [100, 400, 1_500, 4_000]

export class LifecycleSessionMonitor implements SessionMonitorProvider {
  readonly #options: Required<Omit<LifecycleSessionMonitorOptions, 'onError' | 'onLines'>> &
    Pick<LifecycleSessionMonitorOptions, 'onError' | 'onLines'>
  readonly #tail: StreamTail
  readonly #registry: SessionRegistry | null
  readonly #sessions = new Map<string, FollowedSession>()
  readonly #listeners = new Set<(changed: readonly SessionSnapshot[]) => void>()
  readonly #changed = new Set<FollowedSession>()
  readonly #timers = new Set<() => void>()
  readonly #runner = new PassRunner(() => this.#pass())
  #watch: StreamWatch | null = null
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
      ...options,
    }
    const { path, claudeFolder } = this.#options
    this.#tail = new StreamTail(path, BATCH)
    this.#registry = claudeFolder ? new SessionRegistry(claudeFolder) : null
  }

  async start(): Promise<void> {
    if (this.#watch || this.#runner.isClosed) return
    const { path, clock, pollMs, onError } = this.#options
    this.#watch = new StreamWatch({
      ...placeOfStream(path),
      clock,
      pollMs,
      onWake: () => this.#runner.wake(onError),
    })
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
    else await this.#readLines(() => false)
    const now = this.#options.clock.now()
    const isDue = now - this.#inspectedAt >= this.#options.inspectMs
    if (isDue) {
      this.#inspectedAt = now
      this.#tail.lookAround()
    }
    if (isDue || this.#hasRegistryChanged) {
      this.#hasRegistryChanged = false
      this.#lookAtAll(now)
    }
    this.#tell()
  }

  async #replay(): Promise<void> {
    const { path, clock, keepEndedMs, skipsOld } = this.#options
    await this.#readLines(skipsOld ? findOld(path, clock.now() - keepEndedMs) : () => false)
    this.#isReplaying = false
    this.#forgetOld(clock.now())
    for (const followed of this.#sessions.values()) {
      if (this.#runner.isClosed) return
      if (!followed.readTranscript()) continue
      this.#changed.add(followed)
      await nextTurn()
    }
  }

  async #readLines(isOld: IsOld): Promise<void> {
    for (let batch = this.#tail.next(); batch && !this.#runner.isClosed; batch = this.#tail.next()) {
      const applied: AppliedLine[] = []
      for (const { text, offset } of batch.lines) {
        const line = text !== null && !isOld(text) && this.#readLine(text, offset)
        if (line) applied.push(line)
      }
      batch.accept()
      await (this.#options.onLines?.(applied, batch.file, batch.state) ?? nextTurn())
    }
  }

  #readLine(text: string, offset: number): AppliedLine | null {
    const decoded = decodeLine(text)
    if (decoded.kind !== 'event' && decoded.kind !== 'glued') return null
    const { event } = decoded
    if (event.sessionId === NO_SESSION) return null
    const known = this.#sessions.get(event.sessionId)
    // Nobody but the listener needs to know how it was after each line.
    const before = this.#options.onLines && known ? known.snapshot : null
    const followed = known ?? this.#follow(event)
    const isNews = !known || known.apply(event)
    if (isNews) this.#changed.add(followed)
    const line = this.#options.onLines ? { event, offset, before, after: followed.snapshot } : null
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
    this.#tail.close()
  }
}

function isEnd(event: LifecycleEvent): boolean {
  return (
    event.eventType === 'turn.end' || (event.eventType === 'session.lifecycle' && event.phase === 'ended')
  )
}
