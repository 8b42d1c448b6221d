/** What people and programs ask for. The bodies of the API, and what the hub hands on to the runner. */

import { z } from 'zod'
import { SessionId } from './id.js'
import { ContentBlock, PermissionMode, WhenBusy } from './value.js'

const MAX_TEXT = 1_000_000
const IdempotencyKey = z.string().min(1).max(200)

export const CreateSession = z.strictObject({
  cwd: z.string().min(1).max(4_096),
  prompt: z.string().min(1).max(MAX_TEXT).optional(),
  title: z.string().min(1).max(200).optional(),
  model: z.string().min(1).max(200).optional(),
  permissionMode: PermissionMode.optional(),
  idempotencyKey: IdempotencyKey.optional(),
})
export type CreateSession = z.infer<typeof CreateSession>

const message = { whenBusy: WhenBusy.optional(), idempotencyKey: IdempotencyKey.optional() }

/** A message as text, or as blocks that may hold images. */
export const SendMessage = z.union([
  z.strictObject({ text: z.string().min(1).max(MAX_TEXT), ...message }),
  z.strictObject({ content: z.array(ContentBlock).min(1).max(100), ...message }),
])
export type SendMessage = z.infer<typeof SendMessage>

export const StopSession = z.strictObject({ reason: z.string().min(1).max(500).optional() })
export type StopSession = z.infer<typeof StopSession>

/** What only the process that drives a session can do. Everything else goes through the journal. */
export const RunnerCommand = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.interrupt'), sessionId: SessionId }),
  z.strictObject({ type: z.literal('session.stop'), sessionId: SessionId, reason: z.string() }),
])
export type RunnerCommand = z.infer<typeof RunnerCommand>
