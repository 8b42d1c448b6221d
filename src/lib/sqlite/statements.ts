/** Statements of one database, prepared once. */

import { type Database, type Statement, withResultCode } from './driver.js'

type Value = string | number | null

export interface ReadHooks {
  /** Throws if nothing can be read now. */
  before(): void
  /** Maps the error of a failed read; `again` repeats the read. */
  failed(error: unknown, again: () => void): unknown
}

export class Statements {
  readonly #database: Database
  readonly #hooks: ReadHooks
  readonly #prepared = new Map<string, Statement>()

  constructor(database: Database, hooks: ReadHooks) {
    this.#database = database
    this.#hooks = hooks
  }

  run(sql: string, ...values: Value[]) {
    return this.#statement(sql).run(...values)
  }

  // The row types of those below are what the columns of the query say; the driver cannot know them.
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#read(() => this.#statement(sql).get(...values)) as Row | undefined
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#read(() => this.#statement(sql).all(...values)) as Row[]
  }

  /** Rows up to the one with which there are `maxBytes`, by `sizeOf`. At least one, if there is any. */
  upTo<Row>(maxBytes: number, sizeOf: (row: Row) => number, sql: string, ...values: Value[]): Row[] {
    return this.#read(() => this.#collect(maxBytes, sizeOf, sql, values))
  }

  /** The same, for a read whose failure says nothing of the database yet. */
  tryUpTo<Row>(maxBytes: number, sizeOf: (row: Row) => number, sql: string, ...values: Value[]): Row[] {
    this.#hooks.before()
    try {
      return this.#collect(maxBytes, sizeOf, sql, values)
    } catch (error) {
      throw withResultCode(error)
    }
  }

  #collect<Row>(maxBytes: number, sizeOf: (row: Row) => number, sql: string, values: Value[]): Row[] {
    if (maxBytes === Number.POSITIVE_INFINITY) return this.#statement(sql).all(...values) as Row[]
    const rows: Row[] = []
    let bytes = 0
    for (const row of this.#statement(sql).iterate(...values) as Iterable<Row>) {
      rows.push(row)
      bytes += sizeOf(row)
      if (bytes >= maxBytes) break
    }
    return rows
  }

  /** An error within a transaction is left to the writer. */
  #read<Result>(work: () => Result): Result {
    this.#hooks.before()
    try {
      return work()
    } catch (cause) {
      const error = withResultCode(cause)
      throw this.#database.isOpen && this.#database.isTransaction
        ? error
        : this.#hooks.failed(error, () => void work())
    }
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known) return known
    const prepared = this.#database.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }

  clear(): void {
    this.#prepared.clear()
  }
}
