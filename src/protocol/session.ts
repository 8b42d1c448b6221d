/** The snapshot of a session: its properties and current state. Small, whatever the length of its log. */

import { z } from 'zod'
import { Grant } from './event/request-event.js'
import {
  Activity,
  Condition,
  ConditionDetail,
  Conversation,
  ProcessState,
  SessionKind,
  SessionState,
} from './event/session-event.js'
import { ExternalId, MachineId, MessageId, RequestId, SessionId, Tag, TurnId } from './id.js'
import { JailInForce } from './jail.js'
import { Effort, SessionOptions } from './option/option.js'
import { Preset } from './policy/policy.js'
import { ReasonParts } from './reason/reason-part.js'
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
import { SessionWorktree } from './worktree/worktree.js'

export const QueuedMessage = z.strictObject({
  messageId: MessageId,
  /** Truncated if long. */
  text: z.string(),
  whenBusy: WhenBusy,
  from: Actor,
  queuedAt: Timestamp,
  /** Its event in the log, which has the whole content. */
  seq: z.int().min(1),
  /** Whether the message has more content than `text`. */
  hasContent: z.boolean(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

/** The block that is being written now, as far as received. */
export const StreamingBlock = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), messageId: z.string(), index: z.int(), text: z.string() }),
  z.strictObject({ kind: z.literal('thinking'), messageId: z.string(), index: z.int(), text: z.string() }),
  z.strictObject({ kind: z.literal('tool'), toolUseId: z.string(), name: z.string(), text: z.string() }),
])
export type StreamingBlock = z.infer<typeof StreamingBlock>

export const Session = z.strictObject({
  id: SessionId,
  kind: SessionKind,
  /** Given by a user, or by Claude. Null if there is none. */
  title: z.string().nullable(),
  /**
   * The name in lists: the title, or the first prompt in short. Only a new title changes it. Null before the first
   * prompt that is more than a /command.
   */
  name: z.string().nullable(),
  /** The caller's own id of the conversation. Unique among sessions that have not ended. */
  externalId: ExternalId.nullable(),
  /** Kept at the top of its group in lists. */
  isPinned: z.boolean(),
  /** Left out of lists by default. It works as before. */
  isArchived: z.boolean(),
  /** No notification is sent about it. */
  isMuted: z.boolean().optional(),
  /** Labels of users. */
  tags: z.array(Tag),
  /** The machine that it runs on: its folder and its process are there. */
  machine: MachineId,
  cwd: z.string(),
  /** The worktree that was made for it; null if it works in the folder that it was given. */
  worktree: SessionWorktree.extend({
    /** Whether the command that prepares it runs; null if there is none. */
    setup: z.enum(['running', 'completed', 'failed', 'interrupted']).nullable(),
    isRemoved: z.boolean(),
  }).nullable(),
  /** The git branch checked out in its folder; null if there is none, or it is unknown. */
  branch: z.string().nullable(),
  model: z.string().nullable(),
  permissionMode: PermissionMode,
  parentId: SessionId.nullable(),
  /** The parent's tool call that this session answers; null if no agent called it. */
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
  /** Besides the state: a delay, or how the last turn went wrong; null if there is nothing. */
  condition: Condition.nullable(),
  conditionDetail: ConditionDetail.nullable(),
  /** Why the last turn failed, or why none could start, until the next turn. `code`: a stop reason or an error code. */
  failure: z.strictObject({ code: z.string(), message: z.string(), at: Timestamp }).nullable(),
  process: ProcessState,
  turn: z
    .strictObject({
      id: TurnId,
      startedAt: Timestamp,
      messageIds: z.array(MessageId),
      origin: TurnOrigin,
      /** Tokens so far, already included in the session's `usage`. */
      usage: Usage.optional(),
    })
    .nullable(),
  partial: StreamingBlock.nullable(),
  /** Running tool calls: names by tool-use id. */
  pendingTools: z.record(z.string(), z.string()),
  /** Running hooks: commands by hook id. */
  pendingHooks: z.record(z.string(), z.string()),
  /** Running subagents, by agent id. */
  agents: z.record(z.string(), z.strictObject({ type: z.string(), description: z.string().nullable() })),
  /** Running background tasks, by task id. */
  tasks: z.record(z.string(), z.strictObject({ kind: z.string(), description: z.string().nullable() })),
  /** Unanswered requests, oldest first. */
  pendingRequests: z.array(RequestId),
  /** Requests whose process is gone. Each waits, answered or not, for the agent to repeat the call. */
  parkedRequests: z.array(RequestId),
  /** Permissions that a user granted for the rest of the session. */
  grants: z.array(Grant),
  /** Messages that the agent has not read yet, oldest first. */
  queue: z.array(QueuedMessage),

  /** Set while it is being stopped: how it will have ended. */
  stopping: z
    .strictObject({ outcome: Outcome, reason: z.string(), reasonParts: ReasonParts.optional() })
    .nullable(),
  /** Sessions that have changed the same files while neither had ended, and how many files that were. */
  overlaps: z.record(SessionId, z.int().min(1)),
  /** Files that an undo or another session changed. The agent learns of them with its next message. */
  staleFiles: z.array(z.string()),

  /** The agent's report of the result of its task, until the next turn. */
  completion: Completion.nullable(),
  /** Whether the last turn was interrupted by a crash or restart and can be continued. */
  isInterrupted: z.boolean(),
  turns: z.int().min(0),
  /** Current size of the context in tokens; null if unknown. Its limit is `contextWindow` of the model. */
  contextTokens: z.int().min(0).nullable(),
  usage: Usage,
  modelUsage: z.record(z.string(), ModelUsage),
  costUsd: z.number().min(0),
  /** List price of the turns that the scripted model has answered. Not spent, and not part of `costUsd`. */
  scriptedCostUsd: z.number().min(0).optional(),
  lastPrompt: z.string().nullable(),
  lastText: z.string().nullable(),
  /** The newest step of the main agent in short: a tool call, or the last sentence that it wrote. */
  latest: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('tool'), name: z.string(), title: z.string() }),
      z.strictObject({ kind: z.literal('text'), text: z.string() }),
    ])
    .nullable(),

  lastSeq: z.int().min(1),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Timestamp.nullable(),
  outcome: Outcome.nullable(),
  reason: z.string().nullable(),
})
export type Session = z.infer<typeof Session>
