/**
 * Knows what the sessions of terminals are doing: from the lifecycle stream, which it reads by itself and from its
 * start, and where no hook speaks from Claude Code's registry, from transcripts and from the processes.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, systemClock } from '../lib/clock.js'
import { decodeLine } from './decode.js'
import type { LifecycleEvent } from './event.js'
import { PassRunner } from './pass-runner.js'
import { createProcessTable, type ProcessFacts, type ProcessTable } from './process-table.js'
import { findOld, type IsOld } from './replay.js'
import { inspect } from './session-inspection.js'
import type { SessionMonitorProvider, SessionSnapshot } from './session-monitor.js'
import { isRegistryFile, type RegistryEntry, SessionRegistry } from './session-registry.js'
import { applyEvent, enrich } from './session-state.js'
import type { FileIdentity } from './stream-file.js'
import { placeOfStream, StreamWatch } from './stream-watch.js'
import { StreamTail, type TailState } from './tail.js'
import { Transcript } from './transcript.js'

export interface LifecycleSessionMonitorOptions {
  /** The stream. It need not be there yet. */
  path: string
  /** Claude Code's folder, for its registry; null if it must not be looked at. */
  claudeFolder: string | null
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

interface Followed {
  snapshot: SessionSnapshot
  transcript: Transcript | null
  transcriptPath: string | null
  /** Ids of the last events: after strange turns of the file a line may come again. */
  recent: Set<string>
  measured: { at: number; facts: ProcessFacts } | null
  /** Since when it waits, once the registry has said so too. */
  seenWaiting: string | null
}

const DEFAULTS = {
  pollMs: 500,
  inspectMs: 1_000,
  idleAfterMs: 300_000,
  keepEndedMs: 86_400_000,
  skipsOld: true,
  measuresProcesses: false,
}
const BATCH = { batchBytes: 1 << 20, maxLineBytes: 16 << 20 }
/** When the transcript is looked at after a turn: the last lines of it come after the hook. */
const TRANSCRIPT_DELAYS_MS = [0, 100, 400, 1_500, 4_000]
const RECENT_IDS = 256
/** An event that much older than the last one of its session is a line that came again. */
const REPEATED_MS = 60_000
/** How far the clock may have been set since: the start of a process is counted from the boot of the machine. */
const CLOCK_SHIFT_MS = 60_000

export class LifecycleSessionMonitor implements SessionMonitorProvider {
  readonly #options: Required<Omit<LifecycleSessionMonitorOptions, 'onError' | 'onLines'>> &
    Pick<LifecycleSessionMonitorOptions, 'onError' | 'onLines'>
  readonly #tail: StreamTail
  readonly #registry: SessionRegistry | null
  readonly #sessions = new Map<string, Followed>()
  readonly #listeners = new Set<(changed: readonly SessionSnapshot[]) => void>()
  readonly #changed = new Set<string>()
  readonly #timers = new Set<() => void>()
  readonly #runner = new PassRunner(() => this.#pass())
  #watch: StreamWatch | null = null
  #registryWatch: StreamWatch | null = null
  #hasRegistryChanged = false
  #inspectedAt = 0
  #isReplaying = true

