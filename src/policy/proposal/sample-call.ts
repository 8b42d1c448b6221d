/** An example of a call that a rule is about, to show its effect where no request has led to it. */

import { join } from 'node:path'
import type { PolicyRule } from '../../protocol/policy/policy.js'
import { EDIT_TOOLS, SHELL_TOOLS } from '../tool/judge-tool.js'

export interface SampleCall {
  tool: string
  input: Record<string, string>
}

const EXAMPLE = 'example'
const READING: ReadonlySet<string> = new Set(['look', 'read'])

/** Wildcards are replaced by an ordinary word. Null: the rule names neither a tool nor a command nor a file. */
export function sampleCall({ when }: PolicyRule, cwd: string): SampleCall | null {
  const { tools = [], commands: [command] = [], paths: [path] = [], access } = when
  const named = tools.find((name) => !/[*?[\]{}]/.test(name)) ?? null
  if (command !== undefined && (named === null || SHELL_TOOLS.has(named)))
    return { tool: named ?? 'Bash', input: { command: commandLike(command) } }
  if (path !== undefined) {
    const isReading = access?.every((kind) => READING.has(kind)) ?? false
    const tool = named ?? (isReading ? 'Read' : 'Write')
    return fileCall(tool, pathLike(path, cwd))
  }
  if (named === null) return null
  if (SHELL_TOOLS.has(named)) return { tool: named, input: { command: EXAMPLE } }
  return EDIT_TOOLS.has(named) || named === 'Read'
    ? fileCall(named, pathLike(EXAMPLE, cwd))
    : { tool: named, input: {} }
}

function fileCall(tool: string, path: string): SampleCall {
  const field = tool === 'NotebookEdit' ? 'notebook_path' : 'file_path'
  return { tool, input: { [field]: path } }
}

/** Words of a pattern are separated by spaces that are not escaped. */
function commandLike(pattern: string): string {
  const words = pattern.match(/(?:\\[^]|[^\\\s])+/g) ?? []
  return words
    .filter((word) => word !== '**' && word !== '-**')
    .map(wordLike)
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

function wordLike(pattern: string): string {
  return pattern
    .replaceAll(
      /\[[^[\]\\]*\]\*?|\*+|\?|\{([^{},]*)(?:,[^{}]*)?\}|\\([^])/g,
      (_, choice?: string, escaped?: string) => (escaped === undefined ? (choice ?? EXAMPLE) : escaped),
    )
    .replaceAll(/(?:example){2,}/g, EXAMPLE)
}

function pathLike(pattern: string, cwd: string): string {
  const path = wordLike(pattern)
  return /^[/~]/.test(path) ? path : join(cwd, path)
}
