/** Settings: flags over SIGNALBOX_* variables over config.jsonc in the home over defaults. Read once, at the start. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { z } from 'zod'
import { HookSettings } from './hook/settings.js'
import { AgentConfig, AgentLimits } from './protocol/agent.js'
import { HubError } from './protocol/error.js'
import { SessionOptions } from './protocol/option.js'
import { WhenBusy } from './protocol/value.js'

const Milliseconds = z.coerce.number().int().min(0)

export const Config = z.strictObject({
  port: z.coerce.number().int().min(0).max(65_535).default(4747),
  host: z.enum(['127.0.0.1', 'localhost', '::1']).default('127.0.0.1'),
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
  /** What becomes of a turn that was cut off by the end of the daemon: it goes on by itself, or a person is asked. */
  onRestart: z.enum(['continue', 'ask']).default('ask'),
  /** What every session is run with, unless it says otherwise. */
  defaults: SessionOptions.default({}),
  /** Ways to run sessions, by name. */
  agents: z.record(z.string().min(1), AgentConfig).default({}),
  /** How far agents may go on their own when they call each other. */
  agentLimits: AgentLimits.prefault({}),
  /** Files with tools of one's own, seen from the home. To load one is to run it. */
  tools: z.array(z.string().min(1)).default([]),
  /** Programs that run before and after tool calls, in the shape of Claude Code's settings. */
  hooks: HookSettings.default({}),
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
  if (result.success) return result.data
  throw new HubError(
    'config_invalid',
    `The settings are not as expected. They come from flags, SIGNALBOX_* variables and ${file}.\n${z.prettifyError(result.error)}`,
  )
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
      `${file} can not be read: ${printParseErrorCode(error.error)} in line ${line}.`,
    )
  }
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** `SIGNALBOX_WHEN_BUSY` is `whenBusy`. */
function readVariables(env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const names = Object.keys(Config.shape)
  const variable = (name: string) =>
    `SIGNALBOX_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  return withoutUndefined(Object.fromEntries(names.map((name) => [name, env[variable(name)]])))
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
