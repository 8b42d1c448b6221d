/** How a session is run: the options of the SDK that people may set, per session, per agent and as defaults. */

import { z } from 'zod'
import { efforts } from '../choice.js'

const Names = z.array(z.string().min(1).max(500)).max(500)
const Texts = z.record(z.string().min(1).max(200), z.string().max(100_000))

/** A program or server that offers tools over the Model Context Protocol. */
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

/** What Claude Code has, as the SDK writes it. */
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
  /** The older form of `thinking`, in tokens; 0 is none. */
  maxThinkingTokens: z.int().min(0).optional(),
  effort: Effort.optional(),
  additionalDirectories: z.array(z.string().startsWith('/')).optional(),
  /** The built-in tools that exist at all; the preset is all of them. */
  tools: z.union([Names, ClaudeCodePreset]).optional(),
  allowedTools: Names.optional(),
  disallowedTools: Names.optional(),
  /** Subagents that the agent may start, by name. */
  agents: z.record(z.string().min(1), Subagent).optional(),
  betas: Names.optional(),
  /** Instead of Claude Code's own, or added to it. */
  systemPrompt: z
    .union([
      z.string().min(1),
      z.strictObject({ append: z.string().min(1) }),
      ClaudeCodePreset.extend({ append: z.string().min(1).optional() }),
    ])
    .optional(),
  /** Which settings of Claude Code act. In a workspace that is not trusted: none. */
  settingSources: z.array(z.enum(['user', 'project', 'local'])).optional(),
  sandbox: z.looseObject({ enabled: z.boolean().optional() }).optional(),
  /** The result as data of this JSON schema. */
  outputFormat: z
    .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
    .optional(),
  plugins: z.array(z.strictObject({ type: z.literal('local'), path: z.string().startsWith('/') })).optional(),
  /** Variables for the agent's process, besides those that it needs. */
  env: Texts.optional(),
  /** Files can be put back to how they were before a message. */
  enableFileCheckpointing: z.boolean().optional(),
  mcpServers: McpServers.optional(),
  /** Servers of the configuration (`mcpServers`), by name. */
  configuredServers: z.array(ServerName).max(100).optional(),
})
export type SessionOptions = z.infer<typeof SessionOptions>

type Tools = NonNullable<SessionOptions['tools']>

/** The tools that both leave. */
export function commonTools(some: Tools, others: Tools): Tools {
  if (!Array.isArray(some)) return others
  return Array.isArray(others) ? some.filter((tool) => others.includes(tool)) : some
}

/** Later ones win; variables, servers and subagents are joined by name. What was disallowed once stays disallowed. */
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

/** A name behind which a secret stands, in the arguments of a program or in an address. */
const SECRET_NAME = /key|token|secret|passw|credential|auth|signature/i

/** What a server is given that nobody else should see: variables, headers, and secrets in its address or its arguments. */
export function serverSecrets(server: McpServer): string[] {
  if (!('url' in server)) return [...Object.values(server.env ?? {}), ...secretArguments(server.args ?? [])]
  const { password, searchParams } = new URL(server.url)
  return [...Object.values(server.headers ?? {}), password, ...searchParams.values()].filter(
    (text) => text !== '',
  )
}

/** `--api-key VALUE` and `--api-key=VALUE`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [name = '', ...value] = argument.split('=')
    if (value.length > 0 && SECRET_NAME.test(name)) return [value.join('=')]
    const before = args[index - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && SECRET_NAME.test(before) ? [argument] : []
  })
}

/** An address with a password or a query says where it leads, and nothing else. */
function hideInAddress(address: string): string {
  const url = new URL(address)
  if (url.password === '' && url.search === '') return address
  url.password = url.password === '' ? '' : 'hidden'
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'hidden')
  return url.href
}

/** The options without what may be a secret: values of variables and headers. */
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
