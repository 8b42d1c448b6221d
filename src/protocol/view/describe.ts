/** Describes a tool call in a few words, for lists and titles. */

import { printable } from '../../lib/text/printable.js'

const MAX_CHARACTERS = 120

/** Paths in the workspace are shown relative to it. */
export function describeCall(tool: string, input: unknown, cwd?: string): string {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const detail = DETAILS.map((name) => fields[name]).find(
    (value) => typeof value === 'string' && value !== '',
  )
  if (typeof detail !== 'string') return tool
  const inside = cwd !== undefined && detail.startsWith(`${cwd}/`) ? detail.slice(cwd.length + 1) : detail
  const line = printable(inside.replaceAll(/\s+/g, ' ').trim())
  return `${tool}: ${line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line}`
}

/** The most descriptive input fields, best first. */
const DETAILS = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'url',
  'query',
  'pattern',
  'skill',
  'target_agent',
  'targetPath',
  'description',
]
