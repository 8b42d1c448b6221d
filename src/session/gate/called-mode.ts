/** The mode of the agent that a call would start: a session must not free itself by calling another. */

import { asRecord, asText } from '../../lib/read-json.js'
import type { Agents } from '../../protocol/agent.js'
import { isFreer } from '../../protocol/option/mode-freedom.js'
import { agentNameOf } from '../../protocol/tool.js'
import type { PermissionMode } from '../../protocol/value.js'

const CALLER = agentNameOf('agent_caller')

/** Null for every call that starts no agent, or none that is freer than `caller`. */
export function freerAgentMode(
  call: { name: string; input: unknown },
  caller: PermissionMode,
  agents: Agents,
): PermissionMode | null {
  if (call.name !== CALLER) return null
  const target = asText(asRecord(call.input)['target_agent']) ?? ''
  const mode = (Object.hasOwn(agents, target) ? agents[target]?.mode : undefined) ?? 'default'
  return isFreer(mode, caller) ? mode : null
}
