/** Events of what a person must answer. Requested once, resolved once. */

import { z } from 'zod'
import { decisions } from '../choice.js'
import { Form, FormReply } from '../form/form.js'
import { RequestId } from '../id.js'
import { ReasonParts } from '../reason/reason-part.js'
import { Actor, Answers, DecidedBy, Notes, PermissionMode, Question, Timestamp } from '../value.js'
import { defineEvent } from './define-event.js'

const call = {
  requestId: RequestId,
  toolUseId: z.string().nullable(),
  toolName: z.string(),
  /** The exact input that an answer is about, and its SHA-256: an answer for another input does not count. */
  input: z.unknown(),
  inputDigest: z.string(),
  agentId: z.string().optional(),
  /** Asked by a session that we only watch: it can be answered there, and from elsewhere once it is held. */
  inTerminal: z.boolean().optional(),
  /** How long it waits before it is denied. Without it: for ever. */
  timeoutMs: z.int().min(1).optional(),
}

const resolution = {
  requestId: RequestId,
  by: DecidedBy,
  who: Actor.shape.who.nullable(),
  via: Actor.shape.via.nullable(),
  role: Actor.shape.role,
  credentialId: Actor.shape.credentialId,
  /** In words: why it was decided like this. */
  reason: z.string().nullable(),
  /** The same as codes and parameters, where the words are ours. */
  reasonParts: ReasonParts.optional(),
}

export const Decision = z.enum(decisions)
export type Decision = z.infer<typeof Decision>

/** An answer that holds for the rest of its session. It covers what the request has shown, and nothing in which more is found. */
export const Grant = z.strictObject({
  tool: z.string(),
  /** For a shell: the command. `FILE…` stands for files of the workspace. */
  command: z.string().optional(),
  /** The words of the command, where it is also covered beside commands that only read. Without them: only this very text. */
  words: z.array(z.string()).optional(),
  /** The words may be followed by any files of the workspace. */
  files: z.literal(true).optional(),
  /** The folder in which the command must run. */
  folder: z.string().optional(),
  /** For `WebFetch`: the server, as in `https://example.com`; in a terminal its host name. */
  origin: z.string().optional(),
  /** For other tools: only the input with this SHA-256. */
  inputDigest: z.string().optional(),
  /** The rules by which the call was asked about. A call to which others apply is asked about again. */
  findings: z.array(z.string()).optional(),
  until: Timestamp.optional(),
})
export type Grant = z.infer<typeof Grant>

export const requestEvents = [
  defineEvent('permission.requested', {
    ...call,
    title: z.string(),
    /** Why it is asked. */
    reason: z.string(),
    /** The same as codes and parameters. */
    reasonParts: ReasonParts.optional(),
    suggestions: z.array(z.unknown()),
    /** The plan, where that is what is to be approved. */
    plan: z.string().optional(),
    /** The mode of the agent that it would start, where that is freer than the session. Only an admin allows it. */
    freerMode: PermissionMode.optional(),
    /** What `allowAll` covers. */
    grant: Grant.optional(),
  }),
  defineEvent('permission.resolved', {
    ...resolution,
    decision: Decision,
    rule: z.string().nullable(),
    message: z.string().optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    grant: Grant.optional(),
    /** The mode in which the session goes on after an approved plan. */
    mode: PermissionMode.optional(),
    /** The turn ends with the denial. */
    interrupt: z.literal(true).optional(),
  }),
  /** `form`: an MCP server asks, not the agent; then there are no questions. */
  defineEvent('question.requested', { ...call, questions: z.array(Question), form: Form.optional() }),
  /** `answers` is null when nobody answered, when the person did not want to, and where a form was asked for. */
  defineEvent('question.resolved', {
    ...resolution,
    answers: Answers.nullable(),
    notes: Notes.optional(),
    /** What the agent is told instead of an answer. */
    message: z.string().optional(),
    form: FormReply.optional(),
  }),
  /**
   * The process that asked is gone. A pending request can be answered all the same: the turn goes on with the answer,
   * which is handed to the same call when the agent makes it again. `answered`: it has its answer, which had not reached
   * the process.
   */
  defineEvent('request.parked', {
    requestId: RequestId,
    reason: z.string(),
    answered: z.literal(true).optional(),
  }),
  /** The same call, with the same input, was made again: the request and its answer belong to it now. */
  defineEvent('request.revived', { requestId: RequestId, toolUseId: z.string().nullable() }),
  /** It was answered, but the agent has not made the call again: nobody used the answer. */
  defineEvent('request.lapsed', { requestId: RequestId, reason: z.string() }),
  /** In its terminal a hook waits for an answer from elsewhere. */
  defineEvent('request.held', { requestId: RequestId }),
  /** The hook waits no more: what is still pending can only be answered in the terminal. */
  defineEvent('request.released', { requestId: RequestId }),
  /** What was allowed for good is asked again. */
  defineEvent('grant.revoked', { tool: z.string(), command: z.string().optional(), by: Actor }),
] as const
