/**
 * Where the numbers of events jump. When the log goes on from an older copy, as after a restore, events that readers have seen are
 * gone, and their numbers must not come again: a reader with such a number would take later events for those that it knows.
 */

import type { Statements } from '../lib/sqlite/statements.js'
import type { Session } from '../protocol/session.js'

/** How far clients count back from the newest number. Numbers of events that are gone lie farther below the next floor. */
const MAX_BACK = 10_000

interface LogBreak {
  /** Numbers up to this one belong to what was before. */
  readonly floor: number
  /** The newest position before it. */
  readonly position: number
  /** Sessions with later ids were created behind it. */
  readonly lastSession: string
}

/** Where a reader of a session goes on. `isLost`: its cursor is of events that are gone. */
export interface SessionPlace {
  readonly after: number
  readonly isLost: boolean
}

export class LogBreaks {
  readonly #sql: Statements
  /** Oldest first; seldom any. */
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

  /** Within a transaction. `floor` must be higher than any number that was ever used; the time in ms is. */
  add(floor: number): void {
    const position = this.#sql.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
    const newest = this.#sql.get<{ id: string | null }>('SELECT max(id) AS id FROM session')
    const last = position?.seq ?? 0
    const start = Math.max(floor, last + 1)
    this.#sql.run('INSERT INTO log_break VALUES (?, ?, ?)', start, last, newest?.id ?? '')
    if (position) this.#sql.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'event'", start)
    else this.#sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)", start)
  }

  /** After the transaction. */
  added(): void {
    this.#breaks = this.#read()
  }

  /** The session as the next event finds it. */
  raise(session: Session | null): Session | null {
    const newest = this.#breaks.at(-1)
    if (!newest || !session || session.id > newest.lastSession || session.lastSeq >= newest.floor)
      return session
    return { ...session, lastSeq: newest.floor }
  }

  /** How many numbers were left out up to the newest position. */
  skipped(): number {
    return this.#breaks.reduce((sum, { floor, position }) => sum + floor - position, 0)
  }

  isLostPosition(after: number): boolean {
    return this.#breaks.some(({ floor, position }) => after > position && after < floor)
  }

  /** Clients also count back from the newest number; across a jump that means as many events before it. */
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