  constructor(options: LifecycleSessionMonitorOptions) {
    this.#options = { ...DEFAULTS, clock: systemClock, processes: createProcessTable(), ...options }
    const { path, claudeFolder } = this.#options
    this.#tail = new StreamTail(path, BATCH)
    this.#registry = claudeFolder === null ? null : new SessionRegistry(claudeFolder)
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
        this.#hasRegistryChanged ||= reason === 'change'
        if (reason === 'change') this.#runner.wake(onError)
      },
    })
  }

  /** What the transcript says became of a call that was asked about, and when; null if it says nothing. */
  answerOf(sessionId: string, toolName: string, input: unknown): { allowed: boolean; at: number } | null {
    return this.#sessions.get(sessionId)?.transcript?.answerOf(toolName, input) ?? null
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
      this.#inspectAll(now)
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
      this.#readTranscript(followed)
      await nextTurn()
    }
  }

  async #readLines(isOld: IsOld): Promise<void> {
    for (let batch = this.#tail.next(); batch && !this.#runner.isClosed; batch = this.#tail.next()) {
      const applied: AppliedLine[] = []
      for (const { text, offset } of batch.lines) {
        const line = text !== null && !isOld(text) && this.#readLine(text, offset)
        if (line && this.#options.onLines) applied.push(line)
      }
      batch.accept()
      await (this.#options.onLines?.(applied, batch.file, batch.state) ?? nextTurn())
    }
  }

  #readLine(text: string, offset: number): AppliedLine | null {
    const decoded = decodeLine(text)
    if (decoded.kind !== 'event' && decoded.kind !== 'glued') return null
    const { event } = decoded
    const before = this.session(event.sessionId)
    return { event, offset, before, after: this.#apply(event) }
  }

  #apply(event: LifecycleEvent): SessionSnapshot {
    const { sessionId, id } = event
    const known = this.#sessions.get(sessionId)
    if (known && isRepeated(known, event)) return known.snapshot
    const followed: Followed = known ?? {
      snapshot: applyEvent(null, event),
      transcript: null,
      transcriptPath: null,
      recent: new Set(),
      measured: null,
      seenWaiting: null,
    }
    if (known) known.snapshot = applyEvent(known.snapshot, event)
    else this.#sessions.set(sessionId, followed)
    remember(followed.recent, id)
    this.#changed.add(sessionId)
    const isEnd =
      event.eventType === 'turn.end' || (event.eventType === 'session.lifecycle' && event.phase === 'ended')
    const { snapshot } = followed
    if (isEnd && !this.#isReplaying) this.#followTranscript(followed)
    return snapshot
  }

  /** The end of a turn is told before its last lines are written: they are looked for a few times. */
  #followTranscript(followed: Followed): void {
    for (const delay of TRANSCRIPT_DELAYS_MS) {
      if (delay === 0) {
        this.#readTranscript(followed)
        continue
      }
      const stop = this.#options.clock.after(delay, () => {
        this.#timers.delete(stop)
        this.#readTranscript(followed)
        this.#tell()
      })
      this.#timers.add(stop)
    }
  }

  #readTranscript(followed: Followed): void {
    const { transcriptPath, sessionId } = followed.snapshot
    if (transcriptPath === null) return
    if (followed.transcriptPath !== transcriptPath) {
      followed.transcriptPath = transcriptPath
      followed.transcript = new Transcript(transcriptPath)
    }
    try {
      if (!followed.transcript?.refresh()) return
    } catch (error) {
      this.#options.onError?.(error)
      return
    }
    this.#change(sessionId, enrich(followed.snapshot, followed.transcript.data))
  }

  #change(sessionId: string, snapshot: SessionSnapshot): void {
    const followed = this.#sessions.get(sessionId)
    if (!followed || followed.snapshot === snapshot) return
    followed.snapshot = snapshot
    this.#changed.add(sessionId)
  }

  #forgetOld(now: number): void {
    for (const [sessionId, { snapshot }] of this.#sessions) {
      const ended = Date.parse(snapshot.endedAt ?? snapshot.lastActivityAt)
      if (snapshot.state === 'completed' && now - ended > this.#options.keepEndedMs)
        this.#sessions.delete(sessionId)
    }
  }

  #inspectAll(now: number): void {
    this.#forgetOld(now)
    const entries = (this.#registry?.read() ?? []).filter((entry) =>
      this.#isAlive(entry.pid, entry.startToken, null),
    )
    for (const [sessionId, followed] of this.#sessions) {
      const { snapshot } = followed
      if (snapshot.state === 'completed') continue
      const entry = entries.find((candidate) => candidate.sessionId === sessionId) ?? null
      const isUnsure = snapshot.isInTurn && (entry === null || entry.status === null)
      if (isUnsure || snapshot.waitingFor !== null) this.#readTranscript(followed)
      this.#inspect(followed, entry, entries, now)
      if (this.#options.measuresProcesses) this.#measure(followed, now)
    }
  }

  #inspect(
    followed: Followed,
    entry: RegistryEntry | null,
    entries: readonly RegistryEntry[],
    now: number,
  ): void {
    const { snapshot } = followed
    const { idleAfterMs } = this.#options
    const since = snapshot.waitingFor?.since ?? null
    if (entry?.status === 'waiting') followed.seenWaiting = since
    const before = snapshot.lastOutcome
    const inspected = inspect(snapshot, {
      now,
      idleAfterMs,
      entry,
      process: this.#processOf(snapshot),
      processIsIn: entries.find(({ pid }) => pid === snapshot.pid)?.sessionId ?? null,
      isWaitSeen: since !== null && followed.seenWaiting === since,
      interruptedAt: followed.transcript?.interruptedAt ?? null,
    })
    this.#change(snapshot.sessionId, inspected)
    const isOver = since !== null && inspected.waitingFor === null
    if (isOver || inspected.lastOutcome !== before || inspected.state === 'completed')
      this.#readTranscript(followed)
  }

  #processOf({ pid, pidSpace, lastActivityAt }: SessionSnapshot): 'alive' | 'gone' | 'unknown' {
    const { space } = this.#options.processes
    if (pid === null || (pidSpace !== null && pidSpace !== space)) return 'unknown'
    return this.#isAlive(pid, null, Date.parse(lastActivityAt)) ? 'alive' : 'gone'
  }

  /** Whether it is still that process: one that started later only has its number. */
  #isAlive(pid: number, startToken: string | null, seenAt: number | null): boolean {
    const facts = this.#options.processes.read(pid)
    if (!facts) return false
    const isComparable = startToken !== null && /^\d+$/.test(startToken) && /^\d+$/.test(facts.startToken)
    if (isComparable && facts.startToken !== startToken) return false
    return seenAt === null || facts.startedAt <= seenAt + CLOCK_SHIFT_MS
  }

  #measure(followed: Followed, now: number): void {
    const { pid, sessionId } = followed.snapshot
    if (pid === null || this.#processOf(followed.snapshot) !== 'alive') return
    const facts = this.#options.processes.read(pid)
    const last = followed.measured
    followed.measured = facts && { at: now, facts }
    if (!facts) return
    const elapsed = last && last.facts.startToken === facts.startToken ? now - last.at : 0
    const cpuPercent =
      last && elapsed > 0 ? Math.round(((facts.cpuMs - last.facts.cpuMs) / elapsed) * 1_000) / 10 : null
    const memMb = Math.round(facts.memMb)
    this.#change(sessionId, { ...followed.snapshot, cpuPercent, memMb })
  }

  #tell(): void {
    const changed = [...this.#changed].flatMap((id) => this.#sessions.get(id)?.snapshot ?? [])
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

function isRepeated({ recent, snapshot }: Followed, { id, occurredAtIso }: LifecycleEvent): boolean {
  return recent.has(id) || Date.parse(snapshot.lastActivityAt) - Date.parse(occurredAtIso) > REPEATED_MS
}

function remember(recent: Set<string>, id: string): void {
  recent.add(id)
  if (recent.size <= RECENT_IDS) return
  for (const oldest of recent) {
    recent.delete(oldest)
    return
  }
}
