/** Which facts belong in the audit, and what it says about them. Pure: the same event always gives the same entry. */

import { digest } from '../lib/digest.js'
import type { AuditEntry } from '../protocol/audit.js'
import { describeCall } from '../protocol/describe.js'
import type { EventOf, SessionEvent } from '../protocol/event.js'
import type { Request } from '../protocol/request.js'

/** `request` is the one that the event is about, as it is afterwards. Null: nothing to write down. */
export function auditOf(event: SessionEvent, request: Request | null): AuditEntry | null {
  switch (event.type) {
    case 'permission.resolved':
    case 'question.resolved':
      return request && ofResolution(event, request)
    case 'tool.judged':
      return ofJudgement(event)
    case 'grant.revoked': {
      const { tool, command, by } = event.data
      const subject = describeCall(tool, { command })
      return entry(event, 'grant.revoked', { ...by, by: 'person', subject, verdict: 'revoked' })
    }
    case 'session.created': {
      const { permissionMode: mode, by, cwd } = event.data
      if (mode !== 'bypassPermissions') return null
      return entry(event, 'mode.changed', { ...by, by: 'person', subject: cwd, verdict: 'changed', mode })
    }
    case 'session.changed': {
      const { permissionMode: mode, by } = event.data
      if (mode !== 'bypassPermissions') return null
      const actor = { who: by?.who ?? null, via: by?.via ?? null, by: by ? 'person' : 'claude' }
      return entry(event, 'mode.changed', { ...actor, subject: 'session', verdict: 'changed', mode })
    }
    default:
      return null
  }
}

type Told = Pick<AuditEntry, 'by' | 'subject' | 'verdict'> & Partial<AuditEntry>

function entry({ at, sessionId }: SessionEvent, kind: AuditEntry['kind'], told: Told): AuditEntry {
  return auditEntry({ at, kind, sessionId, ...told })
}

/** An entry with what is left out filled in, its fields always in the same order. */
export function auditEntry(told: Told & Pick<AuditEntry, 'at' | 'kind'>): AuditEntry {
  return {
    at: told.at,
    kind: told.kind,
    who: told.who ?? null,
    via: told.via ?? null,
    by: told.by,
    subject: told.subject,
    verdict: told.verdict,
    rule: told.rule ?? null,
    reason: told.reason ?? null,
    sessionId: told.sessionId ?? null,
    requestId: told.requestId ?? null,
    toolUseId: told.toolUseId ?? null,
    digest: told.digest ?? null,
    changedDigest: told.changedDigest ?? null,
    mode: told.mode ?? null,
    latencyMs: told.latencyMs ?? null,
  }
}

/** The entry without the secrets in what it says; the digests still tell what exactly was decided. */
export function veiledEntry(whole: AuditEntry, redact: (text: string) => string): AuditEntry {
  const { subject, reason } = whole
  return { ...whole, subject: redact(subject), reason: reason === null ? null : redact(reason) }
}

type Resolved = EventOf<'permission.resolved'> | EventOf<'question.resolved'>

function ofResolution(event: Resolved, request: Request): AuditEntry {
  const { by, who, via, reason } = event.data
  const changed = changeOf(event)
  return entry(event, 'request.resolved', {
    by,
    who,
    via,
    reason,
    subject: request.title,
    verdict: verdictOf(event),
    rule: event.type === 'permission.resolved' ? event.data.rule : null,
    requestId: request.id,
    toolUseId: request.toolUseId,
    digest: request.inputDigest,
    changedDigest: changed === undefined ? null : digest(JSON.stringify(changed)),
    mode: (event.type === 'permission.resolved' ? event.data.mode : null) ?? null,
    latencyMs: Math.max(0, Date.parse(event.at) - Date.parse(request.requestedAt)),
  })
}

/** What the person put in the place of, or added to, what was asked. */
function changeOf(event: Resolved): unknown {
  if (event.type === 'permission.resolved') return event.data.updatedInput
  const { answers, notes, form } = event.data
  return answers === null && form === undefined ? undefined : { answers, notes, form }
}

function verdictOf(event: Resolved): string {
  if (event.type === 'permission.resolved') return event.data.decision
  if (event.data.form) return event.data.form.action
  return event.data.answers === null ? 'unanswered' : 'answered'
}

function ofJudgement(event: EventOf<'tool.judged'>): AuditEntry {
  const { toolUseId, title, decision: verdict, by, reason, inputDigest } = event.data
  const [, source = by, rule = null] = /^(\w+): (.*)$/s.exec(by) ?? []
  return entry(event, 'call.judged', {
    by: rule?.startsWith('grant ') ? 'grant' : source,
    subject: title,
    verdict,
    rule,
    reason: reason ?? null,
    toolUseId,
    digest: inputDigest,
  })
}
