/** A request: something that a person must answer. */

import { z } from 'zod'
import type { SessionEvent } from './event.js'
import { RequestId, SessionId } from './id.js'
import { Decision, Grant } from './request-event.js'
import { Actor, Answers, DecidedBy, Question, Timestamp } from './value.js'

export const Resolution = z.strictObject({
  at: Timestamp,
  by: DecidedBy,
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
  reason: z.string().nullable(),
  decision: Decision.optional(),
  rule: z.string().nullable().optional(),
  grant: Grant.optional(),
  message: z.string().optional(),
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  answers: Answers.nullable().optional(),
})
export type Resolution = z.infer<typeof Resolution>

export const Request = z.strictObject({
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
  suggestions: z.array(z.unknown()),
  questions: z.array(Question),
  resolution: Resolution.nullable(),
})
export type Request = z.infer<typeof Request>

/** What a person says to a permission. */
export const PermissionAnswer = z.strictObject({
  decision: Decision,
  message: z.string().max(10_000).optional(),
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  until: Timestamp.optional(),
})
export type PermissionAnswer = z.infer<typeof PermissionAnswer>

/** What a person says to a question: a value, or several, by the text of each question. */
export const QuestionAnswer = z.strictObject({ answers: Answers })
export type QuestionAnswer = z.infer<typeof QuestionAnswer>

export const Answer = z.union([PermissionAnswer, QuestionAnswer])
export type Answer = z.infer<typeof Answer>

/** The request after an event; null for an event that does not concern requests. */
export function applyToRequest(before: Request | null, event: SessionEvent): Request | null {
  switch (event.type) {
    case 'permission.requested':
    case 'question.requested':
      return opened(event)
    case 'permission.resolved':
    case 'question.resolved': {
      if (!before) return null
      const { requestId: _, ...resolution } = event.data
      return { ...before, state: 'resolved', resolution: { at: event.at, ...resolution } }
    }
    default:
      return null
  }
}

function opened(event: SessionEvent & { type: 'permission.requested' | 'question.requested' }): Request {
  const { requestId, toolUseId, toolName, input, inputDigest, agentId = null } = event.data
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
    title: isPermission ? event.data.title : (event.data.questions[0]?.question ?? toolName),
    reason: isPermission ? event.data.reason : 'The agent asks a question.',
    suggestions: isPermission ? event.data.suggestions : [],
    questions: isPermission ? [] : event.data.questions,
    resolution: null,
  }
}
