/** The tools that come with the product. */

import type { Clock } from '../../lib/clock.js'
import type { AgentLimits, Agents } from '../../protocol/agent.js'
import type { FileGuard } from '../file/guard.js'
import type { Tool } from '../tool.js'
import { type AgentPort, createAgentCaller } from './agent-caller.js'
import { createAttemptCompletion } from './attempt-completion.js'
import { createDatetime } from './datetime.js'
import { createDirectoryLister } from './directory-lister.js'
import { createFileReader } from './file-reader.js'
import { createTextEditTool } from './text-edit-tool.js'

export interface BuiltInDeps {
  clock: Clock
  /** Says which files of a workspace are protected. */
  guard: FileGuard
  agents: Agents
  agentLimits: AgentLimits
  agentPort: AgentPort
}

export function builtInTools({ clock, guard, agents, agentLimits, agentPort }: BuiltInDeps): Tool[] {
  return [
    createDirectoryLister(clock),
    createFileReader(guard),
    createTextEditTool(guard),
    createAgentCaller({ agents, limits: agentLimits, port: agentPort, clock }),
    createDatetime(clock),
    createAttemptCompletion(),
  ]
}
