/** What people and programs ask for. The bodies of the API, and what the hub hands on to the runner. */

import { z } from 'zod'
import { ExternalId, MessageId } from './id.js'
import { Effort, McpServers, SessionOptions } from './option/option.js'
import { Preset } from './policy/policy.js'
import { type Actor, ContentBlock, type Outcome, PermissionMode, Phase, WhenBusy } from './value.js'

const MAX_TEXT = 1_000_000
const IdempotencyKey = z.string().min(1).max(200)
const Title = z.string().min(1).max(200)
const Model = z.string().min(1).max(200)

export const CreateSession = z.strictObject({
  cwd: z.string().min(1).max(4_096),
  prompt: z.string().min(1).max(MAX_TEXT).optional(),
  title: Title.optional(),
  /** The caller's own id of the conversation. No two sessions that have not ended share one. */
  externalId: ExternalId.optional(),
  model: Model.optional(),
  permissionMode: PermissionMode.optional(),
  /** What kind of work it is, instead of a mode: preparing is planning, executing asks, finalizing accepts edits. */
  phase: Phase.optional(),
  /** An agent of the configuration to run as. */
  agent: z.string().min(1).max(200).optional(),
  /** The preset of the policy to be judged by, instead of the one that holds for everything. */
  policy: Preset.optional(),
  options: SessionOptions.optional(),
  /** Goes on with the newest conversation of the folder instead of beginning one. */
  continue: z.boolean().optional(),
  idempotencyKey: IdempotencyKey.optional(),
})
export type CreateSession = z.infer<typeof CreateSession>

export const ChangeSession = z.strictObject({
  title: Title.optional(),
  /** `null` removes it. */
  externalId: ExternalId.nullable().optional(),
  model: Model.optional(),
  permissionMode: PermissionMode.optional(),
  thinkingTokens: z.int().min(0).nullable().optional(),
  effort: Effort.nullable().optional(),
  /** Over those that it has. They hold from its next process on; an idle one is ended for it. */
  options: SessionOptions.optional(),
})
export type ChangeSession = z.infer<typeof ChangeSession>

const message = { whenBusy: WhenBusy.optional(), idempotencyKey: IdempotencyKey.optional() }

/** A message as text, or as blocks that may hold images. */
export const SendMessage = z.union([
  z.strictObject({ text: z.string().min(1).max(MAX_TEXT), ...message }),
  z.strictObject({ content: z.array(ContentBlock).min(1).max(100), ...message }),
])
export type SendMessage = z.infer<typeof SendMessage>

export const EditMessage = z.strictObject({ text: z.string().min(1).max(MAX_TEXT) })
export const StopSession = z.strictObject({ reason: z.string().min(1).max(500).optional() })

/** A message of the person, by our id, or one of the agent, by Claude's. */
const MessageAnchor = z.union([MessageId, z.uuid()])
export type MessageAnchor = z.infer<typeof MessageAnchor>

/** With `at`, the conversation goes on from there and forgets what came after. */
export const ResumeSession = z.strictObject({
  at: MessageAnchor.optional(),
  /** Goes on with a turn that was cut off. */
  continue: z.boolean().optional(),
})
export type ResumeSession = z.infer<typeof ResumeSession>

/** A copy of the conversation: as a whole, or up to a message. */
export const ForkSession = z.strictObject({
  at: MessageAnchor.optional(),
  title: Title.optional(),
  prompt: z.string().min(1).max(MAX_TEXT).optional(),
  idempotencyKey: IdempotencyKey.optional(),
})
export type ForkSession = z.infer<typeof ForkSession>

/** Puts files back to how they were before a message of the person. */
export const RewindSession = z.strictObject({ to: MessageId, dryRun: z.boolean().optional() })
export type RewindSession = z.infer<typeof RewindSession>
export const Rewound = z.strictObject({
  files: z.array(z.string()),
  insertions: z.number(),
  deletions: z.number(),
})
export type Rewound = z.infer<typeof Rewound>

export const CompactSession = z.strictObject({ instructions: z.string().max(10_000).optional() })

/** What a live process can tell about itself. */
export const Inspection = z.enum(['commands', 'models', 'agents', 'mcp', 'account', 'context'])
export type Inspection = z.infer<typeof Inspection>

/** Instead of the servers that it has: some that are described here, some of the configuration by their names. */
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

interface OfSession {
  sessionId: string
}

/** A change that a live process is told of. */
export type LiveChange = Omit<ChangeSession, 'title' | 'externalId' | 'options'>

/** What only the process that drives sessions can do. Everything else goes through the journal. */
export interface RunnerCommands {
  'session.interrupt': { input: OfSession; output: void }
  /** `interrupted` unless it is said how it went. */
  'session.stop': { input: OfSession & { reason: string; outcome?: Outcome }; output: void }
  /** Ends the process, not the session. `onlyIdle`: only if nothing is lost with it. */
  'session.park': { input: OfSession & { onlyIdle?: boolean }; output: void }
  'session.configure': { input: OfSession & { change: LiveChange; by: Actor | null }; output: void }
  /** Goes on with a turn that was cut off. */
  'session.continue': { input: OfSession; output: void }
  /** Takes back a message that has not been read; false if it has. */
  'session.cancel_message': { input: OfSession & { messageId: string; reason: string }; output: boolean }
  'session.stop_task': { input: OfSession & { taskId: string }; output: void }
  'session.rewind': { input: OfSession & RewindSession & { by: Actor }; output: Rewound }
  'session.set_mcp_servers': { input: OfSession & { servers: McpServers }; output: McpChange }
  'session.inspect': { input: OfSession & { what: Inspection }; output: unknown }
  /** Ends processes that have loaded settings of this folder. */
  'workspace.distrusted': { input: { path: string }; output: void }
  /** One of Claude's conversations on the runner's machine: by its id, or the newest of a folder. */
  'conversation.find': { input: { id: string } | { cwd: string }; output: { id: string; cwd: string } | null }
}
export type RunnerCommandName = keyof RunnerCommands
export type RunnerCommand<Name extends RunnerCommandName = RunnerCommandName> = {
  [Key in Name]: { type: Key } & RunnerCommands[Key]['input']
}[Name]
export type RunnerReply<Name extends RunnerCommandName> = RunnerCommands[Name]['output']
