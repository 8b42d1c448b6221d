/** In-memory cache of usage by hour and model. Queries always need all rows, so they are read from disk once. */

import { setImmediate as turn } from 'node:timers/promises'
import type { Statements } from '../../lib/sqlite/statements.js'
import { UsageSource, type UsageSum } from '../../protocol/usage/usage.js'
import { isPriced } from '../plan.js'

const PAGE = `SELECT session AS key, hour, session.id AS sessionId, cwd, model, source, input AS inputTokens, output AS outputTokens,
    cache_read AS cacheReadInputTokens, cache_creation AS cacheCreationInputTokens, cost AS costUsd
  FROM usage JOIN session ON session.key = usage.session AND session.state <> 'deleted'
  WHERE session > ? AND session <= ? ORDER BY session, hour`

/** Of deleted sessions: few rows, without a key. */
const DELETED = `SELECT 0 AS key, hour, session_id AS sessionId, cwd, model, source, input AS inputTokens, output AS outputTokens,
    cache_read AS cacheReadInputTokens, cache_creation AS cacheCreationInputTokens, cost AS costUsd
  FROM deleted_usage`

/** Number of sessions read per step, so that other work is not blocked. */
const STEP = 500

interface UsageRow extends Omit<UsageSum, 'isPriced'> {
  key: number
}

export class UsageRows {
  readonly #sql: Statements
  /** By session key, then by hour, model and source. */
  readonly #rows = new Map<number, Map<string, UsageSum>>()
  #deleted: readonly UsageSum[] = []
  readonly #texts = new Map<string, string>()
  /** Sessions up to this key have been loaded. Usage added to later ones is found when they are loaded. */
  #readUpTo = 0
  #reading: Promise<void> | null = null

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /** Rows since an hour. Unordered, but rows of a session are adjacent. */
  async since(hour: number): Promise<UsageSum[]> {
    this.#reading ??= this.#read().catch((error: unknown) => {
      this.#reading = null
      throw error
    })
    await this.#reading
    const found: UsageSum[] = this.#deleted.filter((row) => row.hour >= hour)
    for (const rows of this.#rows.values())
      for (const row of rows.values()) if (row.hour >= hour) found.push(row)
    return found
  }

  async #read(): Promise<void> {
    const deleted = this.#sql.all<UsageRow>(DELETED).filter(isSound)
    this.#deleted = deleted.map((row) => this.#plain(row))
    while (this.#readUpTo !== Number.POSITIVE_INFINITY) {
      const from = this.#readUpTo
      const to = from + STEP
      for (const { key, ...row } of this.#sql.all<UsageRow>(PAGE, from, to)) this.#put(key, row)
      const last =
        this.#sql.get<{ key: number }>('SELECT coalesce(max(key), 0) AS key FROM session')?.key ?? 0
      this.#readUpTo = to < last ? to : Number.POSITIVE_INFINITY
      await turn()
    }
  }

  /** Adds usage that was just stored. */
  add(key: number, more: Omit<UsageSum, 'isPriced'>): void {
    if (key > this.#readUpTo) return
    const known = this.#rows.get(key)?.get(nameOf(more))
    this.#put(key, known ? sumOf(known, more) : more)
  }

  #put(key: number, row: Omit<UsageSum, 'isPriced'>): void {
    if (!isSound(row)) return
    const rows = this.#rows.get(key) ?? new Map<string, UsageSum>()
    this.#rows.set(key, rows)
    rows.set(nameOf(row), this.#plain(row))
  }

  /** Always a new object: rows that were returned before do not change. */
  #plain(row: Omit<UsageSum, 'isPriced'>): UsageSum {
    // Performance: plain objects with shared strings make a full scan five times as fast as the driver's row objects.
    return {
      hour: row.hour,
      sessionId: this.#shared(row.sessionId),
      cwd: this.#shared(row.cwd),
      model: this.#shared(row.model),
      source: UsageSource.options.find((source) => source === row.source) ?? 'transcript',
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      cacheReadInputTokens: row.cacheReadInputTokens,
      cacheCreationInputTokens: row.cacheCreationInputTokens,
      costUsd: row.costUsd,
      isPriced: isPriced(row),
    }
  }

  #shared(text: string): string {
    const known = this.#texts.get(text)
    if (known === undefined) this.#texts.set(text, text)
    return known ?? text
  }
}

/** A damaged row is ignored. */
function isSound(row: Omit<UsageSum, 'isPriced'>): boolean {
  return (
    Number.isFinite(row.hour) &&
    Number.isFinite(row.inputTokens) &&
    Number.isFinite(row.outputTokens) &&
    Number.isFinite(row.cacheReadInputTokens) &&
    Number.isFinite(row.cacheCreationInputTokens) &&
    Number.isFinite(row.costUsd)
  )
}

function nameOf({ hour, model, source }: Omit<UsageSum, 'isPriced'>): string {
  return `${hour} ${source} ${model}`
}

function sumOf(one: UsageSum, more: Omit<UsageSum, 'isPriced'>): Omit<UsageSum, 'isPriced'> {
  return {
    ...more,
    inputTokens: one.inputTokens + more.inputTokens,
    outputTokens: one.outputTokens + more.outputTokens,
    cacheReadInputTokens: one.cacheReadInputTokens + more.cacheReadInputTokens,
    cacheCreationInputTokens: one.cacheCreationInputTokens + more.cacheCreationInputTokens,
    costUsd: one.costUsd + more.costUsd,
  }
}
