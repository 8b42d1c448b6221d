/** The workspace's `.mcp.json`: which servers it names, checked and with its variables filled in. */

import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isMissingFile, readSmallFile } from '../../lib/file/regular-file.js'
import { HubError } from '../../protocol/error.js'
import { McpServer, type McpServers } from '../../protocol/option/option.js'

const MAX_BYTES = 1024 * 1024

type Environment = Readonly<Record<string, string | undefined>>

/** No file: no servers. Rejects with what is wrong in a file that cannot be used. */
export async function readMcpFile(cwd: string, env: Environment): Promise<McpServers> {
  const bytes = await readSmallFile(join(cwd, '.mcp.json'), MAX_BYTES).catch((error: unknown) => {
    if (isMissingFile(error)) return null
    throw invalid(error instanceof Error ? error.message : 'it cannot be read.', error)
  })
  return bytes === null ? {} : parseMcpFile(bytes.toString('utf8'), cwd, env)
}

const McpFile = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) })

export function parseMcpFile(text: string, cwd: string, env: Environment): McpServers {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw invalid('it is not valid JSON.', cause)
  }
  const file = McpFile.safeParse(value)
  if (!file.success) throw invalid(z.prettifyError(file.error), file.error)
  const servers = Object.entries(file.data.mcpServers).map(([name, given]): [string, McpServer] => {
    const server = McpServer.safeParse(fill(given, env))
    if (!server.success) throw invalid(`in ${name}: ${z.prettifyError(server.error)}`, server.error)
    return [name, 'command' in server.data ? inFolder(server.data, cwd) : server.data]
  })
  return Object.fromEntries(servers)
}

function invalid(problem: string, cause: unknown): HubError {
  return new HubError(
    'mcp_config_invalid',
    `The workspace's .mcp.json cannot be used: ${problem}`,
    {},
    { cause },
  )
}

function inFolder(server: Extract<McpServer, { command: string }>, cwd: string): McpServer {
  return server.cwd === undefined ? server : { ...server, cwd: resolve(cwd, server.cwd) }
}

/** `${NAME}` and `${NAME:-instead}` in every text; a name that is not set and has nothing instead is empty. */
function fill(value: unknown, env: Environment): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(
      /\$\{(\w{1,200})(?::-([^}]{0,500}))?\}/g,
      (_, name: string, instead = '') => env[name] ?? instead,
    )
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, env))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, env)]))
}
