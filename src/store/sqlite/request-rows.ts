/** The table of requests: updated by events, listed for the inbox. */

import { conditions } from '../../lib/sqlite/conditions.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import { applyToRequest, type InboxRequest } from '../../protocol/request.js'
import { DEFAULT_LIMIT, type RequestFilter } from '../port/filter.js'
import { readRequest } from './stored-row.js'

export class RequestRows {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  get(id: string): InboxRequest | null {
    const row = this.#sql.get<{ body: string }>('SELECT body FROM request WHERE id = ?', id)
    return row ? readRequest(id, row.body) : null
  }

  find(filter: RequestFilter = {}): InboxRequest[] {
    const { state, sessionId, toolUseId, after, limit, maxBytes = Number.POSITIVE_INFINITY } = filter
    const { where, values } = conditions([
      ['tool_use_id = ?', toolUseId],
      ['state = ?', state],
      ['session_id = ?', sessionId],
      ['id > ?', after],
    ])
    const rows = this.#sql.upTo<{ id: string; body: string }>(
      maxBytes,
      ({ body }) => body.length,
      `SELECT id, body FROM request WHERE ${where} ORDER BY id LIMIT ?`,
      ...values,
      limit ?? DEFAULT_LIMIT,
    )
    return rows.flatMap((row) => readRequest(row.id, row.body) ?? [])
  }

  countPending(): number {
    const pending = this.#sql.get<{ number: number }>(
      "SELECT count(*) AS number FROM request WHERE state = 'pending'",
    )
    return pending?.number ?? 0
  }

  /** Updates the request that the event refers to, and returns it. */
  update(event: SessionEvent): InboxRequest | null {
    if (!('requestId' in event.data)) return null
    const request = applyToRequest(this.get(event.data.requestId), event)
    if (!request) return null
    const { id, sessionId, state, toolUseId } = request
    this.#sql.run(
      `INSERT INTO request (id, session_id, state, body, tool_use_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
         SET state = excluded.state, body = excluded.body, tool_use_id = excluded.tool_use_id`,
      id,
      sessionId,
      state,
      JSON.stringify(request),
      toolUseId,
    )
    return request
  }
}
