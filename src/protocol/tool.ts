/** Signalbox's own tools, as listed by the API. */

import { z } from 'zod'

/** The MCP server that publishes these tools. */
export const SERVER_NAME = 'signalbox'

/** The name of a tool in agents, rules and hooks. */
export function agentNameOf(name: string): string {
  return `mcp__${SERVER_NAME}__${name}`
}

/** The name without the prefix of our server; null for other tools. */
export function ownNameOf(agentName: string): string | null {
  const start = agentNameOf('')
  return agentName.startsWith(start) ? agentName.slice(start.length) : null
}

/** Hints for the agent and for display. None of them is a permission. */
export const ToolAnnotations = z.strictObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})
export type ToolAnnotations = z.infer<typeof ToolAnnotations>

export const ToolInfo = z.strictObject({
  id: z.string(),
  /** The name in agents, rules and hooks. */
  agentName: z.string(),
  description: z.string(),
  /** JSON Schema. Null: none, and agents do not see the tool. */
  input: z.record(z.string(), z.unknown()).nullable(),
  annotations: ToolAnnotations,
  timeoutMs: z.int(),
  /** `built-in`, `program`, or the file that defines it. */
  source: z.string(),
})
export type ToolInfo = z.infer<typeof ToolInfo>
