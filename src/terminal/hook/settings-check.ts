/**
 * Checks whether Claude Code would accept a settings file. It rejects a file with a single mistake as a whole,
 * including the user's permission rules. Such a file is left to the user to fix, and nothing is added to it. As
 * observed with version 2.1.325.
 */

import { getNodeValue, type Node, parseTree } from 'jsonc-parser'
import { asList, asRecord } from '../../lib/read-json.js'

/** Keys whose wrong type makes the whole file invalid. Other keys are not checked. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...every(isText, [
    'apiKeyHelper',
    'awsAuthRefresh',
    'awsCredentialExport',
    'agent',
    'language',
    'model',
    'otelHeadersHelper',
    'outputStyle',
    'plansDirectory',
  ]),
  ...every(isNumber, ['cleanupPeriodDays', 'autoCompactWindow', 'bashOutputMaxChars']),
  ...every(isBoolean, [
    'alwaysThinkingEnabled',
    'autoCompactEnabled',
    'autoMemoryEnabled',
    'disableAllHooks',
    'enableAllProjectMcpServers',
    'fileCheckpointingEnabled',
    'includeCoAuthoredBy',
    'includeGitInstructions',
    'respectGitignore',
    'skipDangerousModePermissionPrompt',
    'spinnerTipsEnabled',
    'verbose',
  ]),
  ...every(isObject, ['enabledPlugins', 'env', 'permissions', 'sandbox', 'statusLine']),
}
const PERMISSION_LISTS = ['allow', 'deny', 'ask', 'additionalDirectories']
const PERMISSION_MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan']
/** Hooks that can deny: one entry that cannot be loaded makes the whole file invalid. */
const GUARDS = ['PreToolUse', 'PermissionRequest']
const HOOK_TYPES: Readonly<Record<string, string>> = {
  command: 'command',
  prompt: 'prompt',
  agent: 'prompt',
  http: 'url',
  mcp_tool: 'tool',
}

export type SettingsCheck =
  | { readonly kind: 'valid'; readonly value: Readonly<Record<string, unknown>>; readonly root: Node | null }
  | { readonly kind: 'invalid'; readonly problem: string }

/** Expects a text without byte order mark. An empty file is valid, as for Claude Code. */
export function checkSettings(text: string): SettingsCheck {
  if (text.trim() === '') return { kind: 'valid', value: {}, root: null }
  try {
    JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be parsed'
    return invalid(`It is not valid JSON (no comments, no trailing commas): ${why.slice(0, 120)}`)
  }
  const root = parseTree(text)
  if (root?.type !== 'object') return invalid('It does not hold an object.')
  const value = asRecord(getNodeValue(root))
  const problem = twice(root) ?? wrongType(value) ?? wrongPermissions(value) ?? wrongHooks(value)
  return problem === null ? { kind: 'valid', value, root } : invalid(problem)
}

function invalid(problem: string): SettingsCheck {
  return { kind: 'invalid', problem }
}

/** Duplicate keys: the last one takes effect, but the editor would find and change the first. */
function twice(root: Node): string | null {
  const hooks = memberOf(root, 'hooks')
  for (const node of [root, hooks]) {
    const names = (node?.children ?? []).map((property) => String(property.children?.[0]?.value))
    const repeated = names.find(
      (name, index) => names.indexOf(name) !== index && (node === hooks || name === 'hooks'),
    )
    if (repeated !== undefined) return `It has the key "${repeated}" twice.`
  }
  return null
}

function memberOf(object: Node, name: string): Node | undefined {
  return object.children?.find((property) => property.children?.[0]?.value === name)?.children?.[1]
}

function wrongType(value: Readonly<Record<string, unknown>>): string | null {
  const wrong = Object.entries(TYPES).find(([key, isRight]) => key in value && !isRight(value[key]))
  return wrong ? `The value of "${wrong[0]}" has the wrong type.` : null
}

function wrongPermissions(value: Readonly<Record<string, unknown>>): string | null {
  const permissions = asRecord(value['permissions'])
  const list = PERMISSION_LISTS.find((key) => key in permissions && !Array.isArray(permissions[key]))
  if (list !== undefined) return `The value of "permissions.${list}" is not a list.`
  const { defaultMode } = permissions
  const isKnown = defaultMode === undefined || PERMISSION_MODES.some((mode) => mode === defaultMode)
  return isKnown ? null : 'The value of "permissions.defaultMode" is not a permission mode.'
}

function wrongHooks(value: Readonly<Record<string, unknown>>): string | null {
  if (!('hooks' in value)) return null
  // Claude Code ignores it, but no entry can be added to it.
  if (!isObject(value['hooks'])) return 'The value of "hooks" is not an object.'
  const hooks = asRecord(value['hooks'])
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) return `The value of "hooks.${event}" is not a list.`
    if (GUARDS.includes(event) && !groups.every(isLoadable)) {
      return `An entry of "hooks.${event}" cannot be loaded.`
    }
  }
  return null
}

function isLoadable(group: unknown): boolean {
  const { matcher, hooks } = asRecord(group)
  if (!isObject(group) || !Array.isArray(hooks) || !(matcher === undefined || isText(matcher))) return false
  return asList(hooks).every((hook) => {
    const { type, timeout, ...rest } = asRecord(hook)
    const needed = HOOK_TYPES[String(type)]
    return needed !== undefined && isText(rest[needed]) && (timeout === undefined || isNumber(timeout))
  })
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function every(check: (value: unknown) => boolean, keys: readonly string[]): Record<string, typeof check> {
  return Object.fromEntries(keys.map((key) => [key, check]))
}
