/** The form of a tool of the MCP server. Each calls routes, with their roles and checks: there is no second way in. */

import type { z } from 'zod'
import type { RouteReply, RouteRequest } from '../../protocol/route.js'
import type { HandledRoute } from '../handler.js'

/** Calls a route as the client. The reply is redacted as for its role. */
export type CallRoute = <Name extends HandledRoute>(
  name: Name,
  request: RouteRequest<Name>,
) => Promise<RouteReply<Name>>

export interface McpTool {
  name: string
  title: string
  description: string
  /** The route that it calls: its role is that of the tool. */
  route: HandledRoute
  /** Needs a token with the right to answer. */
  answers?: true
  args: z.ZodType
  readOnly: boolean
  run(args: unknown, call: CallRoute): Promise<unknown>
}

interface ToolDefinition<Args extends z.ZodType> extends Omit<McpTool, 'args' | 'run'> {
  args: Args
  run(args: z.output<Args>, call: CallRoute): Promise<unknown>
}

export function defineMcpTool<Args extends z.ZodType>(definition: ToolDefinition<Args>): McpTool {
  // Cast: `run` gets only what `args` has parsed.
  return { ...definition, run: (args, call) => definition.run(args as z.output<Args>, call) }
}
