/**
 * Brings the lifecycle stream into SQLite: every line once, in order, whatever happens to this process or to the file.
 * The rows of a batch and the place behind it are one transaction.
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
  /** The stream. It need not be there yet. */
  path: string
  database: Database
  /** Runs a write; throws if nothing can be stored now. The next pass tries again. */
  write?: <Result>(work: () => Result) => Result
  /** Whether the database is closed with the consumer. */
  ownsDatabase?: boolean
  clock?: Clock
  pollMs?: number
  /** Whether the system is asked to tell of changes; if not, the stream is looked at every `pollMs` only. */
  watches?: boolean
  /** How much is stored in one transaction: more is quicker, less lets others run sooner. */
  batchBytes?: number
  /** A longer line is a bad one, and not kept in memory. */
  maxLineBytes?: number
  /** The stream is set aside when it is larger than this; 0: never. */
  rotateAtBytes?: number
  /** How many files that were set aside and read remain; older ones are removed. */
  keepRotated?: number
  /** New events, in order, once they are stored: the first as the row `firstSeq`, each further one as the next row. */
  onEvents?: (events: readonly LifecycleEvent[], firstSeq: number) => void
  /** A pass that failed. The next one tries again from the same place. */
  onError?: (error: unknown) => void
}

export interface Consumed {
  /** New rows. */
  events: number
  /** Lines that were stored before. */
  known: number
  /** Lines kept aside. */
  bad: number
}

/** Somebody else has moved the offset since it was read. */
class OffsetMoved extends Error {}

const DEFAULTS = {
  pollMs: 500,
  watches: true,
  batchBytes: 256 << 10,
  maxLineBytes: 16 << 20,
  rotateAtBytes: 10_000_000,
  keepRotated: 5,
}
/** How often files that were set aside are looked at, for writers who had them open. */
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

  /** What was stored since it was made. */
  get total(): Readonly<Consumed> {
    return { ...this.#total }
  }

  /** Follows the stream until it is closed. */
  start(): void {
    if (this.#watch || this.#runner.isClosed) return
    const { path, clock, pollMs, watches, onError } = this.#options
    const wake = () => this.#runner.wake(onError)
    this.#watch = new StreamWatch({ ...placeOfStream(path), clock, pollMs, watches, onWake: wake })
    wake()
  }

  /** Stores everything that is there now. */
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
        // In the transaction: rows of another stream or process may have been stored since.
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

  /** Sets the stream aside now; what is in it stays to be read. */
  rotate(): Rotated | null {
    return rotateStream(this.#options.path, this.#options.clock.now())
  }

  /** Waits for the pass that is under way. May be called twice. */
  async close(): Promise<void> {
    this.#watch?.close()
    this.#watch = null
    await this.#runner.close()
    this.#tail.close()
    const { database, ownsDatabase } = this.#options
    if (ownsDatabase && database.isOpen) database.close()
  }
}

/** A consumer with a database of its own, which is closed with it. */
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
    // A lock of another program must not stop the event loop of this one: the next pass tries again.
    database.exec('PRAGMA busy_timeout = 20')
    return consumer
  } catch (error) {
    database.close()
    throw error
  }
}
