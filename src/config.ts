/** Settings: flags over SIGNALBOX_* variables over config.jsonc in the home over defaults. Read once, at the start. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { z } from 'zod'
import { HookSettings } from './hook/settings.js'
import { AgentConfig, AgentLimits } from './protocol/agent.js'
import { SnapshotSettings } from './protocol/change/snapshot-settings.js'
import { Billing } from './protocol/dialect-name.js'
import { HubError } from './protocol/error.js'
import { ReadOnlyJail, Unproven } from './protocol/jail.js'
import { ChannelSettings } from './protocol/notification/channel.js'
import { ChannelName } from './protocol/notification/notification-kind.js'
import { ConfiguredUsers, NotificationSettings } from './protocol/notification/settings.js'
import { OWNER } from './protocol/notification/user.js'
import { McpServers, SessionOptions } from './protocol/option/option.js'
import { isReservedVariable } from './protocol/option/variable.js'
import { TranscriptSettings } from './protocol/terminal/transcript-settings.js'
import { WhenBusy } from './protocol/value.js'
import { WorktreeSettings } from './protocol/worktree/worktree.js'
import { TelemetrySettings } from './telemetry/settings.js'

const Milliseconds = z.coerce.number().int().min(0)

/** A list; in a variable, with commas. */
const Names = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value),
  z.array(z.string().min(1)),
)

export const Config = z.strictObject({
  port: z.coerce.number().int().min(0).max(65_535).default(4747),
  /** Other than loopback only with TLS, or behind a proxy that is named. */
  host: z.string().min(1).max(255).default('127.0.0.1'),
  /** Names under which it is reached besides those of loopback: `box.example.com`. */
  hosts: Names.default([]),
  /** Files in PEM. */
  tlsCert: z.string().min(1).optional(),
  tlsKey: z.string().min(1).optional(),
  /** Addresses or networks of proxies that terminate TLS in front of it; other peers are refused. */
  trustedProxies: Names.default([]),
  whenBusy: WhenBusy.default('inject'),
  /** 0: wait for ever. */
  permissionTimeoutMs: Milliseconds.default(0),
  questionTimeoutMs: Milliseconds.default(0),
  /** How many processes are kept ready for sessions to come. */
  warm: z.coerce.number().int().min(0).max(20).default(1),
  /** A session that has done nothing for this long gives up its process; its next message starts another. */
  parkAfterMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(10 * 60_000),
  /** How many processes may live at once. */
  maxLive: z.coerce.number().int().min(1).max(1_000).default(20),
  /** The Claude Code program to run; without it, the one that comes with Signalbox. */
  claudePath: z.string().startsWith('/').optional(),
  /** How a turn that was cut off by the end of the daemon is resumed: automatically, or after asking the user. */
  onRestart: z.enum(['continue', 'ask']).default('ask'),
  /** Whether processes of sessions outlive the daemon, so that the next start attaches to them: where that works, or never. */
  keeper: z.enum(['auto', 'off']).default('off'),
  /** How long they are kept without a daemon. */
  keepMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(12 * 60 * 60_000)
    .default(10 * 60_000),
  /** `careful`, `classic`, or the path of a policy file; the home's policy.jsonc if not said. */
  policy: z.string().min(1).max(4_096).optional(),
  /** Under `classic`: what is denied is denied in every mode, before anything is allowed. */
  denyFirst: z.union([z.boolean(), z.stringbool()]).optional(),
  /** Tools that are allowed without asking; in a variable, separated by commas. */
  autoAllowTools: z
    .union([
      z.array(z.string().min(1)),
      z.string().transform((text) => text.split(',').map((name) => name.trim())),
    ])
    .optional(),
  /** Whether commands that only read run in a read-only jail: where it works, always, or never. */
  readOnlyJail: ReadOnlyJail.default('auto'),
  /** A harmless command that is not proven to be: it runs in the jail where there is one, or is asked. */
  unproven: Unproven.default('jail'),
  /** How usage is paid: with `subscription`, money is shown as the price that the API would have charged. */
  billing: Billing.default('api'),
  /** Defaults for every session. */
  defaults: SessionOptions.default({}),
  /** MCP servers that sessions can be given by name (`configuredServers`), by operators too. */
  mcpServers: McpServers.default({}),
  /** Names of variables that sessions can be given through the API. */
  allowedVariables: Names.refine(
    (names) => !names.some(isReservedVariable),
    'One of these variables is reserved: no session can be given it through the API. Set it for all in defaults.env',
  ).default([]),
  /** Ways to run sessions, by name. */
  agents: z.record(z.string().min(1), AgentConfig).default({}),
  /** How far agents may go on their own when they call each other. */
  agentLimits: AgentLimits.prefault({}),
  /** Files with tools of one's own, seen from the home. To load one is to run it. */
  tools: z.array(z.string().min(1)).default([]),
  /** Days after which what happened in an ended session is forgotten; 0: never. */
  retention: z.coerce.number().int().min(0).max(36_500).default(0),
  /** Recording of workspaces, so that changes can be reviewed and undone. */
  snapshots: SnapshotSettings.prefault({}),
  /** Whether the conversations of terminals are kept. */
  transcripts: TranscriptSettings.prefault({}),
  /** Where worktrees are made, and what is brought along and run in them. */
  worktrees: WorktreeSettings.prefault({}),
  /** Programs that run before and after tool calls, in the shape of Claude Code's settings. */
  hooks: HookSettings.default({}),
  /** Export to an OpenTelemetry collector; off without an endpoint. */
  telemetry: TelemetrySettings.prefault({}),
  /** When users are notified, and what is sent. */
  notifications: NotificationSettings.prefault({}),
  /** Users that channels belong to, in the order in which they are notified. */
  users: ConfiguredUsers.default({}),
  /** Ways to reach users, in the order in which they are tried. */
  channels: z.record(ChannelName, ChannelSettings).default({}),
})
export type Config = z.infer<typeof Config>

