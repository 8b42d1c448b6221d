/**
 * The audit log: who decided what, when and from where. A hash chain: each row includes the hash of the previous one.
 */

import { z } from 'zod'
import { RequestId, SessionId } from './id.js'
import { ReasonParts } from './reason/reason-part.js'
import { Role } from './role.js'
import { Actor, PermissionMode, Timestamp } from './value.js'

export const AuditKind = z.enum([
  /** A request was answered, denied or cancelled. */
  'request.resolved',
  /** A call was allowed or denied automatically, without asking a user. */
  'call.judged',
  /** A grant was revoked: matching calls ask again. */
  'grant.revoked',
  /** A session was created in a mode other than the default, or its mode was changed. */
  'mode.changed',
  /** A session got options that decide what its agent may do: servers, variables, folders, plugins, tools. */
  'options.changed',
  /** A command did not run in the read-only jail although it should have: the jail is off for the session. */
  'jail.ended',
  'policy.changed',
  /** An ended session, or a conversation started outside Signalbox, was resumed. */
  'session.resumed',
  /** Files were restored to their content before a message. */
  'files.rewound',
  /** A worktree was made for a session. */
  'worktree.created',
  /** A user committed, merged, rebased, pushed or removed a worktree. */
  'worktree.changed',
  /** Changes of files were undone or redone. */
  'changes.undone',
  'workspace.trusted',
  'workspace.distrusted',
  'token.created',
  'token.revoked',
  'login_code.created',
  'login.created',
  'login.ended',
  /** A user was added, changed or removed; `subject` has the name and what the user may do. */
  'user.changed',
  'user.removed',
  /** A channel was added, changed, paused or removed, or a browser subscribed to push messages. */
  'channel.changed',
  'channel.removed',
  /** The data was restored from a backup. */
  'storage.restored',
  /** A session was deleted with all its events. */
  'session.deleted',
  /** An audit log written by a version without seals is sealed from now on. */
  'audit.sealed',
  /** At startup the audit log did not match its seal. */
  'audit.alarm',
  /** Never stored: shown in place of an entry that can no longer be read. */
  'audit.damaged',
  /** An admin acknowledged the alarm. */
  'audit.accepted',
])
export type AuditKind = z.infer<typeof AuditKind>

export const AuditEntry = z.strictObject({
  at: Timestamp,
  kind: AuditKind,
  /** The user or token; null if none was involved. */
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
  /** The channel that it was answered through. Absent where there was none. */
  channel: Actor.shape.channel,
  /** Role of the credential; null if not over HTTP. */
  role: Role.nullable().default(null),
  /** The token or login; null for the token of the home. */
  credentialId: z.string().nullable().default(null),
  /** `person`, `policy`, `grant`, `hook`, `timeout`, `shutdown` or `terminal`. */
  by: z.string(),
  /** The object: a call in a few words, a folder, the name of a token. */
  subject: z.string(),
  verdict: z.string(),
  /** The rule that decided, and its reason as text. */
  rule: z.string().nullable(),
  reason: z.string().nullable(),
  /** The reason as codes and parameters. Absent in older rows, and where the text is not ours. */
  reasonParts: ReasonParts.optional(),
  sessionId: SessionId.nullable(),
  requestId: RequestId.nullable(),
  toolUseId: z.string().nullable(),
  /** SHA-256 of the input that was decided on, and of the input as the user changed it. */
  digest: z.string().nullable(),
  changedDigest: z.string().nullable(),
  mode: PermissionMode.nullable(),
  /** Time between the request and its answer. */
  latencyMs: z.number().min(0).nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** An entry with its position in the chain. */
export const AuditRecord = z.strictObject({ number: z.int().min(1), hash: z.string(), ...AuditEntry.shape })
export type AuditRecord = z.infer<typeof AuditRecord>
