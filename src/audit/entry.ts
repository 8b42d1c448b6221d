/** Which facts belong in the audit, and what it says about them. Pure: the same event always gives the same entry. */

import { digest } from '../lib/digest.js'
import type { AuditEntry } from '../protocol/audit.js'
import type { EventOf, SessionEvent } from '../protocol/event/event.js'
import type { SessionOptions } from '../protocol/option/option.js'
import { HARMLESS_OPTIONS } from '../protocol/option/option-role.js'
import { reason as codedReason, reasonText, saying } from '../protocol/reason/reason.js'
import type { InboxRequest } from '../protocol/request.js'
import { authorVia } from '../protocol/value.js'
import { describeCall } from '../protocol/view/describe.js'
import { previewOf } from '../protocol/view/preview.js'

/** `request` is the one that the event is about, as it is afterwards. */
export function auditOf(event: SessionEvent, request: InboxRequest | null): AuditEntry[] {
  switch (event.type) {
    case 'permission.resolved':
    case 'question.resolved':
      return request ? [ofResolution(event, request)] : []
    case 'tool.judged':
      return [ofJudgement(event)]
    case 'notice.raised':
      return event.data.topic === 'jail' ? [ofJailEnd(event)] : []
    case 'grant.revoked': {
      const { tool, command, by } = event.data
      const subject = describeCall(tool, { command })
      return [entry(event, 'grant.revoked', { ...by, by: authorVia(by.via), subject, verdict: 'revoked' })]
    }
    case 'files.rewound': {
      const { by, files } = event.data
      const subject = previewOf(files.join(', ') || 'no file', MAX_SUBJECT)
      const actor = { ...by, by: by ? authorVia(by.via) : 'claude' }
      return [entry(event, 'files.rewound', { ...actor, subject, verdict: 'changed' })]
    }
    case 'worktree.created': {
      const { by, path, branch } = event.data
      const subject = previewOf(`${branch} in ${path}`, MAX_SUBJECT)
      return [entry(event, 'worktree.created', { ...by, by: authorVia(by.via), subject, verdict: 'created' })]
    }
    case 'worktree.changed': {
      const { by, action, branch, base } = event.data
      const subject = previewOf(`${action} ${branch} (${base})`, MAX_SUBJECT)
      return [entry(event, 'worktree.changed', { ...by, by: authorVia(by.via), subject, verdict: 'done' })]
    }
    case 'changes.undone': {
      const { by, files, isRedo } = event.data
      const subject = previewOf(files.map(({ path }) => path).join(', ') || 'no file', MAX_SUBJECT)
      const verdict = isRedo ? 'redone' : 'undone'
      return [entry(event, 'changes.undone', { ...by, by: authorVia(by.via), subject, verdict })]
    }
    case 'session.created':
      return ofCreation(event)
    case 'session.changed':
      return ofChange(event)
    default:
      return []
  }
}

function ofCreation(event: EventOf<'session.created'>): AuditEntry[] {
  const { kind, permissionMode: mode, by, cwd, options, policy } = event.data
  // Calls of a terminal session are decided in the terminal.
  if (kind !== 'managed') return []
  const actor = { ...by, by: by.via === 'agent' ? 'agent' : authorVia(by.via), verdict: 'changed' }
  return [
    ...(mode === 'default'
      ? []
      : [entry(event, 'mode.changed', { ...actor, subject: `${mode}: ${cwd}`, mode })]),
    ...(policy ? [entry(event, 'policy.changed', { ...actor, subject: `session: ${policy}` })] : []),
    ...ofOptions(event, options, actor),
  ]
}

function ofChange(event: EventOf<'session.changed'>): AuditEntry[] {
  const { permissionMode: mode, options, by } = event.data
  const actor = {
    ...by,
    by: by ? authorVia(by.via) : 'claude',
    verdict: 'changed',
  }
  return [
    ...(mode === undefined ? [] : [entry(event, 'mode.changed', { ...actor, subject: mode, mode })]),
    ...(options === undefined ? [] : ofOptions(event, options, actor, true)),
  ]
}

