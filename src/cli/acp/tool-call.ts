/** A tool call as an editor shows it: its kind, its files, and what it changes. Pure. */

import { isAbsolute, resolve } from 'node:path'
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { printable } from '../../lib/text/printable.js'
import { describeCall } from '../../protocol/view/describe.js'

/** Editors keep all of it: longer texts are cut, larger values left out. */
export const MAX_TEXT = 100_000
const MAX_DIFF = 500_000
const MAX_RAW = 100_000

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Glob: 'search',
  Grep: 'search',
  Bash: 'execute',
  BashOutput: 'execute',
  KillShell: 'execute',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Task: 'think',
  Agent: 'think',
  ExitPlanMode: 'switch_mode',
}

type Loose = Readonly<Record<string, unknown>>

export interface Shown {
  title: string
  kind: ToolKind
  content: ToolCallContent[]
  locations: ToolCallLocation[]
  rawInput?: unknown
}

export function showCall(name: string, input: unknown, cwd: string): Shown {
  const fields = recordOf(input)
  return {
    title: describeCall(name, input, cwd),
    kind: KINDS[name] ?? 'other',
    content: [...diffsOf(name, fields, cwd), ...commandOf(fields), ...planOf(name, fields)],
    locations: locationsOf(fields, cwd),
    ...(isSmall(input) && { rawInput: input }),
  }
}

/** Shows the end of a call; `result` is the structured result of the tool, where it has one. */
export function showResult(
  name: string,
  input: unknown,
  { result, text, error }: { result?: unknown; text?: string | undefined; error?: string | undefined },
  cwd: string,
): { content: ToolCallContent[]; rawOutput?: unknown } {
  const fields = recordOf(input)
  const raw = isSmall(result) ? { rawOutput: result } : {}
  if (error !== undefined) return { content: [...diffsOf(name, fields, cwd), textContent(error)], ...raw }
  const diffs = diffsOf(name, { ...fields, ...beforeOf(result) }, cwd)
  if (diffs.length > 0) return { content: diffs, ...raw }
  const words = text ?? wordsOf(result)
  return { content: [...commandOf(fields), ...(words === '' ? [] : [resultContent(name, words)])], ...raw }
}

/** Whether an editor is shown all of a call: its input is neither cut nor left out. */
export function isShownWhole(name: string, input: unknown): boolean {
  const { command } = recordOf(input)
  if (typeof command === 'string' && command.length > MAX_TEXT) return false
  if (input === undefined || isSmall(input)) return true
  const diffs = diffsOf(name, recordOf(input), '/')
  return diffs.length > 0 && diffs.every(({ type }) => type === 'diff')
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: cut(printable(text)) } }
}

function resultContent(name: string, words: string): ToolCallContent {
  return KINDS[name] === 'fetch' || name === 'Task' || name === 'Agent' ? textContent(words) : fenced(words)
}

/** A command is shown as it is, to its end: what is allowed must have been seen. */
function commandOf({ command }: Loose): ToolCallContent[] {
  return typeof command === 'string' && command !== '' ? [fenced(command, 'sh')] : []
}

function planOf(name: string, { plan }: Loose): ToolCallContent[] {
  return name === 'ExitPlanMode' && typeof plan === 'string' ? [textContent(plan)] : []
}

/** Longer than any row of backticks in it. */
function fenced(text: string, language = ''): ToolCallContent {
  const shown = cut(printable(text.trimEnd()))
  const longest = [...shown.matchAll(/`+/g)].reduce((most, [row]) => Math.max(most, row.length), 2)
  const fence = '`'.repeat(longest + 1)
  return { type: 'content', content: { type: 'text', text: `${fence}${language}\n${shown}\n${fence}` } }
}

function diffsOf(name: string, fields: Loose, cwd: string): ToolCallContent[] {
  const { file_path: file, old_string: old, new_string: fresh, content, originalFile } = fields
  if (typeof file !== 'string') return []
  const path = wholePath(file, cwd)
  const diff = (oldText: string | null, newText: string): ToolCallContent[] =>
    (oldText?.length ?? 0) + newText.length > MAX_DIFF
      ? [textContent(`${path}: the diff is too large to be shown here.`)]
      : [{ type: 'diff', path, oldText, newText }]
  if (name === 'Write' && typeof content === 'string')
    return diff(typeof originalFile === 'string' ? originalFile : null, content)
  if (name === 'Edit' && typeof old === 'string' && typeof fresh === 'string')
    return diff(old === '' ? null : old, fresh)
  if (name === 'MultiEdit' && Array.isArray(fields['edits']))
    return fields['edits'].flatMap((edit) => {
      const { old_string: one, new_string: other } = recordOf(edit)
      return typeof one === 'string' && typeof other === 'string' ? diff(one, other) : []
    })
  return []
}

/** The state of the file before a call that replaced it. */
function beforeOf(result: unknown): Loose {
  const { originalFile } = recordOf(result)
  return typeof originalFile === 'string' ? { originalFile } : {}
}

function locationsOf(fields: Loose, cwd: string): ToolCallLocation[] {
  const file = fields['file_path'] ?? fields['notebook_path'] ?? fields['path']
  if (typeof file !== 'string' || file === '') return []
  const { offset } = fields
  const line = typeof offset === 'number' && Number.isInteger(offset) && offset > 0 ? { line: offset } : {}
  return [{ path: wholePath(file, cwd), ...line }]
}

function wholePath(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path)
}

function wordsOf(result: unknown): string {
  if (typeof result === 'string') return result
  if (Array.isArray(result))
    return result
      .map((block) => stringOf(recordOf(block)['text']))
      .filter(Boolean)
      .join('\n')
  const { stdout, stderr, content, file, result: words } = recordOf(result)
  if (stdout !== undefined || stderr !== undefined)
    return [stringOf(stdout), stringOf(stderr)].filter(Boolean).join('\n')
  if (file !== undefined) return stringOf(recordOf(file)['content'])
  if (content !== undefined) return wordsOf(content)
  return stringOf(words)
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function recordOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
}

function cut(text: string): string {
  return text.length > MAX_TEXT
    ? `${text.slice(0, MAX_TEXT)}\n… (${text.length - MAX_TEXT} more characters)`
    : text
}

function isSmall(value: unknown): boolean {
  return value !== undefined && (JSON.stringify(value)?.length ?? 0) <= MAX_RAW
}
