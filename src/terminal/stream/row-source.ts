/**
 * Reads the events of a stream from the rows that a consumer stored, in the order of their common sequence, with a
 * cursor in memory. Also finds rows stored by other processes.
 */

import type { Clock } from '../../lib/clock.js'
import type { Database, Statement } from '../../lib/sqlite/driver.js'
import { decodeLine } from './decode.js'
import type { LifecycleEvent } from './event.js'
import type { EventSource } from './event-source.js'
import { EventTable, TABLES } from './event-table.js'

export interface RowSourceOptions {
  database: Database
  /** Runs a read. Throws if nothing can be read now. */
  read?<Result>(work: () => Result): Result
  /** Cursor of the log: later rows are never skipped. Null if it never recorded anything. */
  recordedThrough: number | null
  /** Number of rows to replay at startup, besides those that the log lacks. */
  replayedRows?: number
}

interface Row {
  readonly seq: number
  readonly sessionId: string
  readonly raw: string
}

/** About as many lines as a stream has with its rotated files. */
const REPLAYED_ROWS = 100_000
const BATCH_ROWS = 500
/** Limit of decoded events in memory for a reader that lags behind. It reads further ones from the tables. */
const KEPT_EVENTS = 2_000

export class RowSource implements EventSource {
  readonly #recordedThrough: number | null
  readonly #replayedRows: number
  readonly #read: NonNullable<RowSourceOptions['read']>
  readonly #table: EventTable
  readonly #next: Statement
  readonly #ended: Statement
  /** Last row of each session that is skipped. */
  #old: ReadonlyMap<string, number> = new Map()
  /** The last row read; null before the first read. */
  #cursor: number | null = null
  /** Events stored since then, already decoded. */
  #kept: { event: LifecycleEvent; seq: number }[] = []
  #onWake: () => void = () => {}

  constructor({
    database,
    read = (work) => work(),
    recordedThrough,
    replayedRows = REPLAYED_ROWS,
  }: RowSourceOptions) {
    this.#read = read
    this.#recordedThrough = recordedThrough
    this.#replayedRows = replayedRows
    this.#table = new EventTable(database, '')
    const rows = TABLES.map(
      (table) => `select seq, session_id as sessionId, raw_json as raw from ${table} where seq > ?1`,
    )
    this.#next = database.prepare(`${rows.join(' union all ')} order by seq limit ${BATCH_ROWS}`)
    this.#ended = database.prepare(
      `select session_id as sessionId, max(seq) as seq from session_lifecycle_events
       where seq > ? and phase = 'ended' and julianday(occurred_at_iso) < julianday(?) group by session_id`,
    )
  }

  /** Takes rows that were just stored, so that they need not be read and parsed again. */
  offer(events: readonly LifecycleEvent[], firstSeq: number): void {
    const last = this.#kept.at(-1)?.seq ?? firstSeq - 1
    if (last + 1 !== firstSeq || this.#kept.length + events.length > KEPT_EVENTS) this.#kept = []
    if (events.length <= KEPT_EVENTS)
      this.#kept.push(...events.map((event, index) => ({ event, seq: firstSeq + index })))
    this.#onWake()
  }

  skipEndedBefore(time: number | null): void {
    const endedBefore = (iso: string) =>
      this.#read(() => this.#ended.all(this.#start(), iso)) as unknown as Omit<Row, 'raw'>[]
    const rows = time === null ? [] : endedBefore(new Date(time).toISOString())
    this.#old = new Map(rows.map(({ sessionId, seq }) => [sessionId, seq]))
  }

  read(take: (event: LifecycleEvent, seq: number) => void): number | null {
    const cursor = this.#start()
    const last = this.#readKept(cursor, take) ?? this.#readRows(cursor, take)
    if (last !== null) this.#cursor = last
    return last
  }

  #readKept(cursor: number, take: (event: LifecycleEvent, seq: number) => void): number | null {
    const from = this.#kept.findIndex(({ seq }) => seq === cursor + 1)
    if (from < 0) return null
    for (const { event, seq } of this.#kept.slice(from)) {
      if (!this.#isOld(event.sessionId, seq)) take(event, seq)
    }
    const last = this.#kept.at(-1)?.seq ?? null
    this.#kept = []
    return last
  }

  #readRows(cursor: number, take: (event: LifecycleEvent, seq: number) => void): number | null {
    const rows = this.#read(() => this.#next.all(cursor)) as unknown as Row[]
    for (const { seq, sessionId, raw } of rows) {
      if (this.#isOld(sessionId, seq)) continue
      // The line was valid when it was stored. If another program changed the row since, it is skipped.
      const decoded = decodeLine(raw)
      if (decoded.kind === 'event') take(decoded.event, seq)
    }
    return rows.at(-1)?.seq ?? null
  }

  /** A session that ended while no daemon ran is still recorded, unless no daemon ever recorded anything. */
  #isOld(sessionId: string, seq: number): boolean {
    const isRecorded = this.#recordedThrough === null || seq <= this.#recordedThrough
    return isRecorded && seq <= (this.#old.get(sessionId) ?? 0)
  }

  #start(): number {
    this.#cursor ??= Math.max(
      0,
      Math.min(this.#recordedThrough ?? 0, this.#read(() => this.#table.lastSeq()) - this.#replayedRows),
    )
    return this.#cursor
  }

  /** Nothing to do: every read finds rows of other processes too. */
  lookAround(): void {}

  follow({ clock, pollMs, onWake }: { clock: Clock; pollMs: number; onWake(): void }): { close(): void } {
    this.#onWake = onWake
    let stopTimer = () => {}
    const poll = () => {
      stopTimer = clock.after(pollMs, () => {
        poll()
        onWake()
      })
    }
    poll()
    return {
      close: () => {
        this.#onWake = () => {}
        stopTimer()
      },
    }
  }

  close(): void {
    this.#kept = []
  }
}
