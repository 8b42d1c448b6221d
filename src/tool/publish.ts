/** Publishes tools to one session's agent, as an MCP server that lives in this process. */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Clock } from '../lib/clock.js'
import type { Log } from '../lib/log.js'
import { asRecord, asText } from '../lib/loose.js'
import { callTool } from './call.js'
import { failedResult } from './output.js'
import { createProgress } from './progress.js'
import type { ToolRegistry } from './registry.js'
import { type Completion, jsonSchemaOf, type Tool } from './tool.js'

/** Agents know our tools as `mcp__signalbox__<name>`. */
const SERVER_NAME = 'signalbox'
/** The CLI's own limit must not come before ours, which says more. */
const TIMEOUT_MARGIN_MS = 10_000
/** How the CLI (2.1.325) tells which call it is. */
const TOOL_USE_ID = 'claudecode/toolUseId'

export interface PublishOptions {
  registry: ToolRegistry
  /** Only these; all by default. */
  names?: readonly string[]
  sessionId: string
  workspace: string
  version: string
  clock: Clock
  log: Log
  onProgress(progress: { toolUseId: string | null; name: string; text: string }): void
  /** Records what the task came to and sees to its end. What it throws, the agent is told. */
  onCompletion(completion: Completion & { toolUseId: string | null }): Promise<void>
}

export interface PublishedTools {
  /** What the Agent SDK takes as a value of `mcpServers`, under the name of the server. */
  readonly server: { type: 'sdk'; name: string; instance: McpServer; timeout: number }
  /** As the agent calls them. */
  readonly toolNames: readonly string[]
  /** Aborts what runs. */
  close(): Promise<void>
}

export async function publishTools(options: PublishOptions): Promise<PublishedTools> {
  // Loaded when it is needed, as the Agent SDK is.
  const [{ McpServer: Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/mcp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const tools = options.registry.published(options.names)
  const list = tools.map(listed)
  const instance = new Server(
    { name: SERVER_NAME, version: options.version },
    { capabilities: { tools: {} } },
  )
  // The plain handlers rather than `registerTool`: a wrong input is then an ordinary failed result in our own words.
  instance.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list }))
  instance.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (!tool) return { ...failedResult(`There is no tool ${params.name}.`) }
    const toolUseId = asText(asRecord(params['_meta'])[TOOL_USE_ID])
    return { ...(await callPublished(tool, params.arguments, toolUseId, signal, options)) }
  })
  const timeout = Math.max(0, ...tools.map(({ timeoutMs }) => timeoutMs)) + TIMEOUT_MARGIN_MS
  return {
    server: { type: 'sdk', name: SERVER_NAME, instance, timeout },
    toolNames: tools.map(({ name }) => `mcp__${SERVER_NAME}__${name}`),
    close: () => instance.close(),
  }
}

async function callPublished(
  tool: Tool,
  args: unknown,
  toolUseId: string | null,
  signal: AbortSignal,
  { sessionId, workspace, clock, log, onProgress, onCompletion }: PublishOptions,
) {
  const progress = createProgress(clock, (text) => onProgress({ toolUseId, name: tool.name, text }))
  try {
    return await callTool(tool, args, {
      sessionId,
      workspace,
      toolUseId,
      signal,
      log,
      progress: (text) => progress.tell(text),
      complete: (completion) => onCompletion({ ...completion, toolUseId }),
    })
  } finally {
    progress.end()
  }
}

function listed(tool: Tool) {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: jsonSchemaOf(tool) ?? { type: 'object' as const },
    annotations: tool.annotations,
    // The agent sees them from the start and need not search for them.
    _meta: { 'anthropic/alwaysLoad': true },
  }
}
