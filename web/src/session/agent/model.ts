/** Builds the tree of subagents from the events of a session. Pure. */

import type { Outcome, SessionEvent } from '../../../../src/protocol/index.js'

export interface AgentNode {
  id: string
  type: string
  description: string | null
  isBackground: boolean
  startedAt: number
  endedAt: number | null
  outcome: Outcome | null
  /** Number of tool calls. */
  tools: number
  tokens: number | null
  children: AgentNode[]
}

export function buildAgentTree(events: readonly SessionEvent[]): AgentNode[] {
  const agents = new Map<string, AgentNode>()
  const ofCall = new Map<string, string>()
  const roots: AgentNode[] = []
  for (const event of events) {
    switch (event.type) {
      case 'agent.started': {
        const {
          agentId: id,
          agentType: type,
          description = null,
          isBackground,
          parentAgentId,
          parentToolUseId,
        } = event.data
        const node: AgentNode = {
          id,
          type,
          description,
          isBackground,
          startedAt: Date.parse(event.at),
          endedAt: null,
          outcome: null,
          tools: 0,
          tokens: null,
          children: [],
        }
        agents.set(id, node)
        if (parentToolUseId !== undefined) ofCall.set(parentToolUseId, id)
        const parent = agents.get(parentAgentId ?? '')
        ;(parent?.children ?? roots).push(node)
        break
      }
      case 'tool.requested': {
        const { agentId, parentToolUseId } = event.data
        const agent = agents.get(agentId ?? ofCall.get(parentToolUseId ?? '') ?? '')
        if (agent) agent.tools += 1
        break
      }
      case 'task.progressed': {
        const agent = agents.get(event.data.taskId)
        if (agent && event.data.tokens !== undefined) agent.tokens = event.data.tokens
        break
      }
      case 'tool.ended': {
        const agent = agents.get(ofCall.get(event.data.toolUseId) ?? '')
        const total = (event.data.result as { totalTokens?: unknown } | null | undefined)?.totalTokens
        if (agent && typeof total === 'number') agent.tokens = total
        break
      }
      case 'agent.ended': {
        const agent = agents.get(event.data.agentId)
        if (agent) {
          agent.endedAt = Date.parse(event.at)
          agent.outcome = event.data.outcome
        }
        break
      }
      default:
    }
  }
  return roots
}
