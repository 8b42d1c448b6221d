/** Reads tool calls and results loosely: their format belongs to the CLI and may change between versions. */

import type { IconName } from '../ui/icon.js'
import { resultImages } from './result-image.js'

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function textField(value: unknown, ...names: readonly string[]): string | null {
  const fields = fieldsOf(value)
  const found = names.map((name) => fields[name]).find((field) => typeof field === 'string')
  return typeof found === 'string' ? found : null
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const field = fieldsOf(value)[name]
  return Array.isArray(field) ? field : []
}

/** The text of a result. Tools put it into different fields. Images are not part of it. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === null || result === undefined) return ''
  if (Array.isArray(result)) {
    const texts = result.flatMap((block) => textField(block, 'text') ?? [])
    return texts.length > 0 || result.length === 0 || resultImages(result).length > 0
      ? texts.join('\n')
      : JSON.stringify(result, null, 2)
  }
  const { content, isImage } = fieldsOf(result)
  if (isImage === true) return ''
  if (typeof content === 'string' || Array.isArray(content)) return resultText(content)
  const text = textField(result, 'result', 'text', 'output', 'stdout')
  if (text !== null) return text
  return resultImages(result).length > 0 ? '' : JSON.stringify(result, null, 2)
}

/** Claude Code wraps the errors of tools in tags for the model. */
export function errorText(error: string): string {
  return error.replaceAll(/<\/?tool_use_error>/g, '').trim()
}

/** Added and removed lines of an edit, as Claude Code has computed them. Null if the result does not say. */
export function lineCounts(result: unknown): { added: number; removed: number } | null {
  const lines = hunksOf(result).flatMap((hunk) => hunk.lines)
  if (lines.length === 0) return null
  const starting = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return { added: starting('+'), removed: starting('-') }
}

function hunksOf(result: unknown): Hunk[] {
  return listField(result, 'structuredPatch').flatMap((hunk) => {
    const { oldStart, newStart } = fieldsOf(hunk)
    const lines = listField(hunk, 'lines').filter((line) => typeof line === 'string')
    return typeof oldStart === 'number' && typeof newStart === 'number' && lines.length > 0
      ? [{ oldStart, newStart, lines }]
      : []
  })
}

/** The exit code of a command. Null if the result does not contain it. */
export function exitCode(state: string, error: string | null): number | null {
  const code = /Exit code (-?\d+)/.exec(error ?? '')?.[1]
  if (code !== undefined) return Number(code)
  return state === 'completed' ? 0 : null
}

export type ToolKind =
  | 'shell'
  | 'read'
  | 'edit'
  | 'find'
  | 'todo'
  | 'web'
  | 'agent'
  | 'plan'
  | 'question'
  | 'skill'
  | 'mcp'
  | 'other'

const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: 'shell',
  PowerShell: 'shell',
  Read: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Grep: 'find',
  Glob: 'find',
  LS: 'find',
  TodoWrite: 'todo',
  WebFetch: 'web',
  WebSearch: 'web',
  Agent: 'agent',
  Task: 'agent',
  ExitPlanMode: 'plan',
  AskUserQuestion: 'question',
  Skill: 'skill',
}

export function toolKind(tool: string): ToolKind {
  const known = Object.hasOwn(KINDS, tool) ? KINDS[tool] : undefined
  return known ?? (tool.startsWith('mcp__') ? 'mcp' : 'other')
}

const ACTIONS = {
  Bash: 'run',
  PowerShell: 'run',
  Write: 'write',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Read: 'read',
  WebFetch: 'fetch',
} as const

/** The effect of a well-known tool, to be named instead of the tool. Null for all other tools. */
export function toolAction(tool: string): (typeof ACTIONS)[keyof typeof ACTIONS] | null {
  return Object.hasOwn(ACTIONS, tool) ? ACTIONS[tool as keyof typeof ACTIONS] : null
}

export const ICONS: Readonly<Record<ToolKind, IconName>> = {
  shell: 'terminal',
  read: 'file',
  edit: 'edit',
  find: 'search',
  todo: 'list',
  web: 'globe',
  agent: 'agent',
  plan: 'list',
  question: 'inbox',
  skill: 'play',
  mcp: 'plug',
  other: 'plug',
}

/** Display name: `mcp__server__tool` becomes `server · tool`. */
export function toolName(tool: string): string {
  const start = 'mcp__'.length
  const end = tool.indexOf('__', start + 1)
  const isOfServer = tool.startsWith('mcp__') && end > 0 && end + 2 < tool.length
  return isOfServer ? `${tool.slice(start, end)} · ${tool.slice(end + 2)}` : tool
}

/** Display name: events name a user as `person: kim`, a policy or a hook by its own label. */
export function deciderName(by: string): string {
  return by.replace(/^person: /, '')
}

/** Relative for paths in the workspace, unchanged for others. */
export function relativePath(path: string, cwd: string): string {
  return cwd !== '' && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}

/** One-line summary of the input. Paths in the workspace are relative. */
export function callDetail(input: unknown, cwd: string): string {
  const detail =
    textField(
      input,
      'command',
      'file_path',
      'notebook_path',
      'path',
      'url',
      'query',
      'pattern',
      'skill',
      'description',
      'prompt',
    ) ?? ''
  return relativePath(detail, cwd).replaceAll(/\s+/g, ' ').trim().slice(0, 300)
}

export interface Change {
  path: string
  /** Whether the texts are whole files, so that line numbers are known. */
  isWhole: boolean
  before: string
  after: string
  /** The diff of Claude Code, if the result has no text of the whole file. */
  hunks?: readonly Hunk[]
}

export interface Hunk {
  oldStart: number
  newStart: number
  /** Each with its sign as the first character. */
  lines: readonly string[]
}

/** The edits of a call, each as the text before and after. */
export function changesOf(tool: string, input: unknown, result: unknown): Change[] {
  const path = textField(input, 'file_path', 'notebook_path') ?? ''
  const hunks = textField(result, 'originalFile') === null ? hunksOf(result) : []
  if (hunks.length > 0) return [{ path, isWhole: true, before: '', after: '', hunks }]
  if (tool === 'Write') {
    const before = textField(result, 'originalFile') ?? ''
    return [{ path, isWhole: true, before, after: textField(input, 'content') ?? '' }]
  }
  if (tool === 'MultiEdit') return listField(input, 'edits').map((edit) => editChange(path, edit, null))
  if (tool === 'NotebookEdit')
    return [{ path, isWhole: false, before: '', after: textField(input, 'new_source') ?? '' }]
  return [editChange(path, input, textField(result, 'originalFile'))]
}

/** With the original file the diff has line numbers and context. */
function editChange(path: string, edit: unknown, file: string | null): Change {
  const old = textField(edit, 'old_string') ?? ''
  const fresh = textField(edit, 'new_string') ?? ''
  if (file === null || old === '' || !file.includes(old))
    return { path, isWhole: false, before: old, after: fresh }
  const isEverywhere = fieldsOf(edit)['replace_all'] === true
  const after = isEverywhere ? file.split(old).join(fresh) : file.replace(old, () => fresh)
  return { path, isWhole: true, before: file, after }
}
