/** A request: a permission or a question that waits for the user's answer. */

import { z } from 'zod'
import type { SessionEvent } from './event/event.js'
import { Decision, Grant } from './event/request-event.js'
import { Form, FormReply } from './form/form.js'
import { RequestId, SessionId } from './id.js'
import { fieldsFor } from './option/field-role.js'
import { Severity } from './policy/policy.js'
import { fillTemplate, type ReasonPart, ReasonParts } from './reason/reason-part.js'
import { requestTemplates } from './reason/request-template.js'
import { Actor, Answers, DecidedBy, Notes, PermissionMode, Question, Timestamp } from './value.js'

export const Resolution = z.strictObject({
  at: Timestamp,
  by: DecidedBy,
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
  channel: Actor.shape.channel,
  role: Actor.shape.role,
  credentialId: Actor.shape.credentialId,
  reason: z.string().nullable(),
  reasonParts: ReasonParts.optional(),
  decision: Decision.optional(),
  rule: z.string().nullable().optional(),
  grant: Grant.optional(),
  message: z.string().optional(),
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  mode: PermissionMode.optional(),
  interrupt: z.literal(true).optional(),
  answers: Answers.nullable().optional(),
  notes: Notes.optional(),
  form: FormReply.optional(),
})
export type Resolution = z.infer<typeof Resolution>

export const InboxRequest = z.strictObject({
  id: RequestId,
  sessionId: SessionId,
  kind: z.enum(['permission', 'question']),
  state: z.enum(['pending', 'resolved']),
  requestedAt: Timestamp,
  toolUseId: z.string().nullable(),
  toolName: z.string(),
  input: z.unknown(),
  inputDigest: z.string(),
  agentId: z.string().nullable(),
  title: z.string(),
  reason: z.string(),
  /** The reason as codes and parameters. */
  reasonParts: ReasonParts.optional(),
  /** How serious the most serious finding about the call is. Absent: nothing was found, or nothing was checked. */
  severity: Severity.optional(),
  suggestions: z.array(z.unknown()),
  questions: z.array(Question),
  /** The plan, if the request is to approve one. */
  plan: z.string().nullable(),
  /** Mode of the agent that the call would start, if it is freer than the session's. Only an admin may allow it. */
  freerMode: PermissionMode.optional(),
  /** The scope of `allowAll`. */
  grant: Grant.optional(),
  /** The form of an MCP server. */
  form: Form.nullable(),
  /** Time at which it is denied if unanswered; null: no timeout. */
  expiresAt: Timestamp.nullable(),
  /** The process that asked is gone: an answer starts it again. */
  isParked: z.boolean(),
  /** Asked in a terminal where no hook waits for a remote answer. */
  isOnlyInTerminal: z.boolean(),
  resolution: Resolution.nullable(),
})
export type InboxRequest = z.infer<typeof InboxRequest>

/** Idempotency: an answer sent again with the same key counts once. */
const IdempotencyKey = z.string().min(1).max(200).optional()

/** A user's answer to a permission. Also valid for a question: `deny` declines it, with a message for the agent. */
export const PermissionAnswer = z.strictObject({
  decision: Decision,
  message: z.string().max(10_000).optional(),
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  until: Timestamp.optional(),
  /** For a plan: the mode of the session afterwards. Default: the mode before the plan. */
  mode: PermissionMode.optional(),
  /** For a denial: ends the turn. Otherwise the agent continues with the denial. */
  interrupt: z.literal(true).optional(),
  idempotencyKey: IdempotencyKey,
})
export type PermissionAnswer = z.infer<typeof PermissionAnswer>

/** A user's answer to questions: one or several values, by the text of each question. */
export const QuestionAnswer = z.strictObject({
  answers: Answers,
  notes: Notes.optional(),
  idempotencyKey: IdempotencyKey,
})
export type QuestionAnswer = z.infer<typeof QuestionAnswer>

/** A user's answer to the form of an MCP server. */
export const FormAnswer = z.strictObject({ ...FormReply.shape, idempotencyKey: IdempotencyKey })
export type FormAnswer = z.infer<typeof FormAnswer>

/** The role that each field of an answer requires. */
export const PERMISSION_ANSWER_ROLES = fieldsFor(
  'operator',
  'decision',
  'message',
  'updatedInput',
  'until',
  'mode',
  'interrupt',
  'idempotencyKey',
)
export const QUESTION_ANSWER_ROLES = fieldsFor(
  'operator',
  'answers',
  'notes',
  'action',
  'content',
  'idempotencyKey',
)

export const Answer = z.union([PermissionAnswer, QuestionAnswer, FormAnswer])
export type Answer = z.infer<typeof Answer>

export type Requested = SessionEvent & { type: 'permission.requested' | 'question.requested' }

