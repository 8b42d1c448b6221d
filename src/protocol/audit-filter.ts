/** Which entries of the audit a reader wants to see. */

import { z } from 'zod'
import { type AuditEntry, AuditKind } from './audit.js'
import { SessionId } from './id.js'
import { Timestamp } from './value.js'

/** Query parameters: all given ones must match. */
export const AuditFilter = z.strictObject({
  sessionId: SessionId.optional(),
  /** Kinds of entries, separated by commas. */
  kind: z
    .string()
    .max(1_000)
    .transform((text) => text.split(','))
    .pipe(z.array(AuditKind))
    .optional(),
  /** The source of the decision: `person`, `policy`, `grant`, `hook`, `timeout`, `terminal` … */
  by: z.string().min(1).max(100).optional(),
  /** The user or token, by its name, in any case. */
  who: z.string().min(1).max(200).optional(),
  /** `allow`, `deny`, `answered` … */
  verdict: z.string().min(1).max(100).optional(),
  /** Only decisions on calls of this tool, in any case. */
  tool: z.string().min(1).max(200).optional(),
  /** Text in the subject, the reason, the rule or the user, in any case. */
  q: z.string().min(1).max(200).optional(),
  /** Only from this time on. */
  since: Timestamp.optional(),
  /** Only before this time. */
  until: Timestamp.optional(),
})
export type AuditFilter = z.output<typeof AuditFilter>

export function matchesAudit(entry: AuditEntry, filter: AuditFilter): boolean {
  const { sessionId, kind, by, who, verdict, tool, q, since, until } = filter
  return (
    isSame(entry.sessionId, sessionId) &&
    (kind === undefined || kind.includes(entry.kind)) &&
    isSame(entry.by, by) &&
    (who === undefined || entry.who?.toLowerCase() === who.toLowerCase()) &&
    isSame(entry.verdict, verdict) &&
    (tool === undefined || toolOf(entry)?.toLowerCase() === tool.toLowerCase()) &&
    (q === undefined || textOf(entry).includes(q.toLowerCase())) &&
    (since === undefined || Date.parse(entry.at) >= Date.parse(since)) &&
    (until === undefined || Date.parse(entry.at) < Date.parse(until))
  )
}

function isSame(value: string | null, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted
}

const ON_CALLS: ReadonlySet<AuditKind> = new Set(['request.resolved', 'call.judged', 'grant.revoked'])

/** The subject of a decision on a call begins with the tool: `Bash: npm test`. */
function toolOf({ kind, subject, toolUseId }: AuditEntry): string | null {
  if (!ON_CALLS.has(kind) || (kind === 'request.resolved' && toolUseId === null)) return null
  return subject.split(': ', 1)[0] ?? null
}

function textOf({ subject, reason, rule, who }: AuditEntry): string {
  return [subject, reason, rule, who].join('\n').toLowerCase()
}
