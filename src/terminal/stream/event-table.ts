/** Writes to the tables of the stream: events, bad lines, and offsets. */

import { digest } from '../../lib/digest.js'
import type { Database, Statement } from '../../lib/sqlite/driver.js'
import type { LifecycleEvent } from './event.js'
import type { FilePosition } from './stream-file.js'
import type { TailState } from './tail.js'

export interface BadLine {
  /** The file of the stream, by the digest of its first line. */
  readonly fileHead: string
  readonly offset: number
  readonly length: number
  readonly reason: string
  /** The text of the line. Only its beginning is stored. */
  readonly text: string
}

const TABLE_OF = {
  'session.lifecycle': 'session_lifecycle_events',
  'turn.start': 'turn_lifecycle_events',
  'turn.end': 'turn_lifecycle_events',
  'skill.lifecycle': 'skill_lifecycle_events',
  other: 'other_lifecycle_events',
} as const satisfies Record<LifecycleEvent['eventType'], string>

/** The tables that share one sequence. */
export const TABLES: readonly string[] = [...new Set(Object.values(TABLE_OF))]

/** Characters stored of a bad line, enough to recognise it. */
const KEPT_CHARACTERS = 1_000

export class EventTable {
  readonly #database: Database
  readonly #path: string
  readonly #statements = new Map<string, Statement>()
  /** The retired files as last saved. They rarely change, so not every batch writes them. */
  #savedRetired: string | null = null

  constructor(database: Database, path: string) {
    this.#database = database
    this.#path = path
  }

  /** The highest number in all tables; 0 if there is none. At least that of every cursor, even if rows were deleted. */
  lastSeq(): number {
    const numbered = [...TABLES, 'lifecycle_cursors']
    const { seq } = this.#prepare(
      `select max(${numbered.map((table) => `coalesce((select max(seq) from ${table}), 0)`).join(', ')}) as seq`,
    ).get() as { seq: number }
    return seq
  }

  /** The number of an event's row; null if it is not stored. */
  seqOf({ eventType, id }: LifecycleEvent): number | null {
    const row = this.#prepare(`select seq from ${TABLE_OF[eventType]} where id = ?`).get(id)
    return row ? (row as { seq: number }).seq : null
  }

  /** Returns whether it was new: events are deduplicated by id. `seq` must be greater than that of every row. */
  insert(event: LifecycleEvent, raw: string, seq: number): boolean {
    const { id, occurredAtIso, sessionId, provider, projectPath, cwd, fields } = event
    switch (event.eventType) {
      case 'session.lifecycle':
        return this.#insert(
          'insert into session_lifecycle_events values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing',
          [id, occurredAtIso, sessionId, provider, event.phase, projectPath, cwd, raw, seq],
        )
      case 'skill.lifecycle':
        return this.#insert(
          'insert into skill_lifecycle_events values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing',
          [
            id,
            occurredAtIso,
            sessionId,
            provider,
            event.skillName,
            event.phase,
            event.triggerCommand,
            event.targetDocPath,
            event.turnSeq,
            projectPath,
            raw,
            seq,
          ],
        )
      case 'turn.start':
      case 'turn.end': {
        const phase = event.eventType === 'turn.start' ? 'start' : 'end'
        const prompt = typeof fields['prompt'] === 'string' ? fields['prompt'] : null
        const transcript = typeof fields['transcriptPath'] === 'string' ? fields['transcriptPath'] : null
        return this.#insert(
          'insert into turn_lifecycle_events values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing',
          [id, occurredAtIso, sessionId, provider, phase, prompt, transcript, projectPath, cwd, raw, seq],
        )
      }
      case 'other':
        return this.#insert(
          'insert into other_lifecycle_events values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing',
          [id, occurredAtIso, sessionId, event.kind, event.phase, raw, seq],
        )
    }
  }

  insertBad({ fileHead, offset, length, reason, text }: BadLine, seenAtIso: string): boolean {
    return this.#insert('insert or ignore into lifecycle_bad_lines values (?, ?, ?, ?, ?, ?, ?, ?)', [
      this.#path,
      fileHead,
      offset,
      digest(text).slice(0, 16),
      length,
      reason,
      text.slice(0, KEPT_CHARACTERS),
      seenAtIso,
    ])
  }

  #insert(sql: string, values: (string | number | null)[]): boolean {
    return this.#prepare(sql).run(...values).changes > 0
  }

  /** Optimistic lock: incremented at each save. Another value than expected means another writer. */
  revision(): number {
    const row = this.#prepare('select revision from lifecycle_stream_offsets where stream_key = ?').get(
      this.#path,
    ) as { revision: number } | undefined
    return row?.revision ?? 0
  }

  load(): TailState {
    const rows = this.#prepare(
      'select stream_key, inode, byte_offset, device, head_digest, is_live from lifecycle_stream_offsets where stream_path = ?',
    ).all(this.#path) as unknown as OffsetRow[]
    const live = rows.find((row) => row.is_live === 1 && row.inode !== '')
    return {
      live: live ? positionOf(live) : null,
      retired: rows.filter((row) => row.is_live === 0).map(positionOf),
    }
  }

  save({ live, retired }: TailState, revision: number, nowIso: string): void {
    this.#upsert(this.#path, live, 1, revision, nowIso)
    const wanted = JSON.stringify(retired)
    if (wanted === this.#savedRetired) return
    this.#prepare('delete from lifecycle_stream_offsets where stream_path = ? and is_live = 0').run(
      this.#path,
    )
    for (const position of retired) {
      this.#upsert(`${this.#path}#${position.device}:${position.inode}`, position, 0, revision, nowIso)
    }
    this.#savedRetired = wanted
  }

  /** Call after a rollback: the cached last save may be wrong. */
  forget(): void {
    this.#savedRetired = null
  }

  #upsert(key: string, position: FilePosition | null, isLive: 0 | 1, revision: number, nowIso: string): void {
    this.#prepare(
      `insert into lifecycle_stream_offsets values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (stream_key) do update set inode = excluded.inode, byte_offset = excluded.byte_offset,
         updated_at_iso = excluded.updated_at_iso, device = excluded.device, head_digest = excluded.head_digest,
         is_live = excluded.is_live, revision = excluded.revision`,
    ).run(
      key,
      position?.inode ?? '',
      position?.offset ?? 0,
      nowIso,
      position?.device ?? '',
      position?.head ?? null,
      this.#path,
      isLive,
      revision,
    )
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

interface OffsetRow {
  stream_key: string
  inode: string
  byte_offset: number
  device: string
  head_digest: string | null
  is_live: number
}

function positionOf({ device, inode, head_digest, byte_offset }: OffsetRow): FilePosition {
  return { device, inode, head: head_digest, offset: byte_offset }
}
