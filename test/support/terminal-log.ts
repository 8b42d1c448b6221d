/** The way of a line in a daemon, without the daemon: stream, consumer, rows, monitor, log. */

import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createJournal } from '../../src/journal/journal.js'
import { Sequencer } from '../../src/lib/sequencer.js'
import { type Database, openDatabase } from '../../src/lib/sqlite/driver.js'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import { createMemoryStore } from '../../src/store/memory.js'
import { TerminalRecorder } from '../../src/terminal/log/recorder.js'
import { SessionBook } from '../../src/terminal/log/session-book.js'
import { LifecycleSessionMonitor } from '../../src/terminal/monitor/lifecycle-session-monitor.js'
import type { ProcessFacts } from '../../src/terminal/monitor/process-table.js'
import { FileStreamConsumer } from '../../src/terminal/stream/file-stream-consumer.js'
import { RowSource } from '../../src/terminal/stream/row-source.js'
import { createTables } from '../../src/terminal/stream/table.js'
import { TranscriptImporter } from '../../src/terminal/transcript/importer.js'
import { TranscriptTable } from '../../src/terminal/transcript/table.js'
import { ids } from './build.js'
import { createManualClock } from './manual-clock.js'
import { temporaryFolder } from './temporary-folder.js'

export const SESSION = '0d0c3e5a-1111-4222-8333-444455556666'

/** `transcripts`: conversations are kept as well; otherwise hooks are the only source. */
export async function makeTerminalLog({ transcripts: keep = false, retentionDays = 0 } = {}) {
  const folder = await temporaryFolder()
  const path = join(folder, 'lifecycle.jsonl')
  const claudeFolder = join(folder, 'claude')
  mkdirSync(join(claudeFolder, 'sessions'), { recursive: true })
  const clock = createManualClock()
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const journal = createJournal({ store, clock, ids })
  const first = await openDatabase(':memory:')
  onTestFinished(() => first.close())
  let database = first
  const running = new Map<number, ProcessFacts>()
  const processes = { read: (pid: number) => running.get(pid) ?? null, space: 'here' }
  const faults: unknown[] = []
  const start = () => {
    const onFault = (error: unknown) => void faults.push(error)
    createTables(database)
    const sequencer = new Sequencer()
    const book = new SessionBook({ journal, store, clock, ids })
    const transcripts = new TranscriptImporter({
      journal,
      clock,
      ids,
      sequencer,
      book,
      table: new TranscriptTable(database),
      write: (work) => work(),
      folder: join(claudeFolder, 'projects'),
      settings: { keep, exclude: [] },
      retentionDays,
      onFault,
    })
    const observer: TerminalRecorder = new TerminalRecorder({
      journal,
      store,
      clock,
      ids,
      database,
      sequencer,
      book,
      transcripts,
      answerOf: (...call) => monitor.answerOf(...call),
      onFault,
    })
    const source = new RowSource({ database, recordedThrough: observer.recordedThrough })
    const consumer = new FileStreamConsumer({
      path,
      database,
      clock,
      rotateAtBytes: 0,
      onEvents: (events, firstSeq) => source.offer(events, firstSeq),
    })
    const monitor: LifecycleSessionMonitor = new LifecycleSessionMonitor({
      path,
      claudeFolder,
      clock,
      processes,
      source,
      onLines: (...batch) => observer.record(...batch),
      onError: onFault,
    })
    monitor.subscribe((changed) => observer.found(changed))
    onTestFinished(async () => {
      await observer.close()
      await monitor.close()
      await consumer.close()
      await transcripts.close()
    })
    return { observer, monitor, consumer, transcripts }
  }
  let life = start()
  const sessions = () => store.sessions({ kind: 'observed' })
  const events = async (sessionId = SESSION): Promise<SessionEvent[]> => {
    const [session] = await store.sessions({ claudeSessionId: sessionId })
    return session ? (await store.readSession(session.id)).map(({ event }) => event) : []
  }
  return {
    path,
    clock,
    store,
    journal,
    database: () => database,
    running,
    faults,
    sessions,
    events,
    observer: () => life.observer,
    transcripts: () => life.transcripts,
    claudeFolder,
    monitor: () => life.monitor,
    /** Appends a line of now; returns its id. */
    write(eventType: string, fields: Record<string, unknown> = {}): string {
      clock.advance(10)
      const id = randomUUID()
      const { phase } = fields
      const line = {
        id,
        eventType,
        ...(phase !== undefined && { phase }),
        occurredAtIso: new Date(clock.now()).toISOString(),
        sessionId: SESSION,
        provider: 'claude',
        projectPath: '/p',
        cwd: '/p',
        ...fields,
      }
      appendFileSync(path, `${JSON.stringify(line)}\n`)
      return id
    },
    register(pid: number, entry: Record<string, unknown>) {
      const file = join(claudeFolder, 'sessions', `${pid}.json`)
      writeFileSync(file, JSON.stringify({ pid, sessionId: SESSION, procStart: '100', ...entry }))
    },
    async look(ms = 2_000): Promise<void> {
      clock.advance(ms)
      await life.consumer.consume()
      await life.monitor.refresh()
      await life.observer.idle()
    },
    /** Stores what is in the stream; the rows are not read. */
    storeRows: () => life.consumer.consume(),
    /** As after an end without warning: whatever was not written down is not known. */
    restart(on: Database = database) {
      database = on
      life = start()
    },
    types: async (sessionId?: string) => (await events(sessionId)).map(({ type }) => type),
  }
}
