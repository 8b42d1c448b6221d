/** Recorded samples of foreign formats. Made by scripts/record-sdk-messages.mjs. */

import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('./fixtures/sdk/', import.meta.url)

export type RecordedLine =
  | { from: 'sdk'; message: Record<string, unknown> }
  | { from: 'PreToolUse'; tool_use_id: string; tool_name: string; tool_input: unknown; agent_id?: string }
  | { from: 'canUseTool'; toolUseID: string }
  | { from: 'answer'; toolUseID: string; behavior: 'allow' | 'deny' }
  | { from: 'error'; message: string }

export function recordedSituations(): string[] {
  return readdirSync(FOLDER).map((name) => name.replace('.jsonl', ''))
}

export function readRecording(name: string): RecordedLine[] {
  const text = readFileSync(new URL(`${name}.jsonl`, FOLDER), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedLine) // Written by our own script.
}
