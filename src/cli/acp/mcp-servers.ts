/** The MCP servers of an editor's settings, as options of a session. Pure. */

import type { McpServer } from '@agentclientprotocol/sdk'
import type { McpServers } from '../../protocol/option/option.js'

export function serversOf(servers: readonly McpServer[]): McpServers {
  return Object.fromEntries(servers.map((server) => [nameOf(server.name), serverOf(server)]))
}

function serverOf(server: McpServer): McpServers[string] {
  if ('type' in server) return { type: server.type, url: server.url, headers: recordOf(server.headers) }
  return { command: server.command, args: server.args, env: recordOf(server.env) }
}

function recordOf(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
}

/** Names of servers have letters, digits and `_.-`. */
function nameOf(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_').slice(0, 64) || 'server'
}
