/**
 * Migration of a home whose log read the stream directly, with an offset in the files instead of a cursor in the rows.
 * Too low a cursor is harmless, because the log deduplicates lines for a week; too high a one would lose events.
 */

import type { Database } from '../../lib/sqlite/driver.js'
import { decodeLine } from '../stream/decode.js'
import { EventTable, TABLES } from '../stream/event-table.js'
import { StreamTail } from '../stream/tail.js'

const PREFIX = 'observer:'
const BATCH = { batchBytes: 256 << 10, maxLineBytes: 16 << 20 }

interface OldOffset {
  readonly streamPath: string
  readonly updatedAt: string
}

/** The last row before the first one that may be missing in the log; null if there is no old offset. */
export function findOldCursor(database: Database): number | null {
  const offsets = database
    .prepare(
      `select stream_path as streamPath, updated_at_iso as updatedAt from lifecycle_stream_offsets
       where is_live = 1 and substr(stream_path, 1, ${PREFIX.length}) = '${PREFIX}'`,
    )
    .all() as unknown as OldOffset[]
  if (offsets.length === 0) return null
  const table = new EventTable(database, '')
  const missing = offsets.flatMap((offset) => [
    ...unreadSeqs(database, table, offset),
    ...laterSeqs(database, offset),
  ])
  return missing.reduce((first, seq) => Math.min(first, seq), table.lastSeq() + 1) - 1
}

/** Rows of lines after the offset, in the files as they are now. */
function unreadSeqs(database: Database, table: EventTable, { streamPath }: OldOffset): number[] {
  const found: number[] = []
  const state = new EventTable(database, streamPath).load()
  const tail = new StreamTail(streamPath.slice(PREFIX.length), { ...BATCH, state })
  try {
    for (let batch = tail.next(); batch; batch = tail.next()) {
      for (const { text } of batch.lines) {
        const decoded = decodeLine(text ?? '')
        const seq = 'event' in decoded ? table.seqOf(decoded.event) : null
        if (seq !== null) found.push(seq)
      }
      batch.accept()
    }
  } finally {
    tail.close()
  }
  return found
}

/** Rows of events after the offset was stored, whose file may be gone. */
function laterSeqs(database: Database, { updatedAt }: OldOffset): number[] {
  return TABLES.flatMap((table) => {
    const row = database
      .prepare(
        `select min(seq) as seq from ${table} where seq > coalesce((select seq from ${table}
           where julianday(occurred_at_iso) < julianday(?) order by seq desc limit 1), 0)`,
      )
      .get(updatedAt) as { seq: number | null }
    return row.seq ?? []
  })
}

/** Call once a cursor is stored. */
export function forgetOldOffsets(database: Database): void {
  database
    .prepare(
      `delete from lifecycle_stream_offsets where substr(stream_path, 1, ${PREFIX.length}) = '${PREFIX}'`,
    )
    .run()
}
