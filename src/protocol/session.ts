/** The snapshot of a session: what it is and what it is doing now. Small, whatever the length of its log. */

import { z } from 'zod'
import { Grant } from './event/request-event.js'
import {
  Activity,
  Condition,
  Conversation,
  ProcessState,
  SessionKind,
  SessionState,
} from './event/session-event.js'
import { ExternalId, MessageId, RequestId, SessionId, TurnId } from './id.js'
import { JailInForce } from './jail.js'
import { Effort, SessionOptions } from './option/option.js'
import { Preset } from './policy/policy.js'
import {
  Actor,
  Completion,
  ModelUsage,
  Outcome,
  PermissionMode,
  Timestamp,
  TurnOrigin,
  Usage,
  WhenBusy,
} from './value.js'

export const QueuedMessage = z.strictObject({
  messageId: MessageId,
  /** Of a long message the beginning. */
  text: z.string(),
  whenBusy: WhenBusy,
  from: Actor,
  queuedAt: Timestamp,
  /** Where it stands in the log, with all that it holds. */
  seq: z.int().min(1),
  /** Whether it holds more than `text`. */
  hasContent: z.boolean(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

/** The block that is being written right now, as far as it is known. */
export const StreamingBlock = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), messageId: z.string(), index: z.int(), text: z.string() }),
  z.strictObject({ kind: z.literal('thinking'), messageId: z.string(), index: z.int(), text: z.string() }),
  z.strictObject({ kind: z.literal('tool'), toolUseId: z.string(), name: z.string(), text: z.string() }),
])
export type StreamingBlock = z.infer<typeof StreamingBlock>

export const Session = z.strictObject({
  id: SessionId,
  kind: SessionKind,
  title: z.string().nullable(),
  /** The caller's own id of the conversation. No two sessions that have not ended share one. */
  externalId: ExternalId.nullable(),
  cwd: z.string(),
  /** The branch that is checked out in its folder; null where there is none, or nobody knows. */
  branch: z.string().nullable(),
  model: z.string().nullable(),
  permissionMode: PermissionMode,
  parentId: SessionId.nullable(),
  /** The call of the parent that this session answers; null if it was not called. */
  parentToolUseId: z.string().nullable(),
  /** Claude's id of the conversation. */
  claudeSessionId: z.string().nullable(),
  conversation: Conversation,
  resumeAt: z.uuid().nullable(),
  agent: z.string().nullable(),
  policy: Preset.nullable(),
  /** Without secrets. */
  options: SessionOptions,
  thinkingTokens: z.int().nullable(),
  effort: Effort.nullable(),
  /** Whether its commands run in the read-only jail; null before its first process. */
  jail: JailInForce.nullable().optional(),

  state: SessionState,
  activity: Activity.nullable(),
  /** What keeps it from working, or makes it wait; null where nothing does. */
  condition: Condition.nullable(),
  process: ProcessState,
  turn: z
    .strictObject({
      id: TurnId,
      startedAt: Timestamp,
      messageIds: z.array(MessageId),
      origin: TurnOrigin,
      /** Tokens so far; they are in the session's `usage` already. */
      usage: Usage.optional(),
    })
    .nullable(),
  partial: StreamingBlock.nullable(),
  /** Tool calls that have not ended, by tool-use id. */
  pendingTools: z.record(z.string(), z.string()),
  /** Hooks that have not ended, by hook id. */
  pendingHooks: z.record(z.string(), z.string()),
  /** Subagents that have not ended, by agent id. */
  agents: z.record(z.string(), z.strictObject({ type: z.string(), description: z.string().nullable() })),
  /** Background tasks that have not ended, by task id. */
  tasks: z.record(z.string(), z.strictObject({ kind: z.string(), description: z.string().nullable() })),
  /** Requests that nobody has answered, oldest first. */
  pendingRequests: z.array(RequestId),
  /** Requests whose process is gone: the answer, given or not, waits for the agent to make the call again. */
  parkedRequests: z.array(RequestId),
  /** What a person has allowed for the rest of the session. */
  grants: z.array(Grant),
  /** Messages that the agent has not read yet, oldest first. */
  queue: z.array(QueuedMessage),

  /** What the agent has said its task came to, until it is given another. */
  completion: Completion.nullable(),
  /** Whether the last turn was cut off and can be continued. */
  isInterrupted: z.boolean(),
  turns: z.int().min(0),
  /** Tokens that the conversation takes up now; null while nobody knows. How many it may: `contextWindow` of its model. */
  contextTokens: z.int().min(0).nullable(),
  usage: Usage,
  modelUsage: z.record(z.string(), ModelUsage),
  costUsd: z.number().min(0),
  lastPrompt: z.string().nullable(),
  lastText: z.string().nullable(),

  lastSeq: z.int().min(1),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Timestamp.nullable(),
  outcome: Outcome.nullable(),
  reason: z.string().nullable(),
})
export type Session = z.infer<typeof Session>
