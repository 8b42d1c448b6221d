/** An agent of the configuration: a way to run sessions, under a name. */

import { z } from 'zod'
import { PermissionMode } from './value.js'

export const AgentConfig = z.strictObject({
  /** What it is for, told to the agents that may call it. */
  description: z.string().min(1).max(1_000).optional(),
  /** Added to Claude Code's own system prompt. */
  prompt: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  /** The tools that it has, by name: Claude Code's own, and ours. All by default. */
  tools: z.array(z.string().min(1)).optional(),
  mode: PermissionMode.optional(),
  cwd: z.string().startsWith('/').optional(),
})
export type AgentConfig = z.infer<typeof AgentConfig>
export type Agents = Readonly<Record<string, AgentConfig>>

/** How far agents may go on their own when they call each other. All but the time are about a whole tree of calls. */
export const AgentLimits = z.strictObject({
  /** Agents below the session that a person has started. */
  maxDepth: z.int().min(1).max(10).default(3),
  maxCalls: z.int().min(1).default(50),
  /** At the same time. */
  maxParallel: z.int().min(1).default(4),
  budgetUsd: z.number().positive().default(5),
  /** What one call may cost. */
  callBudgetUsd: z.number().positive().default(1),
  /** How long one call may take. */
  timeoutMs: z.int().min(1_000).default(600_000),
})
export type AgentLimits = z.infer<typeof AgentLimits>
