/** Decides about a tool call: allow, deny or ask, with the step that decided and the reason in words. */

import type { Grant } from '../protocol/request-event.js'
import type { PermissionMode } from '../protocol/value.js'

export interface PolicyCall {
  tool: string
  input: unknown
  mode: PermissionMode
  grants: readonly Grant[]
  /** The time, as in a grant's `until`. */
  now: string
  /** Whether a path, as a tool would use it, really lies in the workspace. */
  isInWorkspace(path: string): boolean
}

export interface Verdict {
  verdict: 'allow' | 'deny' | 'ask'
  /** The step or rule that decided. */
  rule: string
  reason: string
}

/** When nothing says otherwise, a person is asked; what only a person can answer is asked in every mode. */
export function evaluate(call: PolicyCall): Verdict {
  const { tool, mode } = call
  if (FOR_A_PERSON.has(tool)) return ask('for-a-person', 'Only a person can answer this.')
  if (escapesSandbox(call)) return ask('sandbox-escape', 'The command wants to leave the sandbox.')
  if (mode === 'bypassPermissions') return allow('mode:bypassPermissions', 'The session runs without asking.')
  if (mode === 'acceptEdits' && EDITS.has(tool) && pathOf(call.input) !== null && isInWorkspace(call)) {
    return allow('mode:acceptEdits', 'The session accepts edits in its workspace.')
  }
  const grant = call.grants.find((candidate) => isGranted(candidate, call))
  if (grant) return allow('grant', 'A person has allowed this before.')
  if (HARMLESS.has(tool)) return allow('harmless', 'The tool changes nothing outside the conversation.')
  if (READERS.has(tool) && isInWorkspace(call)) return allow('read', 'Reading in the workspace.')
  if (mode === 'dontAsk') return { verdict: 'deny', rule: 'mode:dontAsk', reason: 'The session may not ask.' }
  return ask('no-rule', `No rule allows ${tool}.`)
}

const FOR_A_PERSON = new Set(['AskUserQuestion', 'ExitPlanMode'])
const EDITS = new Set(['Edit', 'Write', 'NotebookEdit'])
const READERS = new Set(['Read', 'Glob', 'Grep'])
/** What Claude Code runs without asking in every mode, as far as it touches neither files nor the network. */
const HARMLESS = new Set([
  'Agent',
  'EnterPlanMode',
  'ReportFindings',
  'Skill',
  'Task',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskStop',
  'TaskUpdate',
  'TodoWrite',
  'ToolSearch',
])

function allow(rule: string, reason: string): Verdict {
  return { verdict: 'allow', rule, reason }
}

function ask(rule: string, reason: string): Verdict {
  return { verdict: 'ask', rule, reason }
}

function isGranted(grant: Grant, { tool, input, now }: PolicyCall): boolean {
  if (grant.tool !== tool || (grant.until !== undefined && grant.until <= now)) return false
  return grant.command === undefined || grant.command === commandOf(input)
}

/** What "allow all of these" means for a call: the tool, and for a shell nothing wider than this very command. */
export function grantFor(tool: string, input: unknown): Grant {
  const command = commandOf(input)
  return { tool, ...(command !== null && { command }) }
}

function escapesSandbox({ input }: PolicyCall): boolean {
  return field(input, 'dangerouslyDisableSandbox') === true
}

/** A tool without a path works in the working directory. */
function isInWorkspace({ input, isInWorkspace: isInside }: PolicyCall): boolean {
  const path = pathOf(input)
  return path === null ? !leadsElsewhere(field(input, 'pattern')) : isInside(path)
}

/** A glob may name another place than the working directory. */
function leadsElsewhere(pattern: unknown): boolean {
  return typeof pattern !== 'string' || /^[/~]|\.\./.test(pattern)
}

function pathOf(input: unknown): string | null {
  const path = field(input, 'file_path') ?? field(input, 'notebook_path') ?? field(input, 'path')
  return typeof path === 'string' ? path : null
}

function commandOf(input: unknown): string | null {
  const command = field(input, 'command')
  return typeof command === 'string' ? command : null
}

function field(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined
}
