/** The chain: every row is sealed with a digest of itself and of the seal of the row before it. */

import { digest } from '../lib/digest.js'
import { AuditEntry, type AuditRecord } from '../protocol/audit.js'

/** A row as it is stored. */
export interface AuditRow {
  /** From 1, without a gap. */
  readonly number: number
  /** The entry as JSON. */
  readonly entry: string
  readonly hash: string
}

/** Where the chain ends. */
export type AuditHead = Pick<AuditRow, 'number' | 'hash'>

/**
 * Every entry of a version that seals the audit has this field. So a flag in the database that says "never sealed" is believed only where
 * no entry, and no decision in the log without an entry, says otherwise.
 */
export const SEALING_FIELD = '"credentialId":'
export const DECISIONS = ['tool.judged', 'permission.resolved', 'question.resolved'] as const

export const EMPTY: AuditHead = { number: 0, hash: '' }

export function nextRow(head: AuditHead, entry: AuditEntry): AuditRow {
  const number = head.number + 1
  const text = JSON.stringify(entry)
  return { number, entry: text, hash: seal(head.hash, number, text) }
}

export function seal(before: string, number: number, entry: string): string {
  return digest(`${before}\n${number}\n${entry}`)
}

/** One that is damaged says so: the others are read all the same. */
export function recordOf({ number, hash, entry }: AuditRow): AuditRecord {
  const found = AuditEntry.safeParse(parse(entry))
  return { number, hash, ...(found.success ? found.data : DAMAGED) }
}

const DAMAGED: AuditEntry = {
  at: new Date(0).toISOString(),
  kind: 'audit.damaged',
  who: null,
  via: null,
  role: null,
  credentialId: null,
  by: 'daemon',
  subject: 'This entry is damaged in the database.',
  verdict: 'damaged',
  rule: null,
  reason: null,
  sessionId: null,
  requestId: null,
  toolUseId: null,
  digest: null,
  changedDigest: null,
  mode: null,
  latencyMs: null,
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
