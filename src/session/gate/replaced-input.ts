/** Whether something besides our gate may change a call, or judges it by its text: then it is not wrapped. */

import { readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMissingFile, readSmallFileSync } from '../../lib/file/regular-file.js'
import { asList, asRecord, asText } from '../../lib/read-json.js'
import type { SessionOptions } from '../../protocol/option/option.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'
import { hasHooksInHead } from './hook-head.js'

export interface ReplacedInputDeps {
  cwd: string
  /** Where the CLI keeps its own settings. */
  configFolder: string
  options: SessionOptions
  /** The variables of the CLI. */
  env?: Readonly<Record<string, string | undefined>>
  /** Folders named `.claude` in the workspace: the CLI reads them when it works beside them. */
  claudeFolders?: readonly string[]
  /** Folders of settings that an administrator has set, which the CLI always reads. */
  managedFolders?: readonly string[]
}

const MANAGED = ['/etc/claude-code', '/Library/Application Support/ClaudeCode']
const MAX_FILES = 500
const MAX_BYTES = 4 * 1024 * 1024
/** Instead of a file that cannot be read: neither valid settings nor without hooks. */
const UNREADABLE = '---\nhooks: unknown\n---'
/** With it the CLI hands every command to a program of its own. */
const SHELL_PREFIX = 'CLAUDE_CODE_SHELL_PREFIX'

/**
 * The obstacle; null if there is none. Hooks of settings, plugins, skills and agents can replace the input of a call,
 * and rules of settings for Bash are matched against the text of the command, which a wrapper would hide from them.
 */
export function inputObstacle({
  cwd,
  configFolder,
  options,
  env = {},
  claudeFolders = [],
  managedFolders = MANAGED,
}: ReplacedInputDeps): Reason | null {
  const sources = options.settingSources ?? []
  if (options.sandbox !== undefined) return reason('jail.sandbox')
  if ((options.plugins ?? []).length > 0) return reason('jail.plugins')
  if (env[SHELL_PREFIX]) return reason('jail.shell-prefix', { name: SHELL_PREFIX })
  const listed = [...(options.disallowedTools ?? []), ...(options.allowedTools ?? [])]
  if (listed.some((rule) => rule.startsWith('Bash('))) return reason('jail.bash-rules')
  // The repository may begin above the folder of the session, and the home of the user, too.
  const around = [...foldersAbove(cwd), ...(options.additionalDirectories ?? [])].map((at) =>
    join(at, '.claude'),
  )
  const ofProject = [...new Set([...around, ...claudeFolders])].filter((folder) => folder !== configFolder)
  const files = [
    ...managedFolders.flatMap((folder) => [
      join(folder, 'managed-settings.json'),
      ...filesBelow(join(folder, 'managed-settings.d')),
    ]),
    ...(sources.includes('user') ? [join(configFolder, 'settings.json')] : []),
    ...(sources.includes('project') ? ofProject.map((folder) => join(folder, 'settings.json')) : []),
    ...(sources.includes('local') ? ofProject.map((folder) => join(folder, 'settings.local.json')) : []),
  ]
  for (const file of files) {
    const problem = settingsObstacle(file)
    if (problem !== null) return problem
  }
  const homes = [
    ...(sources.includes('user') ? [configFolder] : []),
    ...(sources.includes('project') ? ofProject : []),
  ]
  const told = homes.flatMap((home) => ['agents', 'skills', 'commands'].map((name) => join(home, name)))
  return told.some(hasHooks) ? reason('jail.hook-file') : null
}

function foldersAbove(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)]
}

function settingsObstacle(file: string): Reason | null {
  const text = readText(file)
  if (text === null) return null
  const settings = parse(text)
  if (settings === null) return reason('jail.settings-unreadable', { file })
  const { hooks, permissions, enabledPlugins, sandbox, env } = settings
  if (asList(asRecord(hooks)['PreToolUse']).length > 0) return reason('jail.settings-hook', { file })
  if (Object.values(asRecord(enabledPlugins)).some((value) => value !== false))
    return reason('jail.settings-plugins', { file })
  if (asRecord(sandbox)['enabled'] === true) return reason('jail.settings-sandbox', { file })
  if (SHELL_PREFIX in asRecord(env)) return reason('jail.settings-prefix', { file, name: SHELL_PREFIX })
  const { deny, ask } = asRecord(permissions)
  const rules = [...asList(deny), ...asList(ask)].map((rule) => asText(rule) ?? 'Bash')
  return rules.some((rule) => /^(?:Bash|\*)/.test(rule)) ? reason('jail.settings-rules', { file }) : null
}

/** Fails closed: an unreadable folder, or one that is too large to scan, counts as having hooks. */
function hasHooks(folder: string): boolean {
  const files = filesBelow(folder)
  return files.length > MAX_FILES || files.some((file) => hasHooksInHead(readText(file) ?? ''))
}

/** Follows links: the CLI does as well. More than the limit if there are too many. */
function filesBelow(top: string): string[] {
  const [files, pending, seen]: [string[], string[], Set<string>] = [[], [top], new Set()]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const real = realOf(folder)
    if (real === null || seen.has(real)) continue
    seen.add(real)
    for (const name of namesIn(real)) {
      const path = join(real, name)
      if (/\.(?:md|json)$/.test(name)) files.push(path)
      else if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) pending.push(path)
    }
    if (files.length + seen.size > 2 * MAX_FILES) return [...files, ...seen]
  }
  return files
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Null: there is none. */
function readText(file: string): string | null {
  try {
    return readSmallFileSync(file, MAX_BYTES).toString('utf8')
  } catch (error) {
    return isMissingFile(error) ? null : UNREADABLE
  }
}

/** Null: not an object in JSON. */
function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? asRecord(value) : null
  } catch {
    return null
  }
}
