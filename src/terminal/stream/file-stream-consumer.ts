/**
 * Stores the lifecycle stream in SQLite: every line exactly once and in order, whatever happens to this process or to
 * the file. The rows of a batch and the offset after it are stored in one transaction.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, systemClock } from '../../lib/clock.js'
import { type Database, inTransaction, makeDurable, openDatabase } from '../../lib/sqlite/driver.js'
import { decodeLine } from './decode.js'
import type { LifecycleEvent } from './event.js'
import { EventTable } from './event-table.js'
import { PassRunner } from './pass-runner.js'
import { pruneRotated } from './prune.js'
import { type Rotated, rotateStream } from './rotate.js'
import { placeOfStream, StreamWatch } from './stream-watch.js'
import { createTables } from './table.js'
import { StreamTail, type TailBatch } from './tail.js'

export interface FileStreamConsumerOptions {
  /** Path of the stream, which need not exist yet. */
  path: string
  database: Database
  /** Runs a write. Throws if nothing can be stored now; the next pass retries. */
  write?: <Result>(work: () => Result) => Result
  /** Closes the database with the consumer. */
  ownsDatabase?: boolean
  clock?: Clock
  pollMs?: number
  /** Watches the folder (`fs.watch`). Otherwise only polls every `pollMs`. */
  watches?: boolean
  /** Size of a transaction: larger is faster, smaller blocks the event loop for less time. */
  batchBytes?: number
  /** A longer line is stored as a bad line, and is not buffered. */
  maxLineBytes?: number
  /** Rotates the stream when it is larger than this; 0: never. */
  rotateAtBytes?: number
  /** Number of rotated files to keep once they are read. Older ones are deleted. */
  keepRotated?: number
  /** Called with new events in order, after they are stored: the first has row `firstSeq`, the others follow. */
  onEvents?: (events: readonly LifecycleEvent[], firstSeq: number) => void
  /** Called when a pass failed. The next pass retries from the same offset. */
  onError?: (error: unknown) => void
}

export interface Consumed {
  /** Rows added. */
  events: number
  /** Duplicates. */
  known: number
  /** Bad lines, stored separately. */
  bad: number
}

/** Another consumer changed the offset since it was read. */
class OffsetMoved extends Error {}

const DEFAULTS = {
  pollMs: 500,
  watches: true,
  batchBytes: 256 << 10,
  maxLineBytes: 16 << 20,
  rotateAtBytes: 10_000_000,
  keepRotated: 5,
}
/** Interval of checks of rotated files, into which a writer that had them open may still write. */
const LOOK_AROUND_MS = 2_000
const PRUNE_MS = 60_000

export class FileStreamConsumer {
  readonly #options: Required<Omit<FileStreamConsumerOptions, 'onEvents' | 'onError'>> &
    Pick<FileStreamConsumerOptions, 'onEvents' | 'onError'>
  readonly #table: EventTable
  readonly #tail: StreamTail
  readonly #runner = new PassRunner(() => this.#pass())
  readonly #total: Consumed = { events: 0, known: 0, bad: 0 }
  #revision: number
  #watch: StreamWatch | null = null
  #lookedAround = 0
  #pruned = 0

