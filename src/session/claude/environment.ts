/** The environment of a CLI process: only what is named here, never everything that this process happens to have. */

import { join } from 'node:path'
import { isLocaleVariable, isUniformLocale, LOCALE_VARIABLES } from '../../lib/locale-variable.js'

/** How the model is reached: an account of the user, or a scripted model at this address. */
export type ModelAccess = { kind: 'account' } | { kind: 'scripted'; url: string }

type Environment = Readonly<Record<string, string | undefined>>

const SYSTEM = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TZ',
  'TERM',
  'COLORTERM',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'IS_SANDBOX',
  ...LOCALE_VARIABLES,
]
/** Where the CLI exports its telemetry, and the trace that it belongs to: of this process alone, never from the API. */
const TELEMETRY = ['TRACEPARENT', 'TRACESTATE']
const TELEMETRY_PREFIX = 'OTEL_'
const SYSTEM_PREFIXES = ['XDG_']
const ACCOUNT_PREFIXES = ['ANTHROPIC_', 'CLAUDE_', 'AWS_', 'GOOGLE_', 'CLOUD_ML_', 'VERTEX_', 'AZURE_']

/**
 * Git takes a folder with `HEAD`, `objects` and `refs` for a repository, and a commit may bring one along whose settings
 * run programs. With this it is one only when it is named (git 2.38 and later).
 */
const GIT_SETTINGS = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
}

const MAX_SOCKET_FOLDER = 70

/** Variables that every program needs (PATH, HOME, locale …), without credentials of any account. */
export function systemEnvironment(host: Environment): Record<string, string> {
  return pick(host, SYSTEM_PREFIXES)
}

function pick(host: Environment, prefixes: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(host)) {
    const isWanted = SYSTEM.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))
    const isUniform = !isLocaleVariable(name) || isUniformLocale(name, value ?? '')
    if (value !== undefined && isWanted && isUniform) env[name] = value
  }
  return env
}

function telemetryEnvironment(host: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(host).flatMap(([name, value]) =>
      value !== undefined && (TELEMETRY.includes(name) || name.startsWith(TELEMETRY_PREFIX))
        ? [[name, value]]
        : [],
    ),
  )
}

/** The environment of a CLI process, and the folder in which it keeps its conversations. `bash` runs its commands. */
export function claudeEnvironment(
  host: Environment,
  access: ModelAccess,
  home: string,
  bash: string | null = null,
): { env: Record<string, string>; configFolder: string; isScripted?: true } {
  const prefixes = access.kind === 'account' ? [...SYSTEM_PREFIXES, ...ACCOUNT_PREFIXES] : SYSTEM_PREFIXES
  const env = { ...pick(host, prefixes), ...telemetryEnvironment(host) }
  // Where the CLI leaves pictures, outputs of tasks and sockets; a socket's path must be short.
  const temporary = join(home, 'tmp')
  if (temporary.length <= MAX_SOCKET_FOLDER) env['CLAUDE_CODE_TMPDIR'] = temporary
  Object.assign(env, GIT_SETTINGS)
  // The policy reads commands as bash does; the CLI would take zsh where it finds one (2.1.325).
  if (bash === null) delete env['CLAUDE_CODE_SHELL']
  else env['CLAUDE_CODE_SHELL'] = bash
  if (access.kind === 'account') {
    return { env, configFolder: env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? '', '.claude') }
  }
  const configFolder = join(home, 'claude')
  return {
    configFolder,
    isScripted: true,
    env: {
      ...env,
      CLAUDE_CONFIG_DIR: configFolder,
      ANTHROPIC_BASE_URL: access.url,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Tools that are otherwise loaded on demand can then be called at once.
      ENABLE_TOOL_SEARCH: 'false',
    },
  }
}

/** Whether the CLI could reach a model with what is there. Looks at names and files, never at what they hold. */
export function hasAccount(host: Environment, exists: (path: string) => boolean): boolean {
  const named = [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CODE_USE_FOUNDRY',
  ]
  if (named.some((name) => host[name])) return true
  const folder = host['CLAUDE_CONFIG_DIR'] ?? join(host['HOME'] ?? '', '.claude')
  return exists(join(folder, '.credentials.json'))
}