/** Time until requests of a session are denied. 0: no timeout. */
export interface RequestTimeouts {
  permissionTimeoutMs: number
  questionTimeoutMs: number
}

/** The request after an event; null for an event that does not concern requests. */
export function applyToRequest(before: InboxRequest | null, event: SessionEvent): InboxRequest | null {
  switch (event.type) {
    case 'permission.requested':
    case 'question.requested':
      return opened(event)
    case 'permission.resolved':
    case 'question.resolved': {
      if (!before) return null
      const { requestId: _, ...resolution } = event.data
      const isParked = before.isParked && resolution.by !== 'shutdown'
      return { ...before, state: 'resolved', isParked, resolution: { at: event.at, ...resolution } }
    }
    case 'request.parked':
      return before && { ...before, isParked: true }
    case 'request.revived':
      return before && { ...before, isParked: false, toolUseId: event.data.toolUseId }
    case 'request.lapsed':
      return before && { ...before, isParked: false }
    case 'request.held':
      return before && { ...before, isOnlyInTerminal: false }
    case 'request.released':
      return before && { ...before, isOnlyInTerminal: true }
    default:
      return null
  }
}

/** Synthesises the event that raised a request, for a subscriber that joins later. Not part of any log (`seq` is 0). */
export function requestAsEvent(request: InboxRequest): Requested {
  const { id: requestId, sessionId, requestedAt: at, toolUseId, toolName, input, inputDigest } = request
  const {
    agentId,
    title,
    reason,
    reasonParts,
    severity,
    suggestions,
    plan,
    freerMode,
    grant,
    form,
    questions,
    expiresAt,
  } = request
  const timeoutMs = expiresAt === null ? 0 : Date.parse(expiresAt) - Date.parse(at)
  const call = {
    requestId,
    toolUseId,
    toolName,
    input,
    inputDigest,
    ...(agentId !== null && { agentId }),
    ...(request.isOnlyInTerminal && { inTerminal: true }),
    ...(timeoutMs > 0 && { timeoutMs }),
  }
  const envelope = { id: requestId, seq: 0, sessionId, at }
  if (request.kind === 'question')
    return {
      ...envelope,
      type: 'question.requested',
      data: { ...call, questions, ...(form && { form }) },
    }
  return {
    ...envelope,
    type: 'permission.requested',
    data: {
      ...call,
      title,
      reason,
      ...(reasonParts !== undefined && { reasonParts }),
      ...(severity !== undefined && { severity }),
      suggestions,
      ...(plan !== null && { plan }),
      ...(freerMode !== undefined && { freerMode }),
      ...(grant !== undefined && { grant }),
    },
  }
}

/** Time at which a request is denied if unanswered; null: no timeout. */
export function expiryOf({ at, data }: Requested): string | null {
  return data.timeoutMs === undefined ? null : new Date(Date.parse(at) + data.timeoutMs).toISOString()
}

function opened(event: Requested): InboxRequest {
  const { requestId, toolUseId, toolName, input, inputDigest, agentId = null } = event.data
  const form = event.type === 'question.requested' ? (event.data.form ?? null) : null
  const isPermission = event.type === 'permission.requested'
  return {
    id: requestId,
    sessionId: event.sessionId,
    kind: isPermission ? 'permission' : 'question',
    state: 'pending',
    requestedAt: event.at,
    toolUseId,
    toolName,
    input,
    inputDigest,
    agentId,
    title: isPermission ? event.data.title : (form?.message ?? event.data.questions[0]?.question ?? toolName),
    ...(isPermission ? permissionReason(event.data) : questionReason(form)),
    suggestions: isPermission ? event.data.suggestions : [],
    questions: isPermission ? [] : event.data.questions,
    plan: isPermission ? (event.data.plan ?? null) : null,
    ...(isPermission && event.data.freerMode !== undefined && { freerMode: event.data.freerMode }),
    ...(isPermission && event.data.grant !== undefined && { grant: event.data.grant }),
    form,
    expiresAt: expiryOf(event),
    isParked: false,
    isOnlyInTerminal: event.data.inTerminal ?? false,
    resolution: null,
  }
}

type Why = Pick<InboxRequest, 'reason' | 'reasonParts' | 'severity'>

function permissionReason({ reason, reasonParts, severity }: Why): Why {
  return {
    reason,
    ...(reasonParts !== undefined && { reasonParts }),
    ...(severity !== undefined && { severity }),
  }
}

function questionReason(form: Form | null): Why {
  const part: ReasonPart & { code: keyof typeof requestTemplates } = form
    ? { code: 'request.form', params: { server: form.server } }
    : { code: 'request.question', params: {} }
  return { reason: fillTemplate(requestTemplates[part.code], part.params), reasonParts: [part] }
}
