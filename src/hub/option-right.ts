/**
 * Options that sessions can be given through the API: servers and variables only by names that the
 * configuration has.
 */

import { HubError } from '../protocol/error.js'
import type { McpServers, SessionOptions } from '../protocol/option/option.js'
import type { Authority } from '../protocol/option/option-role.js'
import { isReservedVariable, refusedVariables } from '../protocol/option/variable.js'

export interface OptionRights {
  /** Throws if a session cannot be given these. The role that each option needs is in `OPTION_ROLES`. */
  check(options: SessionOptions, authority: Authority): void
  serversNamed(names: readonly string[]): McpServers
}

export interface OptionRightDeps {
  mcpServers: McpServers
  allowedVariables: readonly string[]
}

export function createOptionRights({ mcpServers, allowedVariables }: OptionRightDeps): OptionRights {
  return {
    check({ env = {}, configuredServers = [] }, authority) {
      const unknown = configuredServers.filter((name) => !Object.hasOwn(mcpServers, name))
      if (unknown.length > 0) throw unknownServers(unknown, Object.keys(mcpServers))
      const refused = authority === 'owner' ? [] : refusedVariables(Object.keys(env), allowedVariables)
      if (refused.length > 0) throw refusedBecause(refused)
    },
    serversNamed: (names) =>
      Object.fromEntries(Object.entries(mcpServers).filter(([name]) => names.includes(name))),
  }
}

function unknownServers(unknown: readonly string[], known: readonly string[]): HubError {
  return new HubError(
    'option_refused',
    `Unknown MCP server ${unknown.join(', ')} (known: ${known.join(', ') || 'none'}). Add it under mcpServers in config.jsonc.`,
    { servers: unknown },
  )
}

function refusedBecause(variables: readonly string[]): HubError {
  const reserved = variables.filter(isReservedVariable)
  const how =
    reserved.length > 0
      ? `${reserved.join(', ')}: reserved, because it controls which programs run or where they connect. The owner can set it for all sessions in defaults.env of config.jsonc.`
      : 'Add the name to allowedVariables in config.jsonc.'
  return new HubError(
    'option_refused',
    `These variables cannot be set through the API: ${variables.join(', ')}. ${how}`,
    { variables },
  )
}
