/** Whether an agent may call another: depth, circles, number and money of a whole tree of calls are bounded. */

import { z } from 'zod'
import { PermissionMode } from '../../protocol/value.js'

/** An agent that people have configured by name. */
export const AgentDefinition = z.strictObject({
  /** What it is for, told to those who may call it. */
  description: z.string().optional(),
  /** Added to the system prompt. */
  prompt: z.string().min(1),
  model: z.string().min(1).optional(),
  tools: z.array(z.string()).optional(),
  mode: PermissionMode.optional(),
  /** Seen from the caller's workspace; the workspace itself by default. */
  cwd: z.string().min(1).optional(),
})
export type AgentDefinition = z.infer<typeof AgentDefinition>

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_ -]{0,63}$/u
export const Agents = z.record(
  z.string().regex(NAME, 'A name has letters, digits, "_", "-" and spaces.'),
  AgentDefinition,
)
export type Agents = z.infer<typeof Agents>

export const AgentLimits = z.strictObject({
  /** Agents below the session that a person has started. */
  maxDepth: z.int().min(1).max(10).default(3),
  /** Calls in a whole tree. */
  maxCalls: z.int().min(1).default(50),
  /** At the same time in a whole tree. */
  maxParallel: z.int().min(1).default(4),
  /** What a whole tree of calls may cost, and one call in it. */
  budgetUsd: z.number().positive().default(5),
  callBudgetUsd: z.number().positive().default(1),
  timeoutMs: z.int().min(1_000).default(600_000),
})
export type AgentLimits = z.infer<typeof AgentLimits>

/** Where a session stands in its tree, as the log tells it. */
export interface Lineage {
  /** The session that a person has started. */
  rootId: string
  /** The agents from the root down to the caller, by name. None if the caller is the root. */
  agents: readonly string[]
  /** Called agents of the whole tree so far, and what they have cost. */
  calls: number
  spentUsd: number
}

/** What of a tree is under way. */
export interface InFlight {
  calls: number
  budgetUsd: number
}

export type AgentVerdict = { kind: 'go'; budgetUsd: number } | { kind: 'refused'; reason: string }

export function judgeAgentCall(
  target: string,
  agents: Agents,
  lineage: Lineage,
  inFlight: InFlight,
  limits: AgentLimits,
): AgentVerdict {
  const names = Object.keys(agents)
  if (!Object.hasOwn(agents, target)) {
    const known = names.length > 0 ? `There are: ${names.join(', ')}.` : 'None is configured.'
    return refused(`There is no agent "${target}". ${known}`)
  }
  const path = [...lineage.agents, target].join(' → ')
  if (lineage.agents.includes(target)) {
    return refused(
      `${target} is at work already, above you: ${path}. Agents can not call each other in a circle. ${SELF}`,
    )
  }
  if (lineage.agents.length >= limits.maxDepth) {
    return refused(
      `Agents may call agents ${limits.maxDepth} deep, and this would go deeper: ${path}. ${SELF}`,
    )
  }
  if (lineage.calls >= limits.maxCalls) {
    return refused(`All ${limits.maxCalls} calls of agents that this task has are used up. ${SELF}`)
  }
  if (inFlight.calls >= limits.maxParallel) {
    return refused(
      `${inFlight.calls} agents are at work already, which is the most at a time. Wait for one of them.`,
    )
  }
  const left = limits.budgetUsd - lineage.spentUsd - inFlight.budgetUsd
  if (left < MIN_BUDGET_USD) {
    return refused(
      `The budget for agents of this task (${limits.budgetUsd} USD) is used up or in use. ${SELF}`,
    )
  }
  return { kind: 'go', budgetUsd: Math.min(left, limits.callBudgetUsd) }
}

/** Less is not worth a start. */
const MIN_BUDGET_USD = 0.01
const SELF = 'Do the work yourself, or answer with what you have.'

function refused(reason: string): AgentVerdict {
  return { kind: 'refused', reason }
}
