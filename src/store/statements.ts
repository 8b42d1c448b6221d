/** Statements of one database, prepared once. */

import type { Database, Statement } from './sqlite-driver.js'

type Value = string | number | null

export class Statements {
  readonly #database: Database
  readonly #prepared = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  run(sql: string, ...values: Value[]) {
    return this.#statement(sql).run(...values)
  }

  // The row types of the two below are what the columns of the query say; the driver cannot know them.
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  /** Rows up to the one with which there are `maxBytes`, by `sizeOf`. At least one, if there is any. */
  upTo<Row>(maxBytes: number, sizeOf: (row: Row) => number, sql: string, ...values: Value[]): Row[] {
    if (maxBytes === Number.POSITIVE_INFINITY) return this.all(sql, ...values)
    const rows: Row[] = []
    let bytes = 0
    for (const row of this.#statement(sql).iterate(...values) as Iterable<Row>) {
      rows.push(row)
      bytes += sizeOf(row)
      if (bytes >= maxBytes) break
    }
    return rows
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
