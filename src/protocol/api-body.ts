/** Request bodies of the API. */

import { z } from 'zod'
import { ExternalId, MessageId, Tag } from './id.js'
import { Effort, McpServers, SessionOptions } from './option/option.js'
import { Preset } from './policy/policy.js'
import { ContentBlock, PermissionMode, Phase, WhenBusy } from './value.js'
import { NewWorktree } from './worktree/worktree.js'

const MAX_TEXT = 1_000_000
const IdempotencyKey = z.string().min(1).max(200)
const Title = z.string().min(1).max(200)
const Model = z.string().min(1).max(200)

export const CreateSession = z.strictObject({
  cwd: z.string().min(1).max(4_096),
  prompt: z.string().min(1).max(MAX_TEXT).optional(),
  title: Title.optional(),
  /** The caller's own id of the conversation. Unique among sessions that have not ended. */
  externalId: ExternalId.optional(),
  model: Model.optional(),
  permissionMode: PermissionMode.optional(),
  /**
   * The kind of work, as an alternative to a mode. `preparation` plans, `execution` asks, `finalization` accepts edits.
   */
  phase: Phase.optional(),
  /** Name of a configured agent to run as. */
  agent: z.string().min(1).max(200).optional(),
  /** The policy preset for this session, instead of the global one. */
  policy: Preset.optional(),
  options: SessionOptions.optional(),
  /** Works in a new git worktree of the folder's repository, with a branch of its own. */
  worktree: NewWorktree.optional(),
  /** Resumes the newest conversation of the folder instead of starting one. */
  continue: z.boolean().optional(),
  idempotencyKey: IdempotencyKey.optional(),
})
export type CreateSession = z.infer<typeof CreateSession>

export const ChangeSession = z.strictObject({
  title: Title.optional(),
  /** `null` removes it. */
  externalId: ExternalId.nullable().optional(),
  isPinned: z.boolean().optional(),
  isArchived: z.boolean().optional(),
  /** No notification is sent about it. */
  isMuted: z.boolean().optional(),
  /** Replaces all tags. */
  tags: z.array(Tag).max(20).optional(),
  model: Model.optional(),
  permissionMode: PermissionMode.optional(),
  thinkingTokens: z.int().min(0).nullable().optional(),
  effort: Effort.nullable().optional(),
  /**
   * Merged into the session's options. They take effect with its next process; an idle process is ended so that this is
   * soon.
   */
  options: SessionOptions.optional(),
})
export type ChangeSession = z.infer<typeof ChangeSession>

const message = { whenBusy: WhenBusy.optional(), idempotencyKey: IdempotencyKey.optional() }

/** A message: text, or content blocks, which may be images. */
export const SendMessage = z.union([
  z.strictObject({ text: z.string().min(1).max(MAX_TEXT), ...message }),
  z.strictObject({ content: z.array(ContentBlock).min(1).max(100), ...message }),
])
export type SendMessage = z.infer<typeof SendMessage>

export const EditMessage = z.strictObject({ text: z.string().min(1).max(MAX_TEXT) })
export const StopSession = z.strictObject({ reason: z.string().min(1).max(500).optional() })

/** A user's message by our id, or an agent's message by Claude's id. */
const MessageAnchor = z.union([MessageId, z.uuid()])
export type MessageAnchor = z.infer<typeof MessageAnchor>

/** With `at`, the conversation continues from that message; later messages are dropped from its context. */
export const ResumeSession = z.strictObject({
  at: MessageAnchor.optional(),
  /** Continues an interrupted turn. After a failed one, sends its message again. */
  continue: z.boolean().optional(),
})
export type ResumeSession = z.infer<typeof ResumeSession>

/** Copies the conversation, whole or up to a message. */
export const ForkSession = z.strictObject({
  at: MessageAnchor.optional(),
  title: Title.optional(),
  prompt: z.string().min(1).max(MAX_TEXT).optional(),
  idempotencyKey: IdempotencyKey.optional(),
})
export type ForkSession = z.infer<typeof ForkSession>

/** Restores files to their content before a user's message. */
export const RewindSession = z.strictObject({ to: MessageId, dryRun: z.boolean().optional() })
export type RewindSession = z.infer<typeof RewindSession>
export const Rewound = z.strictObject({
  files: z.array(z.string()),
  insertions: z.number(),
  deletions: z.number(),
})
export type Rewound = z.infer<typeof Rewound>

export const CompactSession = z.strictObject({ instructions: z.string().max(10_000).optional() })

/** Queries that a live process can answer. */
export const Inspection = z.enum(['commands', 'models', 'agents', 'mcp', 'account', 'context'])
export type Inspection = z.infer<typeof Inspection>

/** Replaces the session's MCP servers: with servers defined here, and configured ones by name. */
export const SetMcpServers = z.strictObject({
  servers: McpServers.optional(),
  configured: SessionOptions.shape.configuredServers,
})
export type SetMcpServers = z.infer<typeof SetMcpServers>

export const McpChange = z.strictObject({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.record(z.string(), z.string()),
})
export type McpChange = z.infer<typeof McpChange>
