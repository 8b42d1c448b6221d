/** Whether something besides our gate may change a call, or judges it by its text: then it is not wrapped. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { asList, asRecord, asText } from '../lib/loose.js'
import { isMissingFile, readSmallFileSync } from '../lib/regular-file.js'
import type { SessionOptions } from '../protocol/option.js'

export interface ReplacedInputDeps {
  cwd: string
  /** Where the CLI keeps its own settings. */
  configFolder: string
  options: SessionOptions
  /** Folders of settings that an administrator has set, which the CLI always reads. */
  managedFolders?: readonly string[]
}

const MANAGED = ['/etc/claude-code', '/Library/Application Support/ClaudeCode']
const MAX_FILES = 500
const MAX_BYTES = 4 * 1024 * 1024
/** Instead of a file that cannot be read: neither valid settings nor without hooks. */
const UNREADABLE = 'hooks: unknown'

/**
 * In words what it is; null if nothing is. Hooks of settings, plugins, skills and agents can replace the input of a call,
 * and rules of settings for Bash are matched against the text of the command, which a wrapper would hide from them.
 */
export function inputObstacle({
  cwd,
  configFolder,
  options,
  managedFolders = MANAGED,
}: ReplacedInputDeps): string | null {
  const sources = options.settingSources ?? []
  if (options.sandbox !== undefined) return 'The session uses the sandbox of Claude Code.'
  if ((options.plugins ?? []).length > 0) return 'The session has plugins, whose hooks may change a command.'
  const listed = [...(options.disallowedTools ?? []), ...(options.allowedTools ?? [])]
  if (listed.some((rule) => rule.startsWith('Bash('))) return 'The session has rules of Claude Code for Bash.'
  const files = [
    ...managedFolders.flatMap((folder) => [
      join(folder, 'managed-settings.json'),
      ...filesIn(join(folder, 'managed-settings.d')),
    ]),
    ...(sources.includes('user') ? [join(configFolder, 'settings.json')] : []),
    ...(sources.includes('project') ? [join(cwd, '.claude', 'settings.json')] : []),
    ...(sources.includes('local') ? [join(cwd, '.claude', 'settings.local.json')] : []),
  ]
  for (const file of files) {
    const problem = settingsObstacle(file)
    if (problem !== null) return problem
  }
  const homes = [
    ...(sources.includes('user') ? [configFolder] : []),
    ...(sources.includes('project') ? [join(cwd, '.claude')] : []),
  ]
  const told = homes.flatMap((home) => ['agents', 'skills', 'commands'].map((name) => join(home, name)))
  return told.some(hasHooks) ? 'A skill, command or agent file has hooks, which may change a command.' : null
}

function settingsObstacle(file: string): string | null {
  const text = readText(file)
  if (text === null) return null
  const settings = parse(text)
  if (settings === null) return `${file} cannot be read, so its hooks are not known.`
  const { hooks, permissions, enabledPlugins, sandbox } = settings
  if (asList(asRecord(hooks)['PreToolUse']).length > 0)
    return `${file} has a PreToolUse hook, which may change a command.`
  if (Object.values(asRecord(enabledPlugins)).some((value) => value !== false))
    return `${file} enables plugins, whose hooks may change a command.`
  if (asRecord(sandbox)['enabled'] === true) return `${file} uses the sandbox of Claude Code.`
  const { deny, ask } = asRecord(permissions)
  const rules = [...asList(deny), ...asList(ask)].map((rule) => asText(rule) ?? 'Bash')
  return rules.some((rule) => /^(?:Bash|\*)/.test(rule))
    ? `${file} has rules for Bash, which see the text of a command.`
    : null
}

/** Hooks stand in the head of the file. What cannot be read, or is too large to look through, counts as having some. */
function hasHooks(folder: string): boolean {
  const files = filesIn(folder, true)
  return files.length > MAX_FILES || files.some((file) => /^hooks\s*:/m.test(readText(file) ?? ''))
}

function filesIn(folder: string, isRecursive = false): string[] {
  try {
    const names = readdirSync(folder, { recursive: isRecursive, encoding: 'utf8' })
    return names.filter((name) => /\.(?:md|json)$/.test(name)).map((name) => join(folder, name))
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
