/**
 * The terminal side of a daemon. The consumer stores the stream as rows, the monitor reads the rows, and the observer
 * records the changes in the log.
 */

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import type { IdSource } from '../lib/id.js'
import { Sequencer } from '../lib/sequencer.js'
import type { Database } from '../lib/sqlite/driver.js'
import { isStorageProblem } from '../protocol/storage.js'
import type { HookStatus } from '../protocol/terminal/hook-status.js'
import type { TerminalSession } from '../protocol/terminal/terminal-session.js'
import type { TranscriptSettings } from '../protocol/terminal/transcript-settings.js'
import type { TranscriptStatus } from '../protocol/terminal/transcript-status.js'
import type { Store } from '../store/port.js'
import { readHookStatus } from './hook/hook-status.js'
import { rememberWorking } from './hook/working-hook.js'
import { HeldRequests } from './log/held-requests.js'
import { TerminalRecorder } from './log/recorder.js'
import { SessionBook } from './log/session-book.js'
import { LifecycleSessionMonitor } from './monitor/lifecycle-session-monitor.js'
import { FileStreamConsumer } from './stream/file-stream-consumer.js'
import { RowSource } from './stream/row-source.js'
import { createTables } from './stream/table.js'
import { TranscriptImporter } from './transcript/importer.js'
import { TranscriptTable } from './transcript/table.js'

export interface Terminals {
  /** Most recently active first. */
  sessions(): readonly TerminalSession[]
  /** The output of a waiting hook; null if it prints nothing. `signal` aborts when the hook disconnects. */
  hold(lineId: string, signal: AbortSignal): Promise<string | null>
  /** Status of the hook of the user that runs the daemon. */
  hooks(): HookStatus
  /** The state of the import of transcripts. */
  transcripts(): TranscriptStatus
  close(): Promise<void>
}

export interface TerminalsDeps {
  journal: Journal
  store: Store
  clock: Clock
  ids: IdSource
  /** Database of the stream's tables: the store's connection, because a second one would have its own locks. */
  database: Database
  /** Runs a write. Throws if nothing can be stored now. */
  write<Result>(work: () => Result): Result
  /** Runs a read. Throws if nothing can be read now. */
  read<Result>(work: () => Result): Result
  /** Path of the stream. */
  path: string
  /** Claude Code's folder, for its registry of sessions. */
  claudeFolder: string
  /** Folder of the installation records. */
  home: string
  transcripts: TranscriptSettings
  /** Older conversations are not imported: they would be deleted at once. 0: all are. */
  retentionDays: number
  /** Learns the secrets in the files of a folder, so that viewers get them redacted. */
  learnFolder(cwd: string): Promise<void>
  onFault(error: unknown): void
}

const RELEASE_MS = 300

/** Upper limit for the monitor's wait for a stream that keeps growing. */
const CATCH_UP_MS = 30_000

/** Starts reading the stream in the background. */
export async function openTerminals(deps: TerminalsDeps): Promise<Terminals> {
  const { path, clock, claudeFolder, database, read, write } = deps
  // The store reports storage problems, once.
  const onFault = (error: unknown) => {
    if (!isStorageProblem(error)) deps.onFault(error)
  }
  const closers = new Closers(onFault)
  try {
    createTables(database)
    const sequencer = new Sequencer()
    const book = new SessionBook(deps)
    const transcripts = new TranscriptImporter({
      ...deps,
      onFault,
      sequencer,
      book,
      table: new TranscriptTable(database),
      folder: join(claudeFolder, 'projects'),
      settings: deps.transcripts,
    })
    const observer: TerminalRecorder = new TerminalRecorder({
      ...deps,
      onFault,
      sequencer,
      book,
      transcripts,
      answerOf: (sessionId, toolName, input) => monitor.answerOf(sessionId, toolName, input),
    })
    const source = new RowSource({ database, read, recordedThrough: observer.recordedThrough })
    const monitor: LifecycleSessionMonitor = new LifecycleSessionMonitor({
      path,
      claudeFolder,
      clock,
      source,
      onLines: (lines, through) => observer.record(lines, through),
      catchUp: () => consumer.consume(),
      onError: onFault,
    })
    const consumer: FileStreamConsumer = closers.add(
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
    closers.add(transcripts, (it) => it.close())
    closers.add(monitor, (it) => it.close())
    closers.add(observer, (it) => it.close())
    const held = closers.add(new HeldRequests({ ...deps, after: await deps.store.lastPosition() }), (it) =>
      it.close(),
    )
    // Timeout: on a full disk this waits for space.
    const isReleased = held.releaseLost().catch(onFault)
    await Promise.race([isReleased, wait(RELEASE_MS)])
    monitor.subscribe((changed) => observer.found(changed))
    const works = rememberWorking(clock)
    const where = { claudeFolder, home: deps.home, cwd: claudeFolder, streamPath: path }
    const hooks = () => readHookStatus({ ...where, scopes: ['user'], platform: process.platform, works })
    consumer.start()
    // The monitor starts once lines written while no daemon ran are stored. Then sessions among them that ended long
    // ago are skipped too, and the transcript of a turn is read once. Lines that cannot be stored now follow later.
    const isCaughtUp = Promise.race([
      consumer.consume().catch(onFault),
      wait(CATCH_UP_MS, null, { ref: false }),
    ])
    isCaughtUp
      .then(() => monitor.start())
      // Hooks of the past come first: they and the transcripts are merged by time.
      .then(() => transcripts.start())
      .catch(onFault)
    return {
      sessions: () =>
        monitor.sessions().map((snapshot) => ({ id: observer.idOf(snapshot.sessionId), ...snapshot })),
      hold: (lineId, signal) => held.hold(lineId, signal),
      hooks,
      transcripts: () => transcripts.status,
      close: () => closers.close(),
    }
  } catch (error) {
    await closers.close()
    throw error
  }
}
