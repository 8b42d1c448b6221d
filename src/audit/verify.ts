/** Whether the audit is as it was written: every row, their order, and where it ends. */

import { type AuditHead, EMPTY, seal } from './chain.js'

export type Verification =
  | { readonly isIntact: true; readonly rows: number; readonly hash: string }
  | { readonly isIntact: false; readonly rows: number; readonly brokenAt: number; readonly problem: string }

export interface Witnesses {
  /** What the database says is the newest row. */
  head: Partial<Record<keyof AuditHead, unknown>> | null
  /** What was known to be the newest at some time, kept beside the database. */
  sealed: AuditHead | null
}

/** Rows as they come from a database that somebody may have changed: of any shape, in the order of their numbers. */
export interface SuspectRow {
  readonly number: unknown
  readonly entry: unknown
  readonly hash: unknown
}

export function verifyAudit(rows: Iterable<SuspectRow>, { head, sealed }: Witnesses): Verification {
  let last: AuditHead = EMPTY
  const broken = (brokenAt: number, problem: string): Verification => ({
    isIntact: false,
    rows: last.number,
    brokenAt,
    problem,
  })
  for (const { number, entry, hash } of rows) {
    const expected = last.number + 1
    if (number !== expected) return broken(expected, `Row ${expected} is missing.`)
    if (typeof entry !== 'string' || hash !== seal(last.hash, expected, entry))
      return broken(expected, `Row ${expected} is not as it was written.`)
    if (sealed?.number === expected && sealed.hash !== hash)
      return broken(expected, `Row ${expected} is not the one that was known before.`)
    last = { number: expected, hash }
  }
  if (sealed && sealed.number > last.number) return broken(last.number + 1, 'Rows at the end are missing.')
  const known = head ?? EMPTY
  if (known.number === last.number && known.hash === last.hash)
    return { isIntact: true, rows: last.number, hash: last.hash }
  return broken(
    last.number + 1,
    'The end of the audit is not where it was: rows are missing there, or its mark was changed.',
  )
}
