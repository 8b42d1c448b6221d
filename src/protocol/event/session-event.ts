/** Events of a session's lifecycle: the session, its messages and its turns. */

import { z } from 'zod'
import { SnapshotRef } from '../change/change.js'
import { conditions, sessionKinds, sessionStates } from '../choice.js'
import { ExternalId, MachineId, MessageId, SessionId, Tag, TurnId } from '../id.js'
import { JailInForce } from '../jail.js'
import { Effort, SessionOptions } from '../option/option.js'
import { Preset } from '../policy/policy.js'
import { ReasonParts } from '../reason/reason-part.js'
import {
  Actor,
  ContentBlock,
  ModelUsage,
  Outcome,
  PermissionMode,
  StopReason,
  Timestamp,
  TurnOrigin,
  Usage,
  WhenBusy,
} from '../value.js'
import { worktreeEvents } from '../worktree/worktree.js'
import { defineEvent } from './define-event.js'

export const SessionKind = z.enum(sessionKinds)
export const SessionState = z.enum(sessionStates)
export type SessionState = z.infer<typeof SessionState>
export const Activity = z.enum(['thinking', 'responding', 'tool'])
export type Activity = z.infer<typeof Activity>
/** Whether the session has a CLI process. */
export const ProcessState = z.enum(['none', 'live', 'parked'])
export type ProcessState = z.infer<typeof ProcessState>

/** Temporary condition besides the state. The list may grow. */
export const Condition = z.enum(conditions)
export type Condition = z.infer<typeof Condition>
/** Details of a condition, as far as they are known. */
export const ConditionDetail = z.strictObject({
  /** `retrying`: the number of the next attempt. */
  attempt: z.int().min(1).optional(),
  maxAttempts: z.int().min(1).optional(),
  nextTryAt: Timestamp.optional(),
  /** `recording`: files of the workspace that are recorded already, and all. */
  done: z.int().min(0).optional(),
  total: z.int().min(0).optional(),
  /** `rate_limited`: when the limit is reset. */
  until: Timestamp.optional(),
  /** The cause in words, such as the error of the last turn. */
  reason: z.string().optional(),
})
export type ConditionDetail = z.infer<typeof ConditionDetail>

/** The Claude conversation of a session: its id, and its origin if it did not start here. */
export const Conversation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('new'), id: z.uuid() }),
  /** Started outside Signalbox, continued here. */
  z.strictObject({ kind: z.literal('adopted'), id: z.uuid() }),
  /** A copy of another conversation, whole or up to a message (Claude's id). */
  z.strictObject({ kind: z.literal('forked'), id: z.uuid(), from: z.uuid(), at: z.uuid().nullable() }),
])
export type Conversation = z.infer<typeof Conversation>

