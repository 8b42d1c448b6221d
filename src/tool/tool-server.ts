/** Publishes tools to an agent, as an MCP server in this process. The handler of the calls may be attached later. */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { asRecord, asText } from '../lib/read-json.js'
import { SERVER_NAME, type ToolAnnotations } from '../protocol/tool.js'
import { failedResult, type ToolResult } from './output.js'
import { type JsonSchema, jsonSchemaOf, type Tool } from './tool.js'

const SERVER_VERSION = '1.0.0'
/** The CLI's own limit must not come before ours, which says more. */
const TIMEOUT_MARGIN_MS = 10_000
/** The key under which the CLI (2.1.325) sends the id of the call. */
const TOOL_USE_ID = 'claudecode/toolUseId'

/** A tool as it is described to an agent. Plain data: two agents with equal listings have the same tools. */
export interface ToolListing {
  name: string
  description: string
  inputSchema: JsonSchema
  annotations: ToolAnnotations
  timeoutMs: number
}

export interface ToolRequest {
  name: string
  args: unknown
  /** The call in the session's log; null where the agent does not send it. */
  toolUseId: string | null
  /** Aborts when the agent is interrupted, and when its process ends. */
  signal: AbortSignal
  /** A previous run of the daemon has begun it, perhaps to its end. */
  isRepeated?: true
}

export interface ToolServer {
  /** The value for `mcpServers` of the Agent SDK, under the name of the server. */
  readonly config: {
    type: 'sdk'
    name: string
    instance: McpServer
    timeout: number
    disableAutoBackground: true
  }
  /** Aborts what runs. */
  close(): Promise<void>
}

export function listingOf(tool: Tool): ToolListing {
  const { name, description, annotations, timeoutMs } = tool
  return { name, description, annotations, timeoutMs, inputSchema: jsonSchemaOf(tool) ?? { type: 'object' } }
}

export async function createToolServer(
  tools: readonly ToolListing[],
  call: (request: ToolRequest) => Promise<ToolResult>,
): Promise<ToolServer> {
  // Loaded when it is needed, as the Agent SDK is.
  const [{ McpServer: Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/mcp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const instance = new Server({ name: SERVER_NAME, version: SERVER_VERSION }, { capabilities: { tools: {} } })
  const list = tools.map(({ name, description, inputSchema, annotations }) => ({
    name,
    description,
    inputSchema,
    annotations,
    // The agent sees them from the start and need not search for them.
    _meta: { 'anthropic/alwaysLoad': true },
  }))
  // The plain handlers rather than `registerTool`: a wrong input is then an ordinary failed result in our own words.
  instance.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list }))
  instance.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    if (!tools.some(({ name }) => name === params.name)) {
      return { ...failedResult(`There is no tool ${params.name}.`) }
    }
    const toolUseId = asText(asRecord(params['_meta'])[TOOL_USE_ID])
    return { ...(await call({ name: params.name, args: params.arguments, toolUseId, signal })) }
  })
  const timeout = Math.max(0, ...tools.map(({ timeoutMs }) => timeoutMs)) + TIMEOUT_MARGIN_MS
  return {
    // Not in the SDK's types (0.3.325): a call that takes long would otherwise end with "it goes on in the background".
    config: { type: 'sdk', name: SERVER_NAME, instance, timeout, disableAutoBackground: true },
    close: () => instance.close(),
  }
}