/** Options that decide nothing about what the agent may do are left out. */
function ofOptions(
  event: SessionEvent,
  options: SessionOptions,
  actor: Pick<AuditEntry, 'by' | 'verdict'>,
  isAlways = false,
): AuditEntry[] {
  const rights = Object.entries(options).filter(([name]) => !HARMLESS_OPTIONS.has(name))
  if (rights.length === 0 && !isAlways) return []
  const subject = rights.map(([name, value]) => `${name}: ${namesIn(value)}`).join('; ')
  const changedDigest = digest(JSON.stringify(options))
  return [
    entry(event, 'options.changed', {
      ...actor,
      subject: subject === '' ? 'none' : previewOf(subject, MAX_SUBJECT),
      changedDigest,
    }),
  ]
}

const MAX_SUBJECT = 500

/** The names in a value: servers and variables without their values, folders in full. */
function namesIn(value: unknown): string {
  if (Array.isArray(value))
    return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ')
  return typeof value === 'object' && value !== null ? Object.keys(value).join(', ') : String(value)
}

/** Commands of the session are asked from now on, which the jail would have contained. */
function ofJailEnd(event: EventOf<'notice.raised'>): AuditEntry {
  const fields = { by: 'policy', subject: 'session', verdict: 'changed', ...jailReason(event.data.text) }
  return entry(event, 'jail.ended', fields)
}

/** A notice has no parts; those of a session that an older version ran have another text. */
function jailReason(text: string): Pick<AuditEntry, 'reason' | 'reasonParts'> {
  const said = saying(codedReason('jail.failed'))
  return text === said.reason ? said : { reason: text }
}

type EntryFields = Pick<AuditEntry, 'by' | 'subject' | 'verdict'> & Partial<AuditEntry>

function entry({ at, sessionId }: SessionEvent, kind: AuditEntry['kind'], fields: EntryFields): AuditEntry {
  return auditEntry({ at, kind, sessionId, ...fields })
}

/** An entry with what is left out filled in, its fields always in the same order. */
export function auditEntry(fields: EntryFields & Pick<AuditEntry, 'at' | 'kind'>): AuditEntry {
  return {
    at: fields.at,
    kind: fields.kind,
    who: fields.who ?? null,
    via: fields.via ?? null,
    // Left out where there is none, so that such a row has the same bytes as before.
    ...(fields.channel !== undefined && { channel: fields.channel }),
    role: fields.role ?? null,
    credentialId: fields.credentialId ?? null,
    by: fields.by,
    subject: fields.subject,
    verdict: fields.verdict,
    rule: fields.rule ?? null,
    reason: fields.reason ?? null,
    ...(fields.reasonParts && { reasonParts: fields.reasonParts }),
    sessionId: fields.sessionId ?? null,
    requestId: fields.requestId ?? null,
    toolUseId: fields.toolUseId ?? null,
    digest: fields.digest ?? null,
    changedDigest: fields.changedDigest ?? null,
    mode: fields.mode ?? null,
    latencyMs: fields.latencyMs ?? null,
  }
}

/** The entry with secrets redacted; its digests still identify exactly what was decided. */
export function redactedEntry(whole: AuditEntry, redact: (text: string) => string): AuditEntry {
  const { subject, reason, reasonParts: parts, ...rest } = whole
  const text = reason === null ? null : redact(reason)
  const redacted = parts?.map(({ code, params }) => ({ code, params: redactedParams(params, redact) }))
  return {
    ...rest,
    subject: redact(subject),
    reason: text,
    // A secret that shows only in the whole text must not stay in the parts.
    ...(redacted && reasonText(redacted) === text && { reasonParts: redacted }),
  }
}

function redactedParams(
  params: Readonly<Record<string, string>>,
  redact: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, redact(value)]))
}

type Resolved = EventOf<'permission.resolved'> | EventOf<'question.resolved'>

function ofResolution(event: Resolved, request: InboxRequest): AuditEntry {
  const { by, who, via, channel, role = null, credentialId = null, reason, reasonParts } = event.data
  const changed = changeOf(event)
  return entry(event, 'request.resolved', {
    by,
    who,
    via,
    ...(channel !== undefined && { channel }),
    role,
    credentialId,
    reason,
    ...(reasonParts && { reasonParts }),
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

/** The user's change of the input, or the answers that the user added. */
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
  const { toolUseId, title, decision: verdict, by, reason, reasonParts, inputDigest } = event.data
  const [, source = by, rule = null] = /^(\w+): (.*)$/s.exec(by) ?? []
  return entry(event, 'call.judged', {
    by: rule?.startsWith('grant ') ? 'grant' : source,
    subject: title,
    verdict,
    rule,
    reason: reason ?? null,
    ...(reasonParts && { reasonParts }),
    toolUseId,
    digest: inputDigest,
  })
}
