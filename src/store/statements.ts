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
