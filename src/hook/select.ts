/** Which hooks an event runs. */

import { basename } from 'node:path'
import { asText, type Loose } from '../lib/read-json.js'
import { readMatcher } from './matcher.js'
import { type CommandHook, type HookEvent, type HookSettings, timeoutMsOf } from './settings.js'

export interface SelectedHook {
  command: string
  args: readonly string[] | null
  timeoutMs: number
  onFailure: CommandHook['onFailure']
  matcher: string | null
}

/** The field of an event that matchers are about. An event without one runs all its hooks. */
const SUBJECTS: Partial<Record<HookEvent, string>> = {
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PermissionRequest: 'tool_name',
  PermissionDenied: 'tool_name',
  UserPromptExpansion: 'command_name',
  SessionStart: 'source',
  SessionEnd: 'reason',
  Setup: 'trigger',
  PreCompact: 'trigger',
  PostCompact: 'trigger',
  PreModelSwitch: 'to_model',
  PostModelSwitch: 'to_model',
  Notification: 'notification_type',
  StopFailure: 'error',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  Elicitation: 'mcp_server_name',
  ElicitationResult: 'mcp_server_name',
  ConfigChange: 'source',
  DirectoryAdded: 'source',
  InstructionsLoaded: 'load_reason',
  FileChanged: 'file_path',
}

/** In the order of the settings. The same command runs once, and blocks on failure if any of its entries says so. */
export function selectHooks(settings: HookSettings, event: HookEvent, input: Loose): SelectedHook[] {
  const subject = subjectOf(event, input)
  const selected = new Map<string, SelectedHook>()
  for (const { matcher, hooks } of settings[event] ?? []) {
    const matches = readMatcher(matcher)
    if (subject !== null && !matches?.(subject)) continue
    for (const hook of hooks) {
      const key = JSON.stringify([hook.command, hook.args ?? null])
      const first = selected.get(key)
      if (first && hook.onFailure === 'block') selected.set(key, { ...first, onFailure: 'block' })
      if (first) continue
      selected.set(key, {
        command: hook.command,
        args: hook.args ?? null,
        timeoutMs: timeoutMsOf(event, hook),
        onFailure: hook.onFailure,
        matcher: matcher ?? null,
      })
    }
  }
  return [...selected.values()]
}

/** Null if matchers do not count. */
function subjectOf(event: HookEvent, input: Loose): string | null {
  const field = SUBJECTS[event]
  const value = field === undefined ? null : asText(input[field])
  return value !== null && event === 'FileChanged' ? basename(value) : value
}
