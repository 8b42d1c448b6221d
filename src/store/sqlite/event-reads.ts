/** Reads stored events in order, in pages, and finds the gaps that trimming and log breaks have left. */

import { setImmediate as turn } from 'node:timers/promises'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { SessionResumePoint, StoredEvent } from '../port/append.js'
import { DEFAULT_LIMIT, type EventFilter } from '../port/filter.js'
import type { EventGap } from '../port.js'
import type { LogBreaks, SessionPlace } from '../sequence-gap.js'
import type { SessionCache } from './session-cache.js'
import { EVENTS, type EventRow, readEvent } from './stored-row.js'

/** Number of positions scanned per step. */
const WINDOW = 5_000
const NEXT_POSITION = 'SELECT min(position) AS position FROM event WHERE position > ?'

export interface EventReadsDeps {
  sql: Statements
  cache: SessionCache
  breaks: LogBreaks
}

export class EventReads {
  readonly #sql: Statements
  readonly #cache: SessionCache
  readonly #breaks: LogBreaks

  constructor({ sql, cache, breaks }: EventReadsDeps) {
    this.#sql = sql
    this.#cache = cache
    this.#breaks = breaks
  }

  ofSession(sessionId: string, filter: EventFilter = {}): StoredEvent[] {
    const { after } = this.#placeIn(sessionId, filter.after ?? 0)
    return this.#select('WHERE session.id = ? AND event.seq > ?', 'event.seq', [sessionId, after], filter)
  }

  async ofAll(filter: EventFilter = {}): Promise<StoredEvent[]> {
    const { after = 0, types, limit = DEFAULT_LIMIT, maxBytes } = filter
    if (!types) return this.#select('WHERE event.position > ?', 'event.position', [after], filter)
    // Matches may be rare: yields to the event loop between windows.
    const found: StoredEvent[] = []
    for (let behind = after; found.length < limit; behind += WINDOW) {
      // Skips gaps in the positions.
      const next = this.#sql.get<{ position: number | null }>(NEXT_POSITION, behind)?.position ?? null
      if (next === null) break
      const from = Math.max(behind, next - 1)
      behind = from
      const range = 'WHERE event.position > ? AND event.position <= ?'
      const left = { types, limit: limit - found.length, ...(maxBytes !== undefined && { maxBytes }) }
      const some = this.#select(range, 'event.position', [from, from + WINDOW], left)
      found.push(...some)
      // The window may contain more matches; they come with the next page.
      if (maxBytes !== undefined && some.length > 0) break
      await turn()
    }
    return found
  }

  #select(
    where: string,
    order: string,
    values: (string | number)[],
    { types, limit, maxBytes = Number.POSITIVE_INFINITY }: EventFilter,
  ): StoredEvent[] {
    const ofType = types ? `AND type IN (${types.map(() => '?').join(', ')})` : ''
    const rows = this.#sql.upTo<EventRow>(
      maxBytes,
      ({ data }) => data.length,
      `${EVENTS} ${where} ${ofType} ORDER BY ${order} LIMIT ?`,
      ...values,
      ...(types ?? []),
      limit ?? DEFAULT_LIMIT,
    )
    return rows.map(readEvent)
  }

  /** Without damaged ones. */
  resumePoints(): SessionResumePoint[] {
    const rows = this.#sql.all<SessionResumePoint & { state: string }>(
      `SELECT session.id AS sessionId, launch, output_offset AS offset, launch_point.state AS state
       FROM launch_point JOIN session ON session.key = launch_point.session`,
    )
    return rows.flatMap((row) => {
      try {
        return [{ ...row, state: JSON.parse(row.state) as unknown }]
      } catch {
        return []
      }
    })
  }

  lastPosition(): number {
    // Includes deleted events: positions are never reused.
    const row = this.#sql.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
    return row?.seq ?? 0
  }

  /** Events ever stored. */
  count(): number {
    return this.lastPosition() - this.#breaks.skipped()
  }

  gapBehind(sessionId: string | undefined, after: number): EventGap | null {
    if (sessionId !== undefined) return this.#gapInSession(sessionId, after)
    const next = this.#nextPosition(after)
    return next > after + 1 ? { after, next } : null
  }

  #gapInSession(sessionId: string, after: number): EventGap | null {
    const { key, session } = this.#cache.load(sessionId)
    const place = this.#placeIn(sessionId, after)
    const first = this.#sql.get<{ seq: number | null }>(
      'SELECT min(seq) AS seq FROM event WHERE session = ? AND seq > ?',
      key,
      place.isLost ? after : 0,
    )
    const next = first?.seq ?? (this.#breaks.raise(session)?.lastSeq ?? 0) + 1
    return place.isLost || next > place.after + 1 ? { after, next } : null
  }

  #placeIn(id: string, after: number): SessionPlace {
    if (this.#breaks.isEmpty) return { after, isLost: false }
    return this.#breaks.placeIn({ key: this.#cache.load(id).key, id }, after)
  }

  /**
   * A jump in positions is not a loss in itself. A gap is reported for trimmed events, and for those lost at a log
   * break.
   */
  #nextPosition(after: number): number {
    const trimmed = this.#sql.get<{ position: number }>('SELECT position FROM trimmed')?.position ?? 0
    if (after >= trimmed && !this.#breaks.isLostPosition(after)) return after
    const next = this.#sql.get<{ position: number | null }>(NEXT_POSITION, after)
    return next?.position ?? this.lastPosition() + 1
  }
}
