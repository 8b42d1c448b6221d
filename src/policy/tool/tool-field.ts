/**
 * The fields of Claude Code's own tools that may run without a question. A field that is not listed, or a value of
 * another kind, may have an effect that was never judged: `Agent` with `isolation` makes a work tree.
 */

import { ownEntry } from '../../lib/own-entry.js'
import { reason } from '../../protocol/reason/reason.js'
import type { Finding } from '../finding.js'
import { ask } from './judge-path.js'

type Kind = 'text' | 'number' | 'boolean' | 'any' | readonly string[]
type FieldsOf = Readonly<Record<string, Kind>>

const AGENT: FieldsOf = {
  description: 'text',
  prompt: 'text',
  subagent_type: 'text',
  model: 'text',
  effort: 'text',
  run_in_background: 'boolean',
  name: 'text',
  team_name: 'text',
  resume: 'text',
  max_turns: 'number',
  // Claude Code ignores the mode today; a freer one is asked all the same.
  mode: ['default', 'plan', 'dontAsk'],
}

const TASK: FieldsOf = { subject: 'text', description: 'text', activeForm: 'text', metadata: 'any' }

const FIELDS: Readonly<Record<string, FieldsOf>> = {
  Read: { file_path: 'text', offset: 'number', limit: 'number', pages: 'text', allow_large: 'boolean' },
  Glob: { pattern: 'text', path: 'any' },
  Grep: {
    pattern: 'text',
    path: 'any',
    glob: 'text',
    type: 'text',
    output_mode: ['content', 'files_with_matches', 'count'],
    '-A': 'number',
    '-B': 'number',
    '-C': 'number',
    context: 'number',
    '-n': 'boolean',
    '-i': 'boolean',
    '-o': 'boolean',
    head_limit: 'number',
    offset: 'number',
    multiline: 'boolean',
  },
  Agent: AGENT,
  Task: AGENT,
  EnterPlanMode: {},
  ReportFindings: { level: 'text', findings: 'any' },
  TaskCreate: TASK,
  TaskGet: { taskId: 'text' },
  TaskList: {},
  TaskStop: { task_id: 'text', shell_id: 'text' },
  TaskUpdate: {
    ...TASK,
    taskId: 'text',
    status: 'text',
    addBlocks: 'any',
    addBlockedBy: 'any',
    owner: 'text',
  },
  TodoWrite: { todos: 'any' },
  ToolSearch: { query: 'text', max_results: 'number' },
}

/** Finds the fields that keep a call of one of these tools from being allowed without a question. */
export function judgeFields(tool: string, fields: Readonly<Record<string, unknown>>): Finding[] {
  const known = ownEntry(FIELDS, tool)
  if (known === undefined) return []
  for (const [field, value] of Object.entries(fields)) {
    const kind = ownEntry(known, field)
    if (kind === undefined) return [ask('malformed', reason('tool.unlisted-field', { tool, field }))]
    if (value !== undefined && value !== null && !isOf(kind, value))
      return [ask('malformed', reason('tool.unlisted-value', { tool, field }))]
  }
  return []
}

/** Models also write numbers and booleans as text. */
function isOf(kind: Kind, value: unknown): boolean {
  if (kind === 'any') return true
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'number')
    return Number.isFinite(value) || (typeof value === 'string' && /^\d{1,9}$/.test(value))
  if (kind === 'boolean') return typeof value === 'boolean' || value === 'true' || value === 'false'
  return typeof value === 'string' && kind.includes(value)
}
