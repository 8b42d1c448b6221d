/** Who may give a session which options, and with whose authority those that it has were given. */

import { isAtLeast, type Role } from '../role.js'
import { mergeOptions, type SessionOptions } from './option.js'
import { refusedVariables } from './variable.js'

type OptionName = keyof SessionOptions

/**
 * A list of what an operator may set: nothing in it gives an agent a program, a folder, a variable, a server or a
 * permission that it would not have otherwise. A new option belongs to admins until somebody has thought about it.
 */
export const OPTION_ROLES = {
  fallbackModel: 'operator',
  maxTurns: 'operator',
  maxBudgetUsd: 'operator',
  thinking: 'operator',
  maxThinkingTokens: 'operator',
  effort: 'operator',
  /** At launch only those that the home leaves (`launch.ts`). */
  tools: 'operator',
  disallowedTools: 'operator',
  agents: 'operator',
  systemPrompt: 'operator',
  outputFormat: 'operator',
  enableFileCheckpointing: 'operator',
  /** By name, out of the configuration of the home. */
  configuredServers: 'operator',
  /** Only variables whose names the configuration of the home lists. */
  env: 'operator',
  allowedTools: 'admin',
  additionalDirectories: 'admin',
  betas: 'admin',
  settingSources: 'admin',
  sandbox: 'admin',
  plugins: 'admin',
  mcpServers: 'admin',
} as const satisfies Record<OptionName, Role>

/** Options that decide nothing about what an agent may do. */
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

/** `owner`: a program that embeds the runtime, and could change the configuration as well. */
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

/** Over those that it has. What was never authorised does not become so because something is added to it. */
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
 * Limits that somebody with more right has set and that the change would lift: its names. Only who could have set them lifts them;
 * to narrow them further is everybody's right, and leaves the limit with who has set it.
 */
export function liftedLimits(before: StoredOptions, change: SessionOptions, authority: Authority): string[] {
  return LIMITS.filter((name) => {
    const setBy = before.givenBy[name]
    if (setBy === undefined || RANKS.indexOf(setBy) <= RANKS.indexOf(authority)) return false
    return change[name] !== undefined && isWider(name, before.options, change)
  })
}

/** Options with which a session is kept from something. `disallowedTools` is one as well, and only ever grows. */
const LIMITS = ['tools', 'maxTurns', 'maxBudgetUsd'] as const

function isWider(name: (typeof LIMITS)[number], old: SessionOptions, change: SessionOptions): boolean {
  if (name !== 'tools') return (change[name] ?? 0) > (old[name] ?? Number.POSITIVE_INFINITY)
  if (!Array.isArray(old.tools)) return false
  return !Array.isArray(change.tools) || change.tools.some((tool) => !(old.tools as string[]).includes(tool))
}

/** What only somebody with more right could give to another session. */
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

/** Instead of the servers that it has. */
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

/** Who has set a limit keeps it, though somebody else has narrowed it since. */
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

/** Joined by name: the whole is only as good as the weaker part. */
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

/** Without what nobody with the right to do so has given: options that were stored by versions that did not ask. */
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