export const sessionEvents = [
  defineEvent('session.created', {
    kind: SessionKind,
    /** The machine that it runs on. Absent: that of the hub. */
    machine: MachineId.optional(),
    cwd: z.string(),
    title: z.string().nullable(),
    model: z.string().nullable(),
    permissionMode: PermissionMode,
    /** The session that it was forked from, or whose agent called it. */
    parentId: SessionId.nullable(),
    /** The tool call by which the parent's agent called it. */
    parentToolUseId: z.string().optional(),
    /** The caller's own id of the conversation. */
    externalId: ExternalId.optional(),
    by: Actor,
    /** The configured agent that it runs as. */
    agent: z.string().nullable(),
    /** The policy preset of the session, if it differs from the global one. */
    policy: Preset.nullable().optional(),
    /** As given, without secrets. */
    options: SessionOptions,
    conversation: Conversation,
  }),
  /** The CLI reported its configuration. Repeated when that changes. */
  defineEvent('session.started', {
    claudeSessionId: z.string(),
    model: z.string(),
    permissionMode: PermissionMode,
    cwd: z.string(),
    tools: z.array(z.string()),
    mcpServers: z.array(z.strictObject({ name: z.string(), status: z.string() })),
    commands: z.array(z.string()),
    skills: z.array(z.string()),
    agents: z.array(z.string()),
    claudeVersion: z.string().nullable(),
  }),
  defineEvent('session.changed', {
    state: SessionState.optional(),
    activity: Activity.nullable().optional(),
    condition: Condition.nullable().optional(),
    conditionDetail: ConditionDetail.nullable().optional(),
    title: z.string().optional(),
    /** Claude's own title of the conversation. It becomes the title of a session that has none. */
    summary: z.string().optional(),
    /** The caller's own id of the conversation; null removes it. */
    externalId: ExternalId.nullable().optional(),
    isPinned: z.boolean().optional(),
    isArchived: z.boolean().optional(),
    isMuted: z.boolean().optional(),
    tags: z.array(Tag).optional(),
    permissionMode: PermissionMode.optional(),
    /** The actor that changed the mode, or pinned, archived, muted or tagged it. */
    by: Actor.optional(),
    model: z.string().optional(),
    process: ProcessState.optional(),
    /** The git branch checked out in its folder; null if there is none. */
    branch: z.string().nullable().optional(),
    /** Current size of the context in tokens; null if unknown. */
    contextTokens: z.int().min(0).nullable().optional(),
    /** Tokens of the running turn's main loop so far. Replaced by the final figure of `turn.ended`. */
    turnUsage: Usage.optional(),
    thinkingTokens: z.int().min(0).nullable().optional(),
    effort: Effort.nullable().optional(),
    /** Whether its commands run in the read-only jail. */
    jail: JailInForce.optional(),
    /** Without secrets. */
    options: SessionOptions.optional(),
    /** The next process resumes the conversation after this message (Claude's id). */
    resumeAt: z.uuid().nullable().optional(),
    /** The session continues in another Claude conversation. */
    claudeSessionId: z.string().optional(),
  }),
  /** A user or an agent stops the session. Its runner ends the process, and then the session. */
  defineEvent('session.stopping', {
    outcome: Outcome,
    reason: z.string(),
    reasonParts: ReasonParts.optional(),
  }),
  /** The session works in a worktree that was made for it. */
  defineEvent('worktree.created', worktreeEvents.created),
  /** A user committed, merged, rebased, pushed or removed the worktree of the session. */
  defineEvent('worktree.changed', worktreeEvents.changed),
  /** The command that prepares the worktree. The first message is sent when it has ended. */
  defineEvent('setup.started', { command: z.string() }),
  defineEvent('setup.ended', {
    outcome: Outcome,
    exitCode: z.number().nullable(),
    /** The end of what it printed. */
    output: z.string(),
    durationMs: z.number().min(0).nullable(),
  }),
  defineEvent('session.ended', { outcome: Outcome, reason: z.string(), reasonParts: ReasonParts.optional() }),

  defineEvent('message.queued', {
    messageId: MessageId,
    text: z.string(),
    content: z.array(ContentBlock).optional(),
    whenBusy: WhenBusy,
    from: Actor,
  }),
  defineEvent('message.delivered', { messageId: MessageId, turnId: TurnId.optional() }),
  defineEvent('message.cancelled', { messageId: MessageId, reason: z.string() }),

  defineEvent('turn.started', {
    turnId: TurnId,
    messageIds: z.array(MessageId),
    origin: TurnOrigin,
    /** The newest recorded state of the workspace. */
    snapshot: SnapshotRef.optional(),
  }),
  defineEvent('turn.ended', {
    turnId: TurnId,
    /** The state of the workspace after the turn, if it was recorded. */
    snapshot: SnapshotRef.optional(),
    outcome: Outcome,
    stopReason: StopReason,
    durationMs: z.number().min(0).nullable(),
    turns: z.number().min(0).nullable(),
    /** Tokens of this turn's main loop. */
    usage: Usage.nullable(),
    /** All tokens since the previous result, including subagents, by model. */
    modelUsage: z.record(z.string(), ModelUsage).nullable(),
    /** Cost of `modelUsage`. */
    costUsd: z.number().min(0).nullable(),
    /** The scripted model has answered: `costUsd` is what the tokens would have cost, and nothing was spent. */
    isScripted: z.literal(true).optional(),
    text: z.string().nullable(),
    /** The origin of the turn, if the CLI reports it only at the end. */
    origin: TurnOrigin.optional(),
    structuredOutput: z.unknown().optional(),
    errors: z.array(z.string()),
    /** The first of `errors` as a code and parameters, if it is a text of Signalbox. */
    errorParts: ReasonParts.optional(),
  }),
] as const
