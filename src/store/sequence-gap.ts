/**
 * Jumps in the numbering of events. When the log continues from an older copy, for example after a restore, events that
 * clients have seen are gone. Their numbers must not be reused: a client with such a cursor would mistake new events
 * for known ones.
 */

import type { Statements } from '../lib/sqlite/statements.js'
import type { Session } from '../protocol/session.js'

/** How far clients may count back from the newest number. Lost numbers are further below the floor than this. */
const MAX_BACK = 10_000

interface LogBreak {
  /** Numbers up to this one belong to the log before the break. */
  readonly floor: number
  /** The last position before the break. */
  readonly position: number
  /** Sessions with greater ids were created after the break. */
  readonly lastSession: string
}

/** Where a reader of a session continues. `isLost`: its cursor belongs to lost events. */
export interface SessionPlace {
  readonly after: number
  readonly isLost: boolean
}

export class LogBreaks {
  readonly #sql: Statements
  /** Oldest first; usually empty. */
  #breaks: readonly LogBreak[]

  constructor(sql: Statements) {
    this.#sql = sql
    this.#breaks = this.#read()
  }

  #read(): LogBreak[] {
    return this.#sql.all<LogBreak>(
      'SELECT floor, position, last_session AS lastSession FROM log_break ORDER BY floor',
    )
  }

  get isEmpty(): boolean {
    return this.#breaks.length === 0
  }

  /** Call within a transaction. `floor` must be greater than any number ever used; the time in milliseconds is. */
  add(floor: number): void {
    const position = this.#sql.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
    const newest = this.#sql.get<{ id: string | null }>('SELECT max(id) AS id FROM session')
    const last = position?.seq ?? 0
    const start = Math.max(floor, last + 1)
    this.#sql.run('INSERT INTO log_break VALUES (?, ?, ?)', start, last, newest?.id ?? '')
    if (position) this.#sql.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'event'", start)
    else this.#sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)", start)
  }

  /** Call after the transaction. */
  added(): void {
    this.#breaks = this.#read()
  }

  /** The session with `lastSeq` raised to the floor, for the next event. */
  raise(session: Session | null): Session | null {
    const newest = this.#breaks.at(-1)
    if (!newest || !session || session.id > newest.lastSession || session.lastSeq >= newest.floor)
      return session
    return { ...session, lastSeq: newest.floor }
  }

  /** Count of unused positions up to the newest one. */
  skipped(): number {
    return this.#breaks.reduce((sum, { floor, position }) => sum + floor - position, 0)
  }

  isLostPosition(after: number): boolean {
    return this.#breaks.some(({ floor, position }) => after > position && after < floor)
  }

  /**
   * A cursor may be counted back from the newest number. If that crosses a break, the same number of events before the
   * break is meant.
   */
  placeIn(session: { key: number; id: string }, after: number): SessionPlace {
    const next = this.#breaks.find(({ floor, lastSession }) => floor >= after && session.id <= lastSession)
    if (!next) return { after, isLost: false }
    const row = this.#sql.get<{ seq: number | null }>(
      'SELECT max(seq) AS seq FROM event WHERE session = ? AND seq <= ?',
      session.key,
      next.floor,
    )
    const last = row?.seq ?? 0
    if (after <= last) return { after, isLost: false }
    const back = next.floor - after
    return back > MAX_BACK ? { after, isLost: true } : { after: Math.max(0, last - back), isLost: false }
  }
}
