/** Tools as users see them in a list. */

import { agentNameOf, type ToolInfo } from '../protocol/tool.js'
import { BUILT_IN, type ToolRegistry } from './registry.js'
import { jsonSchemaOf } from './tool.js'

export function describeTools(registry: ToolRegistry): ToolInfo[] {
  return registry.list().map((tool) => ({
    id: tool.name,
    agentName: agentNameOf(tool.name),
    description: tool.description,
    input: jsonSchemaOf(tool),
    annotations: tool.annotations,
    timeoutMs: tool.timeoutMs,
    source: registry.sourceOf(tool.name) ?? BUILT_IN,
  }))
}
