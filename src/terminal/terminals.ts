/**
 * Everything about terminals that a daemon does. The consumer stores the stream as rows; the monitor reads the rows, and
 * what they change goes into the log.
 */

import { setTimeout as wait } from 'node:timers/promises'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import type { IdSource } from '../lib/id.js'
import type { Database } from '../lib/sqlite/driver.js'
import type { HookStatus } from '../protocol/hook-status.js'
import { isStorageProblem } from '../protocol/storage.js'
import type { TerminalSession } from '../protocol/terminal-session.js'
import type { Store } from '../store/port.js'
import { readHookStatus } from './hook/hook-status.js'
import { HeldRequests } from './log/held-requests.js'
import { Observer } from './log/recorder.js'
import { LifecycleSessionMonitor } from './monitor/lifecycle-session-monitor.js'
import { FileStreamConsumer } from './stream/file-stream-consumer.js'
import { RowSource } from './stream/row-source.js'
import { createTables } from './stream/table.js'

export interface Terminals {
  /** The session that did something last comes first. */
  sessions(): readonly TerminalSession[]
  /** What a hook that waits prints; null if it has nothing to say. `signal` aborts when the hook has gone. */
  hold(lineId: string, signal: AbortSignal): Promise<string | null>
  /** How the hook of the person who runs the daemon is. */
  hooks(): HookStatus
  /** Whether a hook waits for the answer to a request. */
  isHeld(requestId: string): boolean
  close(): Promise<void>
}

export interface TerminalsDeps {
  journal: Journal
  store: Store
  clock: Clock
  ids: IdSource
  /** Where the tables of the stream are: the connection of the store, as another one would have locks of its own. */
  database: Database
  /** Runs a write; throws if nothing can be stored now. */
  write<Result>(work: () => Result): Result
  /** The stream. */
  path: string
  /** Claude Code's folder, for its registry of sessions. */
  claudeFolder: string
  /** Where it is written down what was installed. */
  home: string
  onFault(error: unknown): void
}

/** Finding out runs the hook once: not for everybody who asks at the same time. */
const STATUS_MS = 2_000

const RELEASE_MS = 300

/** How long the monitor waits at most for a stream that never stops growing. */
const CATCH_UP_MS = 30_000

/** Reading the stream begins here and goes on by itself. */
export async function openTerminals(deps: TerminalsDeps): Promise<Terminals> {
  const { path, clock, claudeFolder, database, write } = deps
  // What waits for the disk is reported once, by the store.
  const onFault = (error: unknown) => {
    if (!isStorageProblem(error)) deps.onFault(error)
  }
  const closers = new Closers(onFault)
  try {
    createTables(database)
    const observer: Observer = new Observer({
      ...deps,
      onFault,
      answerOf: (sessionId, toolName, input) => monitor.answerOf(sessionId, toolName, input),
    })
    const source = new RowSource({ database, recordedThrough: observer.recordedThrough })
    const monitor: LifecycleSessionMonitor = new LifecycleSessionMonitor({
      path,
      claudeFolder,
      clock,
      source,
      onLines: (lines, through) => observer.record(lines, through),
      onError: onFault,
    })
    const consumer = closers.add(
      new FileStreamConsumer({
        path,
        database,
        write,
        clock,
        onEvents: (events, firstSeq) => source.offer(events, firstSeq),
        onError: onFault,
      }),
      (it) => it.close(),
    )
    closers.add(monitor, (it) => it.close())
    closers.add(observer, (it) => it.close())
    const held = closers.add(new HeldRequests(deps), (it) => it.close())
    // Not for longer than a moment: on a disk that is full it waits for room.
    const isReleased = held.releaseLost().catch(onFault)
    await Promise.race([isReleased, wait(RELEASE_MS)])
    monitor.subscribe((changed) => observer.found(changed))
    let status: { found: HookStatus; at: number } | null = null
    const hooks = () => {
      if (status === null || clock.now() - status.at > STATUS_MS) {
        const where = { claudeFolder, home: deps.home, cwd: claudeFolder, streamPath: path }
        const found = readHookStatus({ ...where, scopes: ['user'], platform: process.platform })
        status = { found, at: clock.now() }
      }
      return status.found
    }
    consumer.start()
    // The monitor begins when what was written while no daemon ran is stored: of that, too, sessions that ended long ago
    // are passed over, and a turn is looked up in its transcript once. What cannot be stored now comes later.
    const isCaughtUp = Promise.race([
      consumer.consume().catch(onFault),
      wait(CATCH_UP_MS, null, { ref: false }),
    ])
    isCaughtUp.then(() => monitor.start()).catch(onFault)
    return {
      sessions: () =>
        monitor.sessions().map((snapshot) => ({ id: observer.idOf(snapshot.sessionId), ...snapshot })),
      hold: (lineId, signal) => held.hold(lineId, signal),
      hooks,
      isHeld: (requestId) => held.isHeld(requestId),
      close: () => closers.close(),
    }
  } catch (error) {
    await closers.close()
    throw error
  }
}
