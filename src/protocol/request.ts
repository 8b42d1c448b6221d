/** A request: something that a person must answer. */

import { z } from 'zod'
import type { SessionEvent } from './event/event.js'
import { Decision, Grant } from './event/request-event.js'
import { Form, FormReply } from './form/form.js'
import { RequestId, SessionId } from './id.js'
import { fieldsFor } from './option/field-role.js'
import { fillTemplate, type ReasonPart, ReasonParts } from './reason/reason-part.js'
import { requestTemplates } from './reason/request-template.js'
import { Actor, Answers, DecidedBy, Notes, PermissionMode, Question, Timestamp } from './value.js'

export const Resolution = z.strictObject({
  at: Timestamp,
  by: DecidedBy,
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
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
  /** The same as codes and parameters. */
  reasonParts: ReasonParts.optional(),
  suggestions: z.array(z.unknown()),
  questions: z.array(Question),
  /** A permission to go on with this plan. */
  plan: z.string().nullable(),
  /** The mode of the agent that it would start, where that is freer than the session: only an admin allows it. */
  freerMode: PermissionMode.optional(),
  /** What `allowAll` covers. */
  grant: Grant.optional(),
  /** A question of an MCP server. */
  form: Form.nullable(),
  /** When it is denied if nobody has answered; null: never. */
  expiresAt: Timestamp.nullable(),
  /** The process that asked is gone: an answer starts it again. */
  isParked: z.boolean(),
  /** Its terminal asks, and nothing there waits for an answer from elsewhere. */
  isOnlyInTerminal: z.boolean(),
  resolution: Resolution.nullable(),
})
export type InboxRequest = z.infer<typeof InboxRequest>

/** An answer that is sent again with its key is one answer. */
const IdempotencyKey = z.string().min(1).max(200).optional()

/** What a person says to a permission. To a question too: `deny` is no answer, with a message for the agent. */
export const PermissionAnswer = z.strictObject({
  decision: Decision,
  message: z.string().max(10_000).optional(),
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  until: Timestamp.optional(),
  /** For a plan: the mode in which the session goes on. Without it, the one before the plan. */
  mode: PermissionMode.optional(),
  /** For a denial: the turn ends with it, instead of going on with the denial. */
  interrupt: z.literal(true).optional(),
  idempotencyKey: IdempotencyKey,
})
export type PermissionAnswer = z.infer<typeof PermissionAnswer>

/** What a person says to a question: a value, or several, by the text of each question. */
export const QuestionAnswer = z.strictObject({
  answers: Answers,
  notes: Notes.optional(),
  idempotencyKey: IdempotencyKey,
})
export type QuestionAnswer = z.infer<typeof QuestionAnswer>

/** What a person says to the form of an MCP server. */
export const FormAnswer = z.strictObject({ ...FormReply.shape, idempotencyKey: IdempotencyKey })
export type FormAnswer = z.infer<typeof FormAnswer>

/** Who may send which field of an answer. */
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

/** How long requests of a session wait before they are denied. 0: for ever. */
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

/** A request as the event that raised it: what a reader that joins later is sent first. It stands in no log. */
export function requestAsEvent(request: InboxRequest): Requested {
  const { id: requestId, sessionId, requestedAt: at, toolUseId, toolName, input, inputDigest } = request
  const {
    agentId,
    title,
    reason,
    reasonParts,
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
      suggestions,
      ...(plan !== null && { plan }),
      ...(freerMode !== undefined && { freerMode }),
      ...(grant !== undefined && { grant }),
    },
  }
}

/** When a request is denied if nobody has answered; null: never. */
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

type Why = Pick<InboxRequest, 'reason' | 'reasonParts'>

function permissionReason({ reason, reasonParts }: Why): Why {
  return { reason, ...(reasonParts !== undefined && { reasonParts }) }
}

function questionReason(form: Form | null): Why {
  const part: ReasonPart & { code: keyof typeof requestTemplates } = form
    ? { code: 'request.form', params: { server: form.server } }
    : { code: 'request.question', params: {} }
  return { reason: fillTemplate(requestTemplates[part.code], part.params), reasonParts: [part] }
}
