/** Events of requests to the user. Each request is requested once and resolved once. */

import { z } from 'zod'
import { decisions } from '../choice.js'
import { Form, FormReply } from '../form/form.js'
import { RequestId } from '../id.js'
import { Severity } from '../policy/policy.js'
import { ReasonParts } from '../reason/reason-part.js'
import { Actor, Answers, DecidedBy, Notes, PermissionMode, Question, Timestamp } from '../value.js'
import { defineEvent } from './define-event.js'

const call = {
  requestId: RequestId,
  toolUseId: z.string().nullable(),
  toolName: z.string(),
  /** The exact input that an answer applies to, and its SHA-256: an answer for another input is refused. */
  input: z.unknown(),
  inputDigest: z.string(),
  agentId: z.string().optional(),
  /**
   * Raised by a terminal session, which Signalbox only follows: answered in the terminal, and remotely while a hook
   * holds it.
   */
  inTerminal: z.boolean().optional(),
  /** Time until it is denied. Absent: no timeout. */
  timeoutMs: z.int().min(1).optional(),
}

const resolution = {
  requestId: RequestId,
  by: DecidedBy,
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
  channel: Actor.shape.channel,
  role: Actor.shape.role,
  credentialId: Actor.shape.credentialId,
  /** Why it was decided, as text. */
  reason: z.string().nullable(),
  /** The reason as codes and parameters, where the text is ours. */
  reasonParts: ReasonParts.optional(),
}

export const Decision = z.enum(decisions)
export type Decision = z.infer<typeof Decision>

/**
 * An answer in force for the rest of the session. It covers only what the request showed, and no call with further
 * findings.
 */
export const Grant = z.strictObject({
  tool: z.string(),
  /** For a shell: the command. `FILE…` stands for files of the workspace. */
  command: z.string().optional(),
  /** The words of the command, if it is also covered next to commands that only read. Absent: only this exact text. */
  words: z.array(z.string()).optional(),
  /** The words may be followed by any files of the workspace. */
  files: z.literal(true).optional(),
  /** Folder in which the command must run. */
  folder: z.string().optional(),
  /** For `WebFetch`: the origin, such as `https://example.com`; in a terminal the host name. */
  origin: z.string().optional(),
  /** For other tools: SHA-256 of the only input that is covered. */
  inputDigest: z.string().optional(),
  /** The rules for which the policy asked. If other rules apply to a call, the policy asks again. */
  findings: z.array(z.string()).optional(),
  until: Timestamp.optional(),
})
export type Grant = z.infer<typeof Grant>

export const requestEvents = [
  defineEvent('permission.requested', {
    ...call,
    title: z.string(),
    /** Why the policy asks. */
    reason: z.string(),
    /** The reason as codes and parameters. */
    reasonParts: ReasonParts.optional(),
    /** How serious the most serious finding about the call is. Absent: nothing was found, or nothing was checked. */
    severity: Severity.optional(),
    suggestions: z.array(z.unknown()),
    /** The plan, if the request is to approve one. */
    plan: z.string().optional(),
    /** Mode of the agent that the call would start, if it is freer than the session's. Only an admin may allow it. */
    freerMode: PermissionMode.optional(),
    /** The scope of `allowAll`. */
    grant: Grant.optional(),
  }),
  defineEvent('permission.resolved', {
    ...resolution,
    decision: Decision,
    rule: z.string().nullable(),
    message: z.string().optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    grant: Grant.optional(),
    /** Mode of the session after an approved plan. */
    mode: PermissionMode.optional(),
    /** The denial ends the turn. */
    interrupt: z.literal(true).optional(),
  }),
  /** `form`: from an MCP server instead of the agent. Then `questions` is empty. */
  defineEvent('question.requested', { ...call, questions: z.array(Question), form: Form.optional() }),
  /** `answers` is null if the request was not answered, if the user declined, and for a form. */
  defineEvent('question.resolved', {
    ...resolution,
    answers: Answers.nullable(),
    notes: Notes.optional(),
    /** Message to the agent instead of an answer. */
    message: z.string().optional(),
    form: FormReply.optional(),
  }),
  /**
   * The process that asked is gone. A pending request can still be answered: the turn continues with the answer, which
   * is delivered when the agent repeats the call. `answered`: it was answered before, but the answer did not reach the
   * process.
   */
  defineEvent('request.parked', {
    requestId: RequestId,
    reason: z.string(),
    answered: z.literal(true).optional(),
  }),
  /** The agent repeated the call with the same input: the request and its answer now belong to the new call. */
  defineEvent('request.revived', { requestId: RequestId, toolUseId: z.string().nullable() }),
  /** Answered, but the agent did not repeat the call: the answer was not used. */
  defineEvent('request.lapsed', { requestId: RequestId, reason: z.string() }),
  /** A hook in the terminal waits for a remote answer. */
  defineEvent('request.held', { requestId: RequestId }),
  /** The hook stopped waiting: a pending request can only be answered in the terminal. */
  defineEvent('request.released', { requestId: RequestId }),
  /** A grant was revoked: matching calls ask again. */
  defineEvent('grant.revoked', { tool: z.string(), command: z.string().optional(), by: Actor }),
] as const
