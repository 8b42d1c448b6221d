/** Values shared by events and snapshots. */

import { z } from 'zod'
import { busyWays, FILE_TITLE, permissionModes } from './choice.js'
import { Role } from './role.js'

export const Timestamp = z.iso.datetime()

export const PermissionMode = z.enum(permissionModes)
export type PermissionMode = z.infer<typeof PermissionMode>

/** A kind of work, which implies a permission mode. */
export const Phase = z.enum(['preparation', 'execution', 'finalization'])
export type Phase = z.infer<typeof Phase>

export const PHASE_MODES: Readonly<Record<Phase, PermissionMode>> = {
  preparation: 'plan',
  execution: 'default',
  finalization: 'acceptEdits',
}

/** Handling of a message that arrives while a turn runs. */
export const WhenBusy = z.enum(busyWays)
export type WhenBusy = z.infer<typeof WhenBusy>

export const Outcome = z.enum(['completed', 'interrupted', 'failed'])
export type Outcome = z.infer<typeof Outcome>

/** An agent's report of the result of its task. */
export const Completion = z.strictObject({ result: z.string(), success: z.boolean() })
export type Completion = z.infer<typeof Completion>

/** The actor of an action: who, and through which client. */
export const Actor = z.strictObject({
  who: z.string(),
  /**
   * `agent`: an agent of another session. `channel`: a link, button or reply in a notification. `acp`: an editor. `mcp`: an
   * MCP client.
   */
  via: z.enum(['dashboard', 'cli', 'acp', 'api', 'library', 'terminal', 'agent', 'channel', 'mcp']),
  /** The name of the channel. */
  channel: z.string().optional(),
  /** Role of the credential; absent if not over HTTP. */
  role: Role.optional(),
  /** The token or login; absent for the token of the home. */
  credentialId: z.string().optional(),
})
export type Actor = z.infer<typeof Actor>

/** The name of an attached file, without control characters and bidirectional marks. */
const FileTitle = z.string().regex(FILE_TITLE)

/** A content block of a user's message. */
export const ContentBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
      data: z.base64().min(1),
    }),
  }),
  /** A file that the user has attached: its text, or a PDF. */
  z.strictObject({
    type: z.literal('document'),
    title: FileTitle,
    source: z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('text'),
        media_type: z.literal('text/plain'),
        data: z.string().min(1),
      }),
      z.strictObject({
        type: z.literal('base64'),
        media_type: z.literal('application/pdf'),
        data: z.base64().min(1),
      }),
    ]),
  }),
])
export type ContentBlock = z.infer<typeof ContentBlock>

const Count = z.number().min(0)

export const Usage = z.strictObject({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadInputTokens: Count,
  cacheCreationInputTokens: Count,
})
export type Usage = z.infer<typeof Usage>

export const ModelUsage = z.strictObject({
  ...Usage.shape,
  costUsd: Count,
  contextWindow: Count.nullable(),
})
export type ModelUsage = z.infer<typeof ModelUsage>

/** The cause of a turn's end; `outcome` is the result. */
export const StopReason = z.enum([
  'finished',
  'interrupted',
  'max_turns',
  'budget',
  'stop_hook',
  'structured_output_retries',
  'tool_deferred',
  'api_error',
  'refusal',
  'prompt_too_long',
  'max_output_tokens',
  'crashed',
  'daemon_restarted',
  'unknown',
])
export type StopReason = z.infer<typeof StopReason>

/** The cause of a turn's start. */
export const TurnOrigin = z.strictObject({
  /** `resume`: the CLI continues an interrupted turn. */
  kind: z.enum(['person', 'task', 'peer', 'schedule', 'resume', 'unknown']),
  /** The sender, task or job, if the CLI names one. */
  name: z.string().optional(),
})
export type TurnOrigin = z.infer<typeof TurnOrigin>

/** The decider of a request or a tool call. */
/** `mcp`: an assistant, through the MCP server. It never counts as a user. */
export const DecidedBy = z.enum(['person', 'mcp', 'policy', 'timeout', 'shutdown', 'terminal'])
export type DecidedBy = z.infer<typeof DecidedBy>

/** Whether a user or an assistant has answered it. Otherwise it was only settled. */
export function isAnswered(by: DecidedBy | undefined): boolean {
  return by === 'person' || by === 'mcp'
}

/** The author of an action that came this way. */
export function authorVia(via: Actor['via']): 'person' | 'mcp' {
  return via === 'mcp' ? 'mcp' : 'person'
}

export const Question = z.looseObject({
  question: z.string(),
  header: z.string().optional(),
  multiSelect: z.boolean().optional(),
  options: z
    .array(
      z.looseObject({
        label: z.string(),
        description: z.string().optional(),
        preview: z.string().optional(),
      }),
    )
    .optional(),
})
export type Question = z.infer<typeof Question>

/** A user's notes, by the text of each question. */
export const Notes = z.record(z.string(), z.string().max(10_000))
export type Notes = z.infer<typeof Notes>

export const Answers = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
export type Answers = z.infer<typeof Answers>
