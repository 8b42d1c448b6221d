/** The table of usage by hour, session, model and source, and the cache that answers queries about it. */

import type { Statements } from '../../lib/sqlite/statements.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import type { Session } from '../../protocol/session.js'
import type { UsageSum } from '../../protocol/usage/usage.js'
import { usageIn } from '../../protocol/usage/usage.js'
import { UsageRows } from './usage-rows.js'

export class UsageTable {
  readonly #sql: Statements
  #rows: UsageRows

  constructor(sql: Statements) {
    this.#sql = sql
    this.#rows = new UsageRows(sql)
  }

  /** Call within the transaction that stores the event. */
  add(key: number, { id: sessionId, cwd }: Session, event: SessionEvent): void {
    const hour = hourOf(event.at)
    for (const { model, source, usage } of usageIn(event)) {
      this.#rows.add(key, { hour, sessionId, cwd, model, source, ...usage })
      this.#sql.run(
        `INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
           input = input + excluded.input, output = output + excluded.output,
           cache_read = cache_read + excluded.cache_read, cache_creation = cache_creation + excluded.cache_creation,
           cost = cost + excluded.cost`,
        key,
        hour,
        model,
        source,
        usage.inputTokens,
        usage.outputTokens,
        usage.cacheReadInputTokens,
        usage.cacheCreationInputTokens,
        usage.costUsd,
      )
    }
  }

  async since(since?: string): Promise<UsageSum[]> {
    const from = since === undefined ? 0 : hourOf(since)
    // Race: a rollback may replace the cache while it is read.
    for (;;) {
      const rows = this.#rows
      const found = await rows.since(from)
      if (rows === this.#rows) return found
    }
  }

  /** After a rollback the cache may be ahead of the table; when a session is deleted, its rows move to another one. */
  forget(): void {
    this.#rows = new UsageRows(this.#sql)
  }
}

function hourOf(at: string): number {
  return Math.floor(Date.parse(at) / 3_600_000)
}
