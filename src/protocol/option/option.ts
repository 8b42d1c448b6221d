/** Options for running a session: the SDK options that can be set per session, per agent and as defaults. */

import { z } from 'zod'
import { efforts } from '../choice.js'

const Names = z.array(z.string().min(1).max(500)).max(500)
const Texts = z.record(z.string().min(1).max(200), z.string().max(100_000))

/** An MCP server: a program (stdio), or a URL. */
export const McpServer = z.union([
  z.strictObject({
    type: z.literal('stdio').optional(),
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: Texts.optional(),
    /** Relative to the workspace. */
    cwd: z.string().min(1).optional(),
    timeout: z.number().min(1).optional(),
  }),
  z.strictObject({
    type: z.enum(['http', 'sse']),
    url: z.url(),
    headers: Texts.optional(),
    timeout: z.number().min(1).optional(),
  }),
])
export type McpServer = z.infer<typeof McpServer>
const ServerName = z.string().regex(/^[\w.-]{1,64}$/)
export const McpServers = z.record(ServerName, McpServer)
export type McpServers = z.infer<typeof McpServers>

const Subagent = z.strictObject({
  description: z.string().min(1),
  prompt: z.string().min(1),
  tools: Names.optional(),
  disallowedTools: Names.optional(),
  model: z.string().min(1).optional(),
})

/** Claude Code's own preset, in the SDK's notation. */
const ClaudeCodePreset = z.strictObject({ type: z.literal('preset'), preset: z.literal('claude_code') })

export const Effort = z.enum(efforts)
export type Effort = z.infer<typeof Effort>

export const SessionOptions = z.strictObject({
  fallbackModel: z.string().min(1).optional(),
  maxTurns: z.int().min(1).optional(),
  maxBudgetUsd: z.number().gt(0).optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('adaptive') }),
      z.strictObject({ type: z.literal('enabled'), budgetTokens: z.int().min(1).optional() }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  /** Older form of `thinking`, in tokens; 0 disables it. */
  maxThinkingTokens: z.int().min(0).optional(),
  effort: Effort.optional(),
  additionalDirectories: z.array(z.string().startsWith('/')).optional(),
  /** The built-in tools that are available at all; the preset is all of them. */
  tools: z.union([Names, ClaudeCodePreset]).optional(),
  allowedTools: Names.optional(),
  disallowedTools: Names.optional(),
  /** Definitions of subagents, by name. */
  agents: z.record(z.string().min(1), Subagent).optional(),
  betas: Names.optional(),
  /** Replaces Claude Code's system prompt, or is appended to it. */
  systemPrompt: z
    .union([
      z.string().min(1),
      z.strictObject({ append: z.string().min(1) }),
      ClaudeCodePreset.extend({ append: z.string().min(1).optional() }),
    ])
    .optional(),
  /** The Claude Code settings that are loaded. In an untrusted workspace: none. */
  settingSources: z.array(z.enum(['user', 'project', 'local'])).optional(),
  sandbox: z.looseObject({ enabled: z.boolean().optional() }).optional(),
  /** JSON Schema of a structured result. */
  outputFormat: z
    .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
    .optional(),
  plugins: z.array(z.strictObject({ type: z.literal('local'), path: z.string().startsWith('/') })).optional(),
  /** Additional environment variables for the agent's process. */
  env: Texts.optional(),
  /** Lets files be restored to their content before a message. */
  enableFileCheckpointing: z.boolean().optional(),
  mcpServers: McpServers.optional(),
  /** Names of servers of the configuration (`mcpServers`). */
  configuredServers: z.array(ServerName).max(100).optional(),
})
export type SessionOptions = z.infer<typeof SessionOptions>

type Tools = NonNullable<SessionOptions['tools']>

/** Intersection of two sets of tools. */
export function commonTools(some: Tools, others: Tools): Tools {
  if (!Array.isArray(some)) return others
  return Array.isArray(others) ? some.filter((tool) => others.includes(tool)) : some
}

/**
 * Later layers override earlier ones. Variables, servers and subagents are merged by name, and disallowed tools add up:
 * a later layer cannot allow a tool again.
 */
export function mergeOptions(...layers: readonly (SessionOptions | undefined)[]): SessionOptions {
  const merged: SessionOptions = {}
  for (const layer of layers) {
    if (!layer) continue
    const env = layer.env && { env: { ...merged.env, ...layer.env } }
    const mcpServers = layer.mcpServers && { mcpServers: { ...merged.mcpServers, ...layer.mcpServers } }
    const agents = layer.agents && { agents: { ...merged.agents, ...layer.agents } }
    const disallowedTools = layer.disallowedTools && {
      disallowedTools: [...new Set([...(merged.disallowedTools ?? []), ...layer.disallowedTools])],
    }
    Object.assign(merged, layer, env, mcpServers, agents, disallowedTools)
  }
  return merged
}

const HIDDEN = '(hidden)'

/** Names of arguments and query parameters whose value may be a secret. */
const SECRET_NAME = /key|token|secret|passw|credential|auth|signature/i

/** Secrets of a server definition: values of variables and headers, and secrets in its URL or arguments. */
export function serverSecrets(server: McpServer): string[] {
  if (!('url' in server)) return [...Object.values(server.env ?? {}), ...secretArguments(server.args ?? [])]
  const { password, searchParams } = new URL(server.url)
  return [...Object.values(server.headers ?? {}), password, ...searchParams.values()].filter(
    (text) => text !== '',
  )
}

/** Matches `--api-key VALUE` and `--api-key=VALUE`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [name = '', ...value] = argument.split('=')
    if (value.length > 0 && SECRET_NAME.test(name)) return [value.join('=')]
    const before = args[index - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && SECRET_NAME.test(before) ? [argument] : []
  })
}

/** Hides the password and the values of the query; host and path stay readable. */
function hideInAddress(address: string): string {
  const url = new URL(address)
  if (url.password === '' && url.search === '') return address
  url.password = url.password === '' ? '' : 'hidden'
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'hidden')
  return url.href
}

/** Redacts values that may be secrets: variables, headers, and secrets in URLs and arguments. */
export function hideSecrets(options: SessionOptions): SessionOptions {
  const hide = (texts: Record<string, string>) =>
    Object.fromEntries(Object.keys(texts).map((name) => [name, HIDDEN]))
  const servers = Object.entries(options.mcpServers ?? {}).map(([name, server]): [string, McpServer] => {
    if ('url' in server) {
      const url = hideInAddress(server.url)
      return [name, { ...server, url, ...(server.headers && { headers: hide(server.headers) }) }]
    }
    const secrets = new Set(secretArguments(server.args ?? []))
    const args = server.args?.map((argument) => hideArgument(argument, secrets))
    return [name, { ...server, ...(args && { args }), ...(server.env && { env: hide(server.env) }) }]
  })
  return {
    ...options,
    ...(options.env && { env: hide(options.env) }),
    ...(options.mcpServers && { mcpServers: Object.fromEntries(servers) }),
  }
}

function hideArgument(argument: string, secrets: ReadonlySet<string>): string {
  if (secrets.has(argument)) return HIDDEN
  const [name = '', ...value] = argument.split('=')
  return secrets.has(value.join('=')) ? `${name}=${HIDDEN}` : argument
}
