/** Whether the audit is unchanged: every entry, their order, where it ends, its seal, and no alarm that is still open. */

import { type AuditHead, EMPTY, seal } from './chain.js'

export type Verification =
  | { readonly isIntact: true; readonly rows: number; readonly hash: string }
  | { readonly isIntact: false; readonly rows: number; readonly brokenAt: number; readonly problem: string }

export interface Witnesses {
  /** The newest row, according to the database. */
  head: Partial<Record<keyof AuditHead, unknown>> | null
  /** The newest row at the time of sealing, kept beside the database. */
  sealed: AuditHead | 'unreadable' | null
  /** Whether the database says that there must be a seal, however short the audit is. */
  needsSeal?: boolean
}

/** Rows of a database that may have been tampered with: of any shape, in the order of their numbers. */
export interface SuspectRow {
  readonly number: unknown
  readonly entry: unknown
  readonly hash: unknown
}

export function verifyAudit(
  rows: Iterable<SuspectRow>,
  { head, sealed, needsSeal = false }: Witnesses,
): Verification {
  let last: AuditHead = EMPTY
  let alarm: { number: number; subject: string } | null = null
  const broken = (brokenAt: number, problem: string): Verification => ({
    isIntact: false,
    rows: last.number,
    brokenAt,
    problem,
  })
  if (sealed === 'unreadable') return broken(1, 'The seal cannot be read.')
  for (const { number, entry, hash } of rows) {
    const expected = last.number + 1
    if (number !== expected) return broken(expected, `Entry ${expected} is missing.`)
    if (typeof entry !== 'string' || hash !== seal(last.hash, expected, entry))
      return broken(expected, `Entry ${expected} was changed.`)
    if (sealed?.number === expected && sealed.hash !== hash)
      return broken(expected, `Entry ${expected} is not the one that was sealed.`)
    last = { number: expected, hash }
    const { kind, subject } = JSON.parse(entry) as { kind: string; subject: string }
    if (kind === 'audit.alarm') alarm = { number: expected, subject }
    if (kind === 'audit.accepted') alarm = null
  }
  if (sealed && sealed.number > last.number) return broken(last.number + 1, 'Entries at the end are missing.')
  const known = head ?? EMPTY
  if (known.number !== last.number || known.hash !== last.hash)
    return broken(
      last.number + 1,
      'The audit does not end where the database says: entries at the end are missing, or the mark was changed.',
    )
  if (sealed === null && (needsSeal || last.number > 0))
    return broken(last.number + 1, 'There is no seal: entries at the end may be missing.')
  if (alarm)
    return broken(
      alarm.number,
      `Entry ${alarm.number} is an alarm: ${alarm.subject} Find out why, then run "signalbox audit accept".`,
    )
  return { isIntact: true, rows: last.number, hash: last.hash }
}
