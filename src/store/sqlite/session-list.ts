/** Lists of sessions, and sessions found by one of their columns. */

import { conditions } from '../../lib/sqlite/conditions.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { Session } from '../../protocol/session.js'
import { DEFAULT_LIMIT, type SessionFilter } from '../port/filter.js'
import type { Counts, KnownConversation } from '../port.js'
import { type SessionCache, tagColumn } from './session-cache.js'

export class SessionList {
  readonly #sql: Statements
  readonly #cache: SessionCache

  constructor(sql: Statements, cache: SessionCache) {
    this.#sql = sql
    this.#cache = cache
  }

  find(filter: SessionFilter = {}): Session[] {
    const { state, kind, machine, cwd, condition, tag, claudeSessionId, externalId, text, before, limit } =
      filter
    const { where, values } = conditions([
      ['state = ?', state],
      ['kind = ?', kind],
      ['machine = ?', machine],
      ['cwd = ?', cwd],
      ['condition = ?', condition],
      ['instr(tags, ?)', tag === undefined ? undefined : tagColumn([tag])],
      ['claude_session_id = ?', claudeSessionId],
      ['external_id = ?', externalId],
      ['instr(search, ?)', text?.toLowerCase()],
      ['id < ?', before],
    ])
    const active =
      flag('is_active', filter.isActive) + flag('is_archived', filter.isArchived) + ended(filter.isEnded)
    const rows = this.#sql.all<{ key: number; snapshot: string }>(
      `SELECT key, snapshot FROM session WHERE ${where}${active} AND state <> 'deleted' ORDER BY id DESC LIMIT ?`,
      ...values,
      limit ?? DEFAULT_LIMIT,
    )
    return rows.flatMap((row) => this.#cache.read(row, false) ?? [])
  }

  active(machine: string): string[] {
    const rows = this.#sql.all<{ id: string }>(
      "SELECT id FROM session WHERE kind = 'managed' AND is_active = 1 AND machine = ? AND state <> 'deleted' ORDER BY id DESC",
      machine,
    )
    return rows.map(({ id }) => id)
  }

  countByState(): Counts['sessions'] {
    const states = this.#sql.all<{ state: string; number: number }>(
      "SELECT state, count(*) AS number FROM session WHERE state <> 'deleted' GROUP BY state",
    )
    return Object.fromEntries(states.map(({ state, number }) => [state, number]))
  }

  /** The session that uses an external id and has not ended. */
  holderOf(externalId: string): string | null {
    const row = this.#sql.get<{ id: string }>(
      "SELECT id FROM session WHERE external_id = ? AND state <> 'ended' LIMIT 1",
      externalId,
    )
    return row?.id ?? null
  }

  externalIds(): Map<string, string> {
    const rows = this.#sql.all<{ id: string; name: string }>(
      'SELECT id, external_id AS name FROM session WHERE external_id IS NOT NULL',
    )
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  conversations(claudeSessionIds: readonly string[]): KnownConversation[] {
    return claudeSessionIds.flatMap((claudeSessionId) => {
      const row = this.#sql.get<{ id: string; kind: Session['kind']; origin: string }>(
        `SELECT id, kind, CASE WHEN json_valid(snapshot) THEN snapshot ->> '$.conversation.kind' END AS origin
         FROM session WHERE claude_session_id = ? ORDER BY id LIMIT 1`,
        claudeSessionId,
      )
      if (!row) return this.#deletedConversation(claudeSessionId)
      return [{ claudeSessionId, sessionId: row.id, kind: row.kind, isAdopted: row.origin === 'adopted' }]
    })
  }

  #deletedConversation(claudeSessionId: string): KnownConversation[] {
    const row = this.#sql.get<{ id: string; kind: Session['kind']; is_adopted: number }>(
      'SELECT session_id AS id, kind, is_adopted FROM deleted_conversation WHERE claude_session_id = ?',
      claudeSessionId,
    )
    return row
      ? [{ claudeSessionId, sessionId: row.id, kind: row.kind, isAdopted: row.is_adopted === 1 }]
      : []
  }
}

function flag(column: string, value: boolean | undefined): string {
  return value === undefined ? '' : ` AND ${column} = ${value ? 1 : 0}`
}

function ended(value: boolean | undefined): string {
  return value === undefined ? '' : ` AND state ${value ? '=' : '<>'} 'ended'`
}
