/** Whether an agent may call another: depth, circles, number and money of a whole tree of calls are bounded. */

import type { AgentLimits, Agents } from '../../protocol/agent.js'

/** Position of a session in its tree, according to the log. */
export interface Lineage {
  /** The session that a user has started. */
  rootId: string
  /** The agents from the root down to the caller, by name. None if the caller is the root. */
  agents: readonly string[]
  /** Called agents of the whole tree so far, and what they have cost. */
  calls: number
  spentUsd: number
}

/** Calls and budget of a tree that are in flight. */
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
      `${target} is at work already, above you: ${path}. Agents cannot call each other in a circle. ${SELF}`,
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
