/** The audit: who decided what, when and from where. Rows of a chain, each sealed with the one before it. */

import { z } from 'zod'
import { RequestId, SessionId } from './id.js'
import { ReasonParts } from './reason/reason-part.js'
import { Role } from './role.js'
import { Actor, PermissionMode, Timestamp } from './value.js'

export const AuditKind = z.enum([
  /** A request was answered, denied, or given up. */
  'request.resolved',
  /** A call was allowed or denied without asking anybody. */
  'call.judged',
  /** What was allowed for good is asked again. */
  'grant.revoked',
  /** A session was begun in another mode than the default one, or its mode was changed. */
  'mode.changed',
  /** A session was given options that decide what its agent may do: servers, variables, folders, plugins, tools. */
  'options.changed',
  /** A command did not run in the read-only jail as it should: it is off for the session. */
  'jail.ended',
  'policy.changed',
  /** A session that had ended, or a conversation from elsewhere, was taken up. */
  'session.resumed',
  /** Files were put back to how they were before a message. */
  'files.rewound',
  'workspace.trusted',
  'workspace.distrusted',
  'token.created',
  'token.revoked',
  'login_code.created',
  'login.created',
  'login.ended',
  /** A backup was put in the place of the data. */
  'storage.restored',
  /** A session and all its events were forgotten. */
  'session.deleted',
  /** An audit of a version without a seal is sealed from now on. */
  'audit.sealed',
  /** At a start the audit did not fit its seal. */
  'audit.alarm',
  /** Never written: what is shown for an entry that cannot be read any more. */
  'audit.damaged',
  /** An admin has looked at the alarm. */
  'audit.accepted',
])
export type AuditKind = z.infer<typeof AuditKind>

export const AuditEntry = z.strictObject({
  at: Timestamp,
  kind: AuditKind,
  /** The person or token; null where nobody was involved. */
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
  /** With what right; null where it was not over HTTP. */
  role: Role.nullable().default(null),
  /** The token or login; null for the token of the home. */
  credentialId: z.string().nullable().default(null),
  /** `person`, `policy`, `grant`, `hook`, `timeout`, `shutdown` or `terminal`. */
  by: z.string(),
  /** What it was about: a call in a few words, a folder, the name of a token. */
  subject: z.string(),
  verdict: z.string(),
  /** The rule that decided, and why, in words. */
  rule: z.string().nullable(),
  reason: z.string().nullable(),
  /** The reason as codes and parameters. Absent in older rows, and where the words are not ours. */
  reasonParts: ReasonParts.optional(),
  sessionId: SessionId.nullable(),
  requestId: RequestId.nullable(),
  toolUseId: z.string().nullable(),
  /** SHA-256 of the input that was decided about, and of what the person changed it into. */
  digest: z.string().nullable(),
  changedDigest: z.string().nullable(),
  mode: PermissionMode.nullable(),
  /** How long it waited for the answer. */
  latencyMs: z.number().min(0).nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** An entry in its place. */
export const AuditRecord = z.strictObject({ number: z.int().min(1), hash: z.string(), ...AuditEntry.shape })
export type AuditRecord = z.infer<typeof AuditRecord>
