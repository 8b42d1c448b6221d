/** Selects the judge for a call by its tool. */

import { asRecord, asText } from '../../lib/read-json.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import type { Finding } from '../finding.js'
import { hostOf } from '../program/system/host.js'
import { readShell } from '../shell/read-shell.js'
import { judgeForeignTool } from './foreign-tool.js'
import { ask, judgePath, judgePaths } from './judge-path.js'
import { judgeGlob, judgeSearch } from './judge-search.js'
import { judgeSkill } from './judge-skill.js'
import { OWN_EDIT, ownTool } from './own-tool.js'
import { judgeFields } from './tool-field.js'
import type { ToolFindings } from './tool-findings.js'
import { readWindowsShell } from './windows-shell.js'

export const SHELL_TOOLS: ReadonlySet<string> = new Set(['Bash', 'Monitor', 'PowerShell'])
export const EDIT_TOOLS: ReadonlySet<string> = new Set([
  'Edit',
  'Write',
  'MultiEdit',
  'NotebookEdit',
  OWN_EDIT,
])

export function judgeTool(tool: string, input: unknown, environment: CallEnvironment): ToolFindings {
  const judged = judgeByTool(tool, input, environment)
  const strange = judgeFields(tool, asRecord(input))
  return strange.length === 0 ? judged : { ...judged, findings: [...judged.findings, ...strange] }
}

function judgeByTool(tool: string, input: unknown, environment: CallEnvironment): ToolFindings {
  const fields = asRecord(input)
  switch (tool) {
    case 'Bash':
    case 'Monitor':
    case 'PowerShell':
      return judgeShellTool(tool, fields, environment)
    case 'Read':
      return judgeRead(fields, environment)
    case 'Grep':
      return judgeSearch(fields, environment)
    case 'Glob':
      return judgeGlob(fields, environment)
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
      return judgeEdit(tool, fields, 'file_path', environment)
    case 'NotebookEdit':
      return judgeEdit(tool, fields, 'notebook_path', environment)
    case 'Skill':
      return judgeSkill(fields, environment)
    case 'WebFetch':
    case 'WebSearch':
      return only(ask('network', requestReason(tool, fields)))
    default:
      return judgeOwnTool(tool, fields, environment) ?? judgeForeignTool(tool, input, environment)
  }
}

/**
 * Null if it is not one of our own tools with known effects. Their paths are relative to the workspace, not to the
 * shell's working directory.
 */
function judgeOwnTool(
  tool: string,
  fields: Readonly<Record<string, unknown>>,
  environment: CallEnvironment,
): ToolFindings | null {
  const own = ownTool(tool)
  if (own === null) return null
  if (own.kind === 'harmless') return only()
  const here = { ...environment, folder: environment.workspace }
  if (own.kind === 'write') return judgeEdit(tool, fields, own.field, here)
  const path = own.isOptional && fields[own.field] === undefined ? '.' : asText(fields[own.field])
  if (path === null || path === '') return only(ask('malformed', reason('tool.no-path', { tool })))
  return atPath(own.kind, path, here)
}

function only(...findings: Finding[]): ToolFindings {
  return { findings, uses: [], shell: null }
}

const BASH_FIELDS = new Set([
  'command',
  'description',
  'timeout',
  'run_in_background',
  'dangerouslyDisableSandbox',
])

function judgeShellTool(
  tool: string,
  fields: Readonly<Record<string, unknown>>,
  environment: CallEnvironment,
): ToolFindings {
  const command = asText(fields['command'])
  if (command === null) return only(ask('malformed', reason('tool.no-command', { tool })))
  const shell =
    tool === 'PowerShell' ? readWindowsShell(command, environment) : readShell(command, environment)
  const findings = [...shell.findings]
  if (tool !== 'Bash') findings.push(ask('tool', reason('tool.not-bash', { tool })))
  const strange = Object.keys(fields).find((name) => !BASH_FIELDS.has(name))
  if (tool === 'Bash' && strange !== undefined)
    findings.push(ask('malformed', reason('tool.unknown-field', { tool, field: strange })))
  return { findings, uses: shell.uses, shell }
}

function judgeRead(fields: Readonly<Record<string, unknown>>, environment: CallEnvironment): ToolFindings {
  const path = asText(fields['file_path'])
  if (path === null || path === '') return only(ask('malformed', reason('tool.no-path', { tool: 'Read' })))
  return atPath('read', path, environment)
}

function atPath(access: 'read' | 'look' | 'write', path: string, environment: CallEnvironment): ToolFindings {
  const { findings, targets } = judgePath(access, path, environment)
  return { findings, uses: targets.map((target) => ({ access, target, command: null })), shell: null }
}

/** A path with the wrong type or under another key makes the policy ask, but the path is judged all the same. */
function judgeEdit(
  tool: string,
  fields: Readonly<Record<string, unknown>>,
  name: string,
  environment: CallEnvironment,
): ToolFindings {
  const path = asText(fields[name])
  if (path !== null && path !== '') return atPath('write', path, environment)
  const named = textsIn([fields['file_path'], fields['notebook_path'], fields['path'], fields['filePath']])
  return only(
    ...judgePaths('write', named, environment).findings,
    ask('malformed', reason('tool.no-path', { tool })),
  )
}

/** Names the host if it can be read, otherwise the tool. */
function requestReason(tool: string, { url }: Readonly<Record<string, unknown>>): Reason {
  const host = asText(url) === null ? null : hostOf(asText(url) ?? '')
  return host === null ? reason('tool.network', { tool }) : reason('tool.fetch', { tool, host })
}

/** The strings in a value, nested up to a limit. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value !== 'object' || value === null || depth > 4) return []
  return Object.values(value)
    .slice(0, 100)
    .flatMap((item) => textsIn(item, depth + 1))
}
