/** Pages of the audit. A filter may match few of very many entries, so a page says how far it has looked. */

import { setImmediate as turn } from 'node:timers/promises'
import { recordOf } from '../../audit/chain.js'
import type { AuditRecord } from '../../protocol/audit.js'
import type { AuditFilter } from '../../protocol/audit-filter.js'
import { DEFAULT_LIMIT } from '../../store/port/filter.js'
import type { Store } from '../../store/port.js'

/** Entries read at once: other requests have their turn in between. */
const STEP = 1_000
/** Entries that one page looks at, at most. */
const MAX_SCANNED = 50_000

export interface AuditPage {
  records: AuditRecord[]
  /** Where to go on; null at the first entry. With a filter a page can be short, or empty, and not be the last. */
  nextCursor: number | null
}

export interface AuditQuery extends AuditFilter {
  /** Only entries before this one. */
  before?: number | undefined
  limit?: number
}

export async function auditPage(
  store: Pick<Store, 'audit' | 'auditHead'>,
  { before, limit = DEFAULT_LIMIT, ...filter }: AuditQuery,
): Promise<AuditPage> {
  const records: AuditRecord[] = []
  const start = before ?? (await store.auditHead()).number + 1
  // Every entry counts without a filter, and an index knows those of users.
  const step = filter.by === 'person' || Object.keys(filter).length === 0 ? start : STEP
  let end = start
  do {
    const after = Math.max(0, end - 1 - step)
    // The newest entries may be behind the head, which is the newest that was fsynced.
    const from = end === start ? before : end
    const rows = await store.audit({ ...filter, before: from, after, limit: limit - records.length })
    records.push(...rows.map(recordOf))
    end = records.length === limit ? (records.at(-1)?.number ?? 1) : after + 1
    await turn()
  } while (records.length < limit && end > 1 && start - end < MAX_SCANNED)
  return { records, nextCursor: end > 1 ? end : null }
}
