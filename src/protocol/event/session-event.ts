/** Events of a session's life: the session itself, its messages and its turns. */

import { z } from 'zod'
import { sessionKinds, sessionStates } from '../choice.js'
import { ExternalId, MessageId, SessionId, TurnId } from '../id.js'
import { JailInForce } from '../jail.js'
import { Effort, SessionOptions } from '../option/option.js'
import { Preset } from '../policy/policy.js'
import {
  Actor,
  ContentBlock,
  ModelUsage,
  Outcome,
  PermissionMode,
  StopReason,
  TurnOrigin,
  Usage,
  WhenBusy,
} from '../value.js'
import { defineEvent } from './define-event.js'

export const SessionKind = z.enum(sessionKinds)
export const SessionState = z.enum(sessionStates)
export type SessionState = z.infer<typeof SessionState>
export const Activity = z.enum(['thinking', 'responding', 'tool'])
export type Activity = z.infer<typeof Activity>
/** Whether a CLI process stands behind the session right now. */
export const ProcessState = z.enum(['none', 'live', 'parked'])
export type ProcessState = z.infer<typeof ProcessState>

/** What else is true of a session beside its state. The list may grow. */
export const Condition = z.enum(['starting', 'waiting_for_slot', 'retrying', 'not_responding'])
export type Condition = z.infer<typeof Condition>

/** Claude's conversation behind a session: its id, and where it comes from if it does not begin here. */
export const Conversation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('new'), id: z.uuid() }),
  /** It was begun elsewhere and goes on here. */
  z.strictObject({ kind: z.literal('adopted'), id: z.uuid() }),
  /** A copy of another one, up to a message of it (Claude's id), or as a whole. */
  z.strictObject({ kind: z.literal('forked'), id: z.uuid(), from: z.uuid(), at: z.uuid().nullable() }),
])
export type Conversation = z.infer<typeof Conversation>

export const sessionEvents = [
  defineEvent('session.created', {
    kind: SessionKind,
    cwd: z.string(),
    title: z.string().nullable(),
    model: z.string().nullable(),
    permissionMode: PermissionMode,
    /** The session that it was copied from, or whose agent has called this one. */
    parentId: SessionId.nullable(),
    /** The call, where an agent of the parent has called this one. */
    parentToolUseId: z.string().optional(),
    /** The caller's own id of the conversation. */
    externalId: ExternalId.optional(),
    by: Actor,
    /** The configured agent that it runs as. */
    agent: z.string().nullable(),
    /** The preset of the policy that it chose instead of the one that holds for everything. */
    policy: Preset.nullable().optional(),
    /** As they were given, without secrets. */
    options: SessionOptions,
    conversation: Conversation,
  }),
  /** The CLI has told what it is. Comes again when it says something new. */
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
    title: z.string().optional(),
    /** The caller's own id of the conversation; null: it has none any more. */
    externalId: ExternalId.nullable().optional(),
    permissionMode: PermissionMode.optional(),
    /** Who has chosen the mode. */
    by: Actor.optional(),
    model: z.string().optional(),
    process: ProcessState.optional(),
    /** The branch that is checked out in its folder; null where there is none. */
    branch: z.string().nullable().optional(),
    /** Tokens that the conversation takes up now; null while nobody knows. */
    contextTokens: z.int().min(0).nullable().optional(),
    /** Tokens of the running turn's main loop so far. Its end says the final figure, which replaces this one. */
    turnUsage: Usage.optional(),
    thinkingTokens: z.int().min(0).nullable().optional(),
    effort: Effort.nullable().optional(),
    /** Whether its commands run in the read-only jail. */
    jail: JailInForce.optional(),
    /** Without secrets. */
    options: SessionOptions.optional(),
    /** Where the conversation will go on when its next process starts: behind this message (Claude's id). */
    resumeAt: z.uuid().nullable().optional(),
    /** Another conversation of Claude's stands behind the session from now on. */
    claudeSessionId: z.string().optional(),
  }),
  defineEvent('session.ended', { outcome: Outcome, reason: z.string() }),

  defineEvent('message.queued', {
    messageId: MessageId,
    text: z.string(),
    content: z.array(ContentBlock).optional(),
    whenBusy: WhenBusy,
    from: Actor,
  }),
  defineEvent('message.delivered', { messageId: MessageId, turnId: TurnId.optional() }),
  defineEvent('message.cancelled', { messageId: MessageId, reason: z.string() }),

  defineEvent('turn.started', { turnId: TurnId, messageIds: z.array(MessageId), origin: TurnOrigin }),
  defineEvent('turn.ended', {
    turnId: TurnId,
    outcome: Outcome,
    stopReason: StopReason,
    durationMs: z.number().min(0).nullable(),
    turns: z.number().min(0).nullable(),
    /** Tokens of this turn's main loop. */
    usage: Usage.nullable(),
    /** All tokens since the last result, subagents included, by model. */
    modelUsage: z.record(z.string(), ModelUsage).nullable(),
    /** What that cost. */
    costUsd: z.number().min(0).nullable(),
    text: z.string().nullable(),
    /** What started it, where the CLI tells so only now. */
    origin: TurnOrigin.optional(),
    structuredOutput: z.unknown().optional(),
    errors: z.array(z.string()),
  }),
] as const
