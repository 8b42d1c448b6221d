/** Environment of a hook program. A whitelist: no variable of this process is inherited unless it is named. */

import { asText, type Loose } from '../lib/read-json.js'
import { cutUtf8, wellFormed } from '../lib/text/truncate.js'
import type { HookEvent } from './settings.js'

/** Linux refuses to start a program with a longer string: name, "=", value and the zero at its end. */
const MAX_STRING_BYTES = 128 * 1024

export interface HookEnvironment {
  env: Readonly<Record<string, string>>
  /** Values that were cut: their whole text belongs into a file, whose path belongs into this variable. */
  cut: readonly { fileVariable: string; text: string }[]
}

export function hookEnvironment(
  base: Readonly<Record<string, string>>,
  event: HookEvent,
  input: Loose,
  projectFolder: string,
): HookEnvironment {
  const env: Record<string, string> = {}
  const cut: { fileVariable: string; text: string }[] = []
  for (const [name, value] of Object.entries(base)) if (!OURS.has(name)) env[name] = value

  function set(name: string, text: string): void {
    const room = MAX_STRING_BYTES - Buffer.byteLength(name) - 2
    const value = withoutNul(text)
    env[name] = cutUtf8(value, room)
    if (env[name] !== value) cut.push({ fileVariable: `${name}_FILE`, text })
  }

  set('CLAUDE_PROJECT_DIR', projectFolder)
  const sessionId = asText(input['session_id'])
  if (sessionId !== null) set('CLAUDE_CODE_SESSION_ID', sessionId)
  const toolName = asText(input['tool_name'])
  if (toolName !== null) {
    set('CLAUDE_TOOL_NAME', toolName)
    set('CLAUDE_TOOL_INPUT', JSON.stringify(input['tool_input'] ?? {}))
  }
  const result = resultOf(event, input)
  if (result !== undefined) set('CLAUDE_TOOL_RESULT', asText(result) ?? JSON.stringify(result))
  return { env, cut }
}

const OURS = new Set([
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_TOOL_NAME',
  'CLAUDE_TOOL_INPUT',
  'CLAUDE_TOOL_INPUT_FILE',
  'CLAUDE_TOOL_RESULT',
  'CLAUDE_TOOL_RESULT_FILE',
])

/** Only after a tool has run is there a result. */
function resultOf(event: HookEvent, input: Loose): unknown {
  if (event === 'PostToolUse') return input['tool_response'] ?? null
  return event === 'PostToolUseFailure' ? (input['error'] ?? null) : undefined
}

/** A zero would end the string, and half a character has no bytes. */
function withoutNul(text: string): string {
  return wellFormed(text).replaceAll('\0', '\ufffd')
}
