/** Events of what a person must answer. Requested once, resolved once. */

import { z } from 'zod'
import { defineEvent } from './define-event.js'
import { RequestId } from './id.js'
import { Actor, Answers, DecidedBy, Question, Timestamp } from './value.js'

const call = {
  requestId: RequestId,
  toolUseId: z.string().nullable(),
  toolName: z.string(),
  /** The exact input that an answer is about, and its SHA-256: an answer for another input does not count. */
  input: z.unknown(),
  inputDigest: z.string(),
  agentId: z.string().optional(),
}

const resolution = {
  requestId: RequestId,
  by: DecidedBy,
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
  /** In words: why it was decided like this. */
  reason: z.string().nullable(),
}

export const Decision = z.enum(['allow', 'allowAll', 'deny'])
export type Decision = z.infer<typeof Decision>

/** An answer that goes on holding in its session: this tool and, for a shell, this command. */
export const Grant = z.strictObject({
  tool: z.string(),
  command: z.string().optional(),
  until: Timestamp.optional(),
})
export type Grant = z.infer<typeof Grant>

export const requestEvents = [
  defineEvent('permission.requested', {
    ...call,
    title: z.string(),
    /** Why it is asked. */
    reason: z.string(),
    suggestions: z.array(z.unknown()),
  }),
  defineEvent('permission.resolved', {
    ...resolution,
    decision: Decision,
    rule: z.string().nullable(),
    message: z.string().optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    grant: Grant.optional(),
  }),
  defineEvent('question.requested', { ...call, questions: z.array(Question) }),
  /** `answers` is null when nobody answered. */
  defineEvent('question.resolved', { ...resolution, answers: Answers.nullable() }),
  /** What was allowed for good is asked again. */
  defineEvent('grant.revoked', { tool: z.string(), command: z.string().optional(), by: Actor }),
] as const
