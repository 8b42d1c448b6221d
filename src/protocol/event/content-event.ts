/** Events of what an agent says and does: text, thinking, tools, hooks, skills, subagents, tasks. */

import { z } from 'zod'
import { ReasonParts } from '../reason/reason-part.js'
import { Completion, Outcome } from '../value.js'
import { defineEvent, speaker } from './define-event.js'

/** A block of an assistant message: the model's message id and the place of the block in it. */
const block = { messageId: z.string(), index: z.int().min(0), ...speaker }
/** Claude's id of a whole message: where a conversation can be forked or taken up again. */
const uuid = z.string().optional()
/** Characters of the block that came before this fragment: applying a fragment twice changes nothing. */
const offset = z.int().min(0)
const toolUseId = z.string()

export const ToolOutcome = z.enum(['completed', 'failed', 'denied', 'blocked', 'cancelled'])
export type ToolOutcome = z.infer<typeof ToolOutcome>

/** Fragments: published, never stored. */
export const deltas = [
  defineEvent('text.delta', { ...block, offset, text: z.string() }),
  defineEvent('thinking.delta', { ...block, offset, text: z.string() }),
  defineEvent('tool.input.delta', { ...speaker, toolUseId, name: z.string(), offset, text: z.string() }),
] as const

export const contentEvents = [
  defineEvent('text.ended', { ...block, uuid, text: z.string() }),
  defineEvent('thinking.ended', { ...block, uuid, text: z.string() }),

  defineEvent('tool.requested', { ...speaker, uuid, toolUseId, name: z.string(), input: z.unknown() }),
  defineEvent('tool.started', {
    toolUseId,
    /** Present where it differs from what was requested. */
    input: z.unknown().optional(),
    /** Who let it run: `policy: …`, `person: …`, `hook: …`. */
    by: z.string().optional(),
    /** It runs in the read-only jail. */
    jail: z.boolean().optional(),
  }),
  /** Decided without asking anybody. What a person decides is told by the request. */
  defineEvent('tool.judged', {
    toolUseId,
    name: z.string(),
    /** The call in a few words, and the SHA-256 of its input. */
    title: z.string(),
    inputDigest: z.string(),
    /** `block`: by a command hook. */
    decision: z.enum(['allow', 'deny', 'block']),
    /** Who: `policy: …` with the step and the rule, `hook: …`. */
    by: z.string(),
    reason: z.string().optional(),
    /** The same as codes and parameters. */
    reasonParts: ReasonParts.optional(),
    /** Allowed to run in the read-only jail. */
    jail: z.boolean().optional(),
    agentId: z.string().optional(),
  }),
  defineEvent('tool.progressed', {
    toolUseId,
    elapsedMs: z.number().min(0).optional(),
    text: z.string().optional(),
  }),
  defineEvent('tool.ended', {
    ...speaker,
    toolUseId,
    name: z.string(),
    outcome: ToolOutcome,
    /** The tool's own data where it has any, else what the model got. */
    result: z.unknown().optional(),
    /** What the model got, where `result` does not give the same text. */
    text: z.string().optional(),
    /** Why it failed. Of a refused call: the reason of the refusal. */
    error: z.string().optional(),
    durationMs: z.number().min(0).nullable(),
    /** Who denied, blocked or cancelled it. */
    by: z.string().optional(),
    /** False: it did not run in the read-only jail, although `tool.started` says so. */
    jail: z.literal(false).optional(),
  }),

  /** The agent has said what its task came to. */
  defineEvent('completion.recorded', {
    toolUseId: z.string().nullable(),
    ...Completion.shape,
  }),

  defineEvent('hook.started', {
    hookId: z.string(),
    command: z.string(),
    event: z.string(),
    matcher: z.string().optional(),
    toolUseId: z.string().optional(),
  }),
  defineEvent('hook.ended', {
    hookId: z.string(),
    exitCode: z.number().nullable(),
    outcome: z.enum(['passed', 'blocked', 'broken']),
    message: z.string().optional(),
    durationMs: z.number().min(0).nullable(),
  }),

  defineEvent('skill.started', skill()),
  defineEvent('skill.ended', {
    ...skill(),
    outcome: Outcome,
    durationMs: z.number().min(0).nullable().optional(),
  }),

  defineEvent('agent.started', {
    agentId: z.string(),
    agentType: z.string(),
    description: z.string().optional(),
    parentToolUseId: z.string().optional(),
    parentAgentId: z.string().optional(),
    isBackground: z.boolean(),
  }),
  defineEvent('agent.ended', { agentId: z.string(), outcome: Outcome, text: z.string().optional() }),

  defineEvent('task.started', {
    taskId: z.string(),
    kind: z.string(),
    description: z.string().optional(),
    toolUseId: z.string().optional(),
    isBackground: z.boolean(),
  }),
  defineEvent('task.progressed', {
    taskId: z.string(),
    description: z.string().optional(),
    tokens: z.number().optional(),
  }),
  defineEvent('task.ended', { taskId: z.string(), outcome: Outcome, summary: z.string().optional() }),
] as const

function skill() {
  return {
    skillName: z.string(),
    triggerCommand: z.string().nullable(),
    turnSeq: z.int().nullable(),
    targetDocPath: z.string().nullable(),
    /** Whether the model called it or the person typed it, where that is known. */
    startedBy: z.enum(['model', 'person']).optional(),
    /** The call that started it, in a managed session. */
    toolUseId: z.string().optional(),
  }
}