  constructor(options: FileStreamConsumerOptions) {
    this.#options = {
      ...DEFAULTS,
      write: (work) => work(),
      clock: systemClock,
      ownsDatabase: false,
      ...options,
    }
    const { database, path, batchBytes, maxLineBytes } = this.#options
    createTables(database)
    this.#table = new EventTable(database, path)
    this.#revision = this.#table.revision()
    this.#tail = new StreamTail(path, { batchBytes, maxLineBytes, state: this.#table.load() })
  }

  /** Totals since this consumer was created. */
  get total(): Readonly<Consumed> {
    return { ...this.#total }
  }

  /** Follows the stream until closed. */
  start(): void {
    if (this.#watch || this.#runner.isClosed) return
    const { path, clock, pollMs, watches, onError } = this.#options
    const wake = () => this.#runner.wake(onError)
    this.#watch = new StreamWatch({ ...placeOfStream(path), clock, pollMs, watches, onWake: wake })
    wake()
  }

  /** Stores all lines that exist now. */
  consume(): Promise<void> {
    return this.#runner.run()
  }

  async #pass(): Promise<void> {
    this.#lookAround()
    for (let batch = this.#next(); batch; batch = this.#next()) {
      this.#store(batch)
      await nextTurn()
    }
    if (!this.#runner.isClosed) this.#tidy()
  }

  #next(): TailBatch | null {
    return this.#runner.isClosed ? null : this.#tail.next()
  }

  #lookAround(): void {
    const now = this.#options.clock.now()
    if (now - this.#lookedAround < LOOK_AROUND_MS) return
    this.#lookedAround = now
    this.#tail.lookAround()
  }

  #store(batch: TailBatch): void {
    const events: LifecycleEvent[] = []
    const counted: Consumed = { events: 0, known: 0, bad: 0 }
    let firstSeq = 0
    try {
      const { database, write, clock } = this.#options
      const store = () => {
        if (this.#table.revision() !== this.#revision) throw new OffsetMoved()
        const nowIso = new Date(clock.now()).toISOString()
        // Race: read inside the transaction, because another process or stream may have added rows.
        firstSeq = this.#table.lastSeq() + 1
        const at = { fileHead: batch.file.head ?? '', nowIso, firstSeq }
        for (const line of batch.lines) this.#storeLine(line, at, events, counted)
        this.#table.save(batch.state, this.#revision + 1, nowIso)
      }
      write(() => inTransaction(database, store))
    } catch (error) {
      this.#table.forget()
      if (!(error instanceof OffsetMoved)) throw error
      this.#revision = this.#table.revision()
      this.#tail.restart(this.#table.load())
      return
    }
    this.#revision += 1
    batch.accept()
    this.#total.events += counted.events
    this.#total.known += counted.known
    this.#total.bad += counted.bad
    if (events.length > 0) this.#options.onEvents?.(events, firstSeq)
  }

  #storeLine(
    { text, offset, length }: TailBatch['lines'][number],
    { fileHead, nowIso, firstSeq }: { fileHead: string; nowIso: string; firstSeq: number },
    events: LifecycleEvent[],
    counted: Consumed,
  ): void {
    const keepAside = (reason: string, kept: string) => {
      if (this.#table.insertBad({ fileHead, offset, length, reason, text: kept }, nowIso)) counted.bad += 1
    }
    if (text === null) {
      keepAside('too_long', '')
      return
    }
    const decoded = decodeLine(text)
    if (decoded.kind === 'blank') return
    if (decoded.kind === 'bad') {
      keepAside(decoded.problem, text)
      return
    }
    if (decoded.kind === 'glued') keepAside('cut_short', decoded.fragment)
    if (this.#table.insert(decoded.event, decoded.raw, firstSeq + counted.events)) {
      counted.events += 1
      if (this.#options.onEvents) events.push(decoded.event)
    } else {
      counted.known += 1
    }
  }

  #tidy(): void {
    const { path, clock, rotateAtBytes, keepRotated } = this.#options
    const { live, retired } = this.#tail.state
    if (rotateAtBytes > 0 && live !== null && live.offset >= rotateAtBytes) this.rotate()
    const now = clock.now()
    if (now - this.#pruned < PRUNE_MS) return
    this.#pruned = now
    pruneRotated(path, { keep: keepRotated, now, read: retired })
  }

  /** Rotates the stream now. Its content is still read. */
  rotate(): Rotated | null {
    return rotateStream(this.#options.path, this.#options.clock.now())
  }

  /** Waits for the running pass. Idempotent. */
  async close(): Promise<void> {
    this.#watch?.close()
    this.#watch = null
    await this.#runner.close()
    this.#tail.close()
    const { database, ownsDatabase } = this.#options
    if (ownsDatabase && database.isOpen) database.close()
  }
}

/** Opens a consumer with its own database, which is closed with it. */
export async function openFileStreamConsumer({
  databasePath,
  ...options
}: Omit<FileStreamConsumerOptions, 'database' | 'ownsDatabase'> & {
  databasePath: string
}): Promise<FileStreamConsumer> {
  const database = await openDatabase(databasePath)
  try {
    makeDurable(database)
    const consumer = new FileStreamConsumer({ ...options, database, ownsDatabase: true })
    // A short busy timeout, because waiting for a lock blocks the event loop. The next pass retries.
    database.exec('PRAGMA busy_timeout = 20')
    return consumer
  } catch (error) {
    database.close()
    throw error
  }
}
