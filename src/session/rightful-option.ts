/** Which of its own options a session is run with: judged anew at every start of a process, also after a restart. */

import { HubError } from '../protocol/error.js'
import { commonTools, type McpServers, type SessionOptions } from '../protocol/option/option.js'
import { authorisedPart, type StoredOptions } from '../protocol/option/option-role.js'
import { refusedVariables } from '../protocol/option/variable.js'

export interface RightfulOptions {
  options: SessionOptions
  /** Servers of the configuration that it was given by name. */
  servers: McpServers
  /** The option that was dropped. */
  problem: HubError | null
}

/** `base` is the default without them: only an admin can give a session tools that the default leaves out. */
export function rightfulOptions(
  stored: StoredOptions,
  base: Pick<SessionOptions, 'tools'>,
  settings: { mcpServers: McpServers; allowedVariables: readonly string[] },
): RightfulOptions {
  const { kept, refused } = authorisedPart(stored)
  const { env, tools, configuredServers = [], ...plain } = kept.options
  const variables =
    kept.givenBy['env'] === 'owner' ? [] : refusedVariables(Object.keys(env ?? {}), settings.allowedVariables)
  const unknown = configuredServers.filter((name) => !Object.hasOwn(settings.mcpServers, name))
  const isLimited = kept.givenBy['tools'] !== 'admin' && kept.givenBy['tools'] !== 'owner'
  const missing = [
    ...refused,
    ...variables.map((name) => `the variable ${name}`),
    ...unknown.map((name) => `the server ${name}`),
  ]
  return {
    options: {
      ...plain,
      ...(env && { env: without(env, variables) }),
      ...(tools && {
        tools: isLimited && base.tools ? commonTools(tools, base.tools) : tools,
      }),
    },
    servers: Object.fromEntries(
      Object.entries(settings.mcpServers).filter(([name]) => configuredServers.includes(name)),
    ),
    problem: missing.length === 0 ? null : refusal(missing),
  }
}

function without(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

function refusal(missing: readonly string[]): HubError {
  return new HubError(
    'option_refused',
    `The session runs without these options: ${missing.join(', ')}. They were not set by an admin, or the configuration does not list them. An admin can set them again, or list them in allowedVariables and mcpServers.`,
    { missing },
  )
}
