/** An agent of the configuration: a way to run sessions, under a name. */

import { z } from 'zod'
import { PermissionMode } from './value.js'

export const AgentConfig = z.strictObject({
  /** Added to Claude Code's own system prompt. */
  prompt: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  tools: z.array(z.string().min(1)).optional(),
  mode: PermissionMode.optional(),
  cwd: z.string().startsWith('/').optional(),
})
export type AgentConfig = z.infer<typeof AgentConfig>
