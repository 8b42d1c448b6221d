/** Authorisation of session options: the role that each option requires, and the role with which each was set. */

import type { Role } from '../role.js'
import { isAtLeast } from '../role-rank.js'
import { mergeOptions, type SessionOptions } from './option.js'
import { refusedVariables } from './variable.js'

type OptionName = keyof SessionOptions

/**
 * Whitelist for operators: none of these options gives an agent a program, folder, variable, server or permission that
 * it would not otherwise have. A new option is for admins until it has been reviewed.
 */
export const OPTION_ROLES = {
  fallbackModel: 'operator',
  maxTurns: 'operator',
  maxBudgetUsd: 'operator',
  thinking: 'operator',
  maxThinkingTokens: 'operator',
  effort: 'operator',
  /** At launch limited to the tools that the configuration of the home allows (`launch.ts`). */
  tools: 'operator',
  disallowedTools: 'operator',
  agents: 'operator',
  systemPrompt: 'operator',
  outputFormat: 'operator',
  enableFileCheckpointing: 'operator',
  /** By name, from the configuration of the home. */
  configuredServers: 'operator',
  /** Only variables that the configuration of the home lists. */
  env: 'operator',
  allowedTools: 'admin',
  additionalDirectories: 'admin',
  betas: 'admin',
  settingSources: 'admin',
  sandbox: 'admin',
  plugins: 'admin',
  mcpServers: 'admin',
} as const satisfies Record<OptionName, Role>

/** Options that do not affect what an agent may do. */
export const HARMLESS_OPTIONS: ReadonlySet<string> = new Set<OptionName>([
  'fallbackModel',
  'maxTurns',
  'maxBudgetUsd',
  'thinking',
  'maxThinkingTokens',
  'effort',
  'systemPrompt',
  'outputFormat',
  'enableFileCheckpointing',
])

/** `owner`: a program that embeds the runtime, which could change the configuration as well. */
export type Authority = Role | 'owner'

/** Options of a session, each with the authority of its last change. */
export interface StoredOptions {
  options: SessionOptions
  givenBy: Readonly<Record<string, Authority>>
}

export const NO_OPTIONS: StoredOptions = { options: {}, givenBy: {} }

export function givenOptions(options: SessionOptions, authority: Authority): StoredOptions {
  return {
    options,
    givenBy: Object.fromEntries(Object.keys(options).map((name) => [name, authority])),
  }
}

/**
 * Merges a change into the options. Options that were never authorised are dropped first: a change must not legitimise
 * them.
 */
export function changeOptions(
  before: StoredOptions,
  change: SessionOptions,
  authority: Authority,
): StoredOptions {
  const { options, givenBy } = authorisedPart(before).kept
  const given = givenOptions(change, authority)
  const mayLift = authority === 'owner' || authority === 'admin'
  return {
    options: {
      ...mergeOptions(options, given.options),
      ...(mayLift && change.disallowedTools && { disallowedTools: change.disallowedTools }),
    },
    givenBy: { ...givenBy, ...weakerOf(givenBy, given.givenBy), ...keptLimits(givenBy, given.givenBy) },
  }
}

/**
 * Names of the limits that a change would lift although a higher authority set them. A lower authority may narrow a
 * limit, which stays with the authority that set it, but not widen it.
 */
export function liftedLimits(before: StoredOptions, change: SessionOptions, authority: Authority): string[] {
  return LIMITS.filter((name) => {
    const setBy = before.givenBy[name]
    if (setBy === undefined || RANKS.indexOf(setBy) <= RANKS.indexOf(authority)) return false
    return change[name] !== undefined && isWider(name, before.options, change)
  })
}

/** Options that limit a session. `disallowedTools` is also one, but can only grow. */
const LIMITS = ['tools', 'maxTurns', 'maxBudgetUsd'] as const

function isWider(name: (typeof LIMITS)[number], old: SessionOptions, change: SessionOptions): boolean {
  if (name !== 'tools') return (change[name] ?? 0) > (old[name] ?? Number.POSITIVE_INFINITY)
  if (!Array.isArray(old.tools)) return false
  return !Array.isArray(change.tools) || change.tools.some((tool) => !(old.tools as string[]).includes(tool))
}

/** Names of the options that the caller may not set, and so may not copy to another session by forking. */
export function unforkable(
  { options, givenBy }: StoredOptions,
  authority: Authority,
  allowedVariables: readonly string[],
): string[] {
  const names = Object.keys(options).filter((name) => !isAuthorised(name, authority))
  const isOwners = givenBy['env'] === 'owner' && authority !== 'owner'
  const variables = isOwners ? refusedVariables(Object.keys(options.env ?? {}), allowedVariables) : []
  return [...names, ...(variables.length > 0 ? ['env'] : [])]
}

/** Replaces the session's MCP servers. */
export function replaceServers(
  before: StoredOptions,
  given: Required<Pick<SessionOptions, 'mcpServers' | 'configuredServers'>>,
  authority: Authority,
): StoredOptions {
  const { mcpServers: _, configuredServers: __, ...options } = before.options
  const { mcpServers: ___, configuredServers: ____, ...givenBy } = before.givenBy
  const some = {
    ...(Object.keys(given.mcpServers).length > 0 && { mcpServers: given.mcpServers }),
    ...(given.configuredServers.length > 0 && { configuredServers: given.configuredServers }),
  }
  return changeOptions({ options, givenBy }, some, authority)
}

/** A limit stays with the higher authority that set it, even after a lower one narrowed it. */
function keptLimits(
  before: StoredOptions['givenBy'],
  after: StoredOptions['givenBy'],
): StoredOptions['givenBy'] {
  const kept = LIMITS.flatMap((name) => {
    const [old, now] = [before[name], after[name]]
    return old && now && RANKS.indexOf(old) > RANKS.indexOf(now) ? [[name, old] as const] : []
  })
  return Object.fromEntries(kept)
}

/** Options merged by name. A merged option has the lowest authority of its parts. */
const JOINED: ReadonlySet<string> = new Set(['env', 'agents', 'mcpServers'])
const RANKS: readonly Authority[] = ['viewer', 'operator', 'admin', 'owner']

function weakerOf(
  before: StoredOptions['givenBy'],
  after: StoredOptions['givenBy'],
): StoredOptions['givenBy'] {
  const weaker = (name: string, authority: Authority): Authority => {
    const old = before[name]
    return old !== undefined && JOINED.has(name) && RANKS.indexOf(old) < RANKS.indexOf(authority)
      ? old
      : authority
  }
  return Object.fromEntries(Object.entries(after).map(([name, authority]) => [name, weaker(name, authority)]))
}

/** Drops options that no sufficient authority set: older versions stored options without checking the role. */
export function authorisedPart(stored: StoredOptions): { kept: StoredOptions; refused: string[] } {
  const names = Object.keys(stored.options)
  const refused = names.filter((name) => !isAuthorised(name, stored.givenBy[name]))
  const keep = <Value>(values: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !refused.includes(name)))
  return {
    kept: { options: keep(stored.options), givenBy: keep(stored.givenBy) },
    refused,
  }
}

function isAuthorised(name: string, authority: Authority | undefined): boolean {
  const needed: Role = Object.hasOwn(OPTION_ROLES, name) ? OPTION_ROLES[name as OptionName] : 'admin'
  if (authority === undefined) return needed !== 'admin' && name !== 'env'
  return authority === 'owner' || isAtLeast(authority, needed)
}
