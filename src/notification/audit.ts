/** Audit entries about users and channels. */

import { auditEntry } from '../audit/entry.js'
import type { AuditEntry, AuditKind } from '../protocol/audit.js'
import type { Actor } from '../protocol/value.js'

export function changeEntry(kind: AuditKind, at: string, actor: Actor, subject: string): AuditEntry {
  return auditEntry({ at, kind, ...actor, by: 'person', subject, verdict: 'done' })
}
