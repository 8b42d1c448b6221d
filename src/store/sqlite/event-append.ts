/** Appends events: one transaction for all groups, with the sessions, requests, usage and audit that follow from them. */

import { auditOf } from '../../audit/entry.js'
import { type Database, inQuickTransaction, inTransaction } from '../../lib/sqlite/driver.js'
import type { Statements } from '../../lib/sqlite/statements.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import { mustReachDisk } from '../durability.js'
import { keyUsed, openName, planAppend } from '../plan.js'
import type { AppendGroup, AppendResult, ResumePoint } from '../port/append.js'
import type { LogBreaks } from '../sequence-gap.js'
import type { WaitingWriter } from '../waiting-writer.js'
import type { AuditTable } from './audit.js'
import type { FileGuard } from './file-guard.js'
import type { MachineRows } from './machine-rows.js'
import type { RequestRows } from './request-rows.js'
import type { CachedSession, SessionCache } from './session-cache.js'
import type { SessionList } from './session-list.js'
import type { UsageTable } from './usage-table.js'

export interface EventAppendDeps {
  database: Database
  sql: Statements
  writer: WaitingWriter
  files: FileGuard
  breaks: LogBreaks
  cache: SessionCache
  list: SessionList
  requests: RequestRows
  usage: UsageTable
  audit: AuditTable
  machines: MachineRows
  newId(): string
}

export class EventAppend {
  readonly #deps: EventAppendDeps

  constructor(deps: EventAppendDeps) {
    this.#deps = deps
  }

  append(groups: readonly AppendGroup[]): AppendResult[] {
    const { database, writer, files, cache, usage, audit } = this.#deps
    const isDurable = mustReachDisk(groups)
    const commit = isDurable ? inTransaction : inQuickTransaction
    try {
      // Check before the write: afterwards a truncated log has its old length again, with a hole.
      if (isDurable) files.refuseChanged()
      const appended = writer.attempt(() =>
        commit(database, () => {
          const changed = new Set<CachedSession>()
          const points = new Map<number, ResumePoint | null>()
          const results = groups.map((group) => this.#appendGroup(group, changed, points))
          for (const cached of changed) cache.write(cached)
          for (const [key, point] of points) this.#writePoint(key, point)
          audit.writeHead()
          return results
        }),
      )
      if (isDurable) audit.markDurable()
      return appended
    } catch (error) {
      // After a rollback the caches may be ahead of the database.
      cache.clear()
      usage.forget()
      audit.forget()
      throw error
    } finally {
      cache.trim()
    }
  }

  /** The newest of a commit stands for all. */
  #writePoint(key: number, point: ResumePoint | null): void {
    const { sql } = this.#deps
    if (point === null) sql.run('DELETE FROM launch_point WHERE session = ?', key)
    else
      sql.run(
        'INSERT OR REPLACE INTO launch_point VALUES (?, ?, ?, ?)',
        key,
        point.launch,
        point.offset,
        JSON.stringify(point.state),
      )
  }

  #appendGroup(
    group: AppendGroup,
    changed: Set<CachedSession>,
    points: Map<number, ResumePoint | null>,
  ): AppendResult {
    const { sql, breaks, cache, list, requests, usage, audit, newId } = this.#deps
    const { sessionId, once, from } = group
    const taken = from ? this.#deps.machines.take(from) : null
    if (taken) return { kind: 'refused', why: taken }
    // Idempotent: a repeated request gets the reply of the first.
    if (once) {
      const used = sql.get<{ value: string; digest: string }>(
        'SELECT value, digest FROM once WHERE scope = ? AND key = ?',
        once.scope,
        once.key,
      )
      if (used) return { kind: 'refused', why: keyUsed(used, once) }
    }
    const cached = cache.load(sessionId)
    const before = cached.session
    const plan = planAppend(breaks.raise(before), group, newId, (name) => list.holderOf(name))
    if (plan.kind === 'refused') return plan
    if (once) {
      const { scope, key, value, digest = '' } = once
      sql.run('INSERT INTO once VALUES (?, ?, ?, ?)', scope, key, value, digest)
    }
    group.alongside?.()
    cached.session = plan.session
    if (cached.key === 0) cache.insert(cached, plan.session)
    changed.add(cached)
    if (group.resume !== undefined) points.set(cached.key, group.resume)
    // Uniqueness: the next group of this commit may use the same external id.
    if (openName(before) !== openName(plan.session)) cache.write(cached)
    const events = plan.events.map((event) => ({ position: this.#insert(cached.key, event), event }))
    for (const { event } of events) {
      for (const entry of auditOf(event, requests.update(event))) audit.add(entry)
      usage.add(cached.key, plan.session, event)
    }
    return { kind: 'stored', events, session: plan.session }
  }

  #insert(key: number, { seq, id, at, type, data }: SessionEvent): number {
    const { lastInsertRowid } = this.#deps.sql.run(
      'INSERT INTO event (session, seq, id, at, type, data) VALUES (?, ?, ?, ?, ?, ?)',
      key,
      seq,
      id,
      Date.parse(at),
      type,
      JSON.stringify(data),
    )
    return Number(lastInsertRowid)
  }

  /** Deletes the idempotency keys of a scope that sort before this one. */
  forgetKeys(scope: string, before: string): void {
    const { sql, writer } = this.#deps
    writer.attempt(() => sql.run('DELETE FROM once WHERE scope = ? AND key < ?', scope, before))
  }
}
