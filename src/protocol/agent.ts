/** Agents of the configuration: named presets for running sessions. */

import { z } from 'zod'
import { PermissionMode } from './value.js'

export const AgentConfig = z.strictObject({
  /** Its purpose, shown to the agents that may call it. */
  description: z.string().min(1).max(1_000).optional(),
  /** Appended to Claude Code's own system prompt. */
  prompt: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  /** Names of its tools: Claude Code's and Signalbox's. Default: all. */
  tools: z.array(z.string().min(1)).optional(),
  mode: PermissionMode.optional(),
  cwd: z.string().startsWith('/').optional(),
})
export type AgentConfig = z.infer<typeof AgentConfig>
export type Agents = Readonly<Record<string, AgentConfig>>

/** Limits on agents that call each other. All but the two limits of one call apply to the whole tree of calls. */
export const AgentLimits = z.strictObject({
  /** Levels of agents below the session that a user started. */
  maxDepth: z.int().min(1).max(10).default(3),
  maxCalls: z.int().min(1).default(50),
  /** Concurrent calls. */
  maxParallel: z.int().min(1).default(4),
  budgetUsd: z.number().positive().default(5),
  /** Budget of one call. */
  callBudgetUsd: z.number().positive().default(1),
  /** Timeout of one call. */
  timeoutMs: z.int().min(1_000).default(600_000),
})
export type AgentLimits = z.infer<typeof AgentLimits>
