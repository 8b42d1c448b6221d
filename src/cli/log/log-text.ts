/** Entries of the daemon's log, and messages of the SDK log, as users read them. */

import type { LogEntry } from '../../lib/log.js'
import { asCount, asList, asRecord, asText, type Loose } from '../../lib/read-json.js'
import { describeCall } from '../../protocol/view/describe.js'
import { money, oneLine } from '../output/text.js'
import type { SdkLine } from './log-line.js'

/** Longer texts are in the files; `--json` prints them. */
const MAX_CHARACTERS = 400
/** Shown beside the text, or only in the file. */
const ELSEWHERE: ReadonlySet<string> = new Set(['time', 'level', 'stack'])

/** `Storage unavailable: The disk is full. (code storage_unavailable)`. The stack is only in the file. */
export function entryText({ message, error, ...fields }: LogEntry): string {
  const said = short(asText(error) ?? '')
  // Most faults have a sentence of their own.
  const what = message === 'fault' && said !== '' ? '' : sentenceOf(message)
  const details = Object.entries(fields)
    .filter(([name]) => !ELSEWHERE.has(name))
    .map(([name, value]) => `${oneLine(name)} ${valueText(value)}`)
  const text = [what, said].filter(Boolean).join(': ')
  return details.length > 0 ? `${text} (${details.join(', ')})` : text
}

function sentenceOf(message: string): string {
  const words = short(message).replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

function valueText(value: unknown): string {
  return short(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

function short(text: string): string {
  const line = oneLine(text)
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line
}

/** `→ user: fix the test`, `← assistant: I look at it. · Read: a.ts`. */
export function sdkText({ direction, data }: SdkLine): string {
  const message = asRecord(data)
  const kind = [message['type'], message['subtype']].map(asText).filter(Boolean).join(' ')
  const said = short(messageText(message))
  const arrow = direction === 'input' ? '→' : '←'
  return `${arrow} ${short(kind) || 'message'}${said === '' ? '' : `: ${said}`}`
}

function messageText(data: Loose): string {
  if (data['type'] === 'result') return resultText(data)
  return contentText(asRecord(data['message'])['content'] ?? data['content'])
}

function resultText(data: Loose): string {
  const ms = asCount(data['duration_ms'])
  const usd = asCount(data['total_cost_usd'])
  const figures = [
    ...(ms === null ? [] : [`${(ms / 1_000).toFixed(1)} s`]),
    ...(usd === null ? [] : [money(usd)]),
  ]
  return `${asText(data['result']) ?? ''}${figures.length > 0 ? ` (${figures.join(', ')})` : ''}`
}

function contentText(content: unknown): string {
  return asText(content) ?? asList(content).map(blockText).filter(Boolean).join(' · ')
}

function blockText(block: unknown): string {
  const { type, text, thinking, name, input, content } = asRecord(block)
  if (type === 'tool_result') return `(result) ${contentText(content)}`
  const tool = asText(name)
  if (tool !== null) return describeCall(tool, input)
  const thought = asText(thinking)
  return (
    asText(text) ?? (thought === null ? (type ? `(${asText(type) ?? ''})` : '') : `(thinking) ${thought}`)
  )
}