export function readConfig(
  home: string,
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const file = join(home, 'config.jsonc')
  const given = { ...readFile(file), ...readVariables(env), ...withoutUndefined(flags) }
  const result = Config.safeParse(given)
  const problem = result.success
    ? (reachProblem(result.data) ?? channelProblem(result.data))
    : z.prettifyError(result.error)
  if (result.success && problem === null) return result.data
  throw new HubError(
    'config_invalid',
    `Invalid settings. They come from flags, SIGNALBOX_* variables and ${file}.\n${problem}`,
  )
}

/** Where each setting comes from, in words. */
export function settingOrigins(
  home: string,
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const file = join(home, 'config.jsonc')
  const [inFile, inVariables, inFlags] = [readFile(file), readVariables(env), withoutUndefined(flags)]
  const originOf = (name: string) => {
    if (name in inFlags) return 'flag'
    if (name in inVariables) return variableOf(name)
    return name in inFile ? file : 'default'
  }
  return Object.fromEntries(Object.keys(Config.shape).map((name) => [name, originOf(name)]))
}

/** The problem with the listen settings, or null: secrets must never cross a network unencrypted. */
function reachProblem({ host, tlsCert, tlsKey, trustedProxies, hosts }: Config): string | null {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) return 'tlsCert and tlsKey belong together.'
  if (['127.0.0.1', 'localhost', '::1'].includes(host)) return null
  if (tlsCert === undefined && trustedProxies.length === 0) {
    return `To listen on the host ${host}, which is not loopback, set tlsCert and tlsKey, or name the proxy in front of it in trustedProxies.`
  }
  const isEverywhere = host === '0.0.0.0' || host === '::'
  return isEverywhere && hosts.length === 0
    ? `To listen on ${host}, name in hosts under which name it is reached.`
    : null
}

/** A channel must belong to a user that exists. */
function channelProblem({ channels, users }: Config): string | null {
  for (const [name, settings] of Object.entries(channels)) {
    const named = settings.kind === 'telegram' ? Object.values(settings.users ?? {}) : []
    const unknown = [settings.user, ...named].find((user) => user !== OWNER && !users[user])
    if (unknown !== undefined) return `The channel ${name} names the user ${unknown}, who is not in users.`
  }
  return null
}

function readFile(file: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return {}
  }
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length
    throw new HubError(
      'config_invalid',
      `Cannot parse ${file}: ${printParseErrorCode(error.error)} in line ${line}. Correct the file.`,
    )
  }
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** `SIGNALBOX_WHEN_BUSY` is `whenBusy`. */
function readVariables(env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const names = Object.keys(Config.shape)
  return withoutUndefined(Object.fromEntries(names.map((name) => [name, env[variableOf(name)]])))
}

function variableOf(name: string): string {
  return `SIGNALBOX_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
