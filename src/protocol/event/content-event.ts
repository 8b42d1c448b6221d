/** Events of an agent's output and actions: text, thinking, tools, hooks, skills, subagents, tasks. */

import { z } from 'zod'
import { SnapshotRef } from '../change/change.js'
import { ReasonParts } from '../reason/reason-part.js'
import { Completion, Outcome } from '../value.js'
import { defineEvent, speaker } from './define-event.js'

/** A content block of an assistant message: the model's message id, and the index of the block. */
const block = { messageId: z.string(), index: z.int().min(0), ...speaker }
/** Claude's id of a whole message, at which a conversation can be forked or resumed. */
const uuid = z.string().optional()
/** Offset of this delta in the block, in characters. Makes deltas idempotent: applying one twice changes nothing. */
const offset = z.int().min(0)
const toolUseId = z.string()

export const ToolOutcome = z.enum(['completed', 'failed', 'denied', 'blocked', 'cancelled'])
export type ToolOutcome = z.infer<typeof ToolOutcome>

/** Deltas: published, never stored. */
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
    /** Present if it differs from the requested input. */
    input: z.unknown().optional(),
    /** The decider that allowed it: `policy: …`, `person: …`, `hook: …`. */
    by: z.string().optional(),
    /** Runs in the read-only jail. */
    jail: z.boolean().optional(),
    /** The state of the workspace before it, if it can write. */
    snapshot: SnapshotRef.optional(),
  }),
  /** A decision made automatically. A user's decision is in the request's events. */
  defineEvent('tool.judged', {
    toolUseId,
    name: z.string(),
    /** The call in a few words, and the SHA-256 of its input. */
    title: z.string(),
    inputDigest: z.string(),
    /** `block`: a command hook blocked it. */
    decision: z.enum(['allow', 'deny', 'block']),
    /** The decider: `policy: …` with step and rule, or `hook: …`. */
    by: z.string(),
    reason: z.string().optional(),
    /** The reason as codes and parameters. */
    reasonParts: ReasonParts.optional(),
    /** Allowed in the read-only jail only. */
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
    /** The tool's structured result if it has one, otherwise the content that the model got. */
    result: z.unknown().optional(),
    /** The text that the model got, if `result` does not contain it. */
    text: z.string().optional(),
    /** Why it failed, or why it was denied. */
    error: z.string().optional(),
    durationMs: z.number().min(0).nullable(),
    /** The decider that denied, blocked or cancelled it. */
    by: z.string().optional(),
    /** False: it did not run in the read-only jail, although `tool.started` says so. */
    jail: z.literal(false).optional(),
  }),

  /** The agent reported the result of its task. */
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
    /** Whether the model called it or the user typed it, if known. */
    startedBy: z.enum(['model', 'person']).optional(),
    /** In a managed session: the tool call that started it. */
    toolUseId: z.string().optional(),
  }
}
