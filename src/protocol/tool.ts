/** A tool of ours, as people see it in a list. */

import { z } from 'zod'

/** The MCP server that publishes our tools. */
export const SERVER_NAME = 'signalbox'

/** As agents, rules and hooks know a tool of ours. */
export function agentNameOf(name: string): string {
  return `mcp__${SERVER_NAME}__${name}`
}

/** The name within our server; null for tools of others. */
export function ownNameOf(agentName: string): string | null {
  const start = agentNameOf('')
  return agentName.startsWith(start) ? agentName.slice(start.length) : null
}

/** Hints for the agent and for people. None of them is a permission. */
export const ToolAnnotations = z.strictObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})
export type ToolAnnotations = z.infer<typeof ToolAnnotations>

export const ToolInfo = z.strictObject({
  /** Its name. */
  id: z.string(),
  /** As agents call it, and as rules and hooks know it. */
  agentName: z.string(),
  description: z.string(),
  /** JSON Schema. Null: it has none, and agents do not see the tool. */
  input: z.record(z.string(), z.unknown()).nullable(),
  annotations: ToolAnnotations,
  timeoutMs: z.int(),
  /** `built-in`, `program`, or the file that it comes from. */
  source: z.string(),
})
export type ToolInfo = z.infer<typeof ToolInfo>
