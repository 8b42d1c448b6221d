/** Signalbox tools whose calls have no more effect than one of Claude Code's built-in tools. */

import { agentNameOf } from '../../protocol/tool.js'

/** The effect of a call: reading, listing or writing a path, or none that needs permission. */
export type OwnTool =
  | { kind: 'read' | 'look' | 'write'; field: string; isOptional: boolean }
  | { kind: 'harmless' }

const OWN: Readonly<Record<string, OwnTool>> = {
  [agentNameOf('file_reader')]: { kind: 'read', field: 'path', isOptional: false },
  [agentNameOf('directory_lister')]: { kind: 'look', field: 'targetPath', isOptional: true },
  [agentNameOf('text_edit_tool')]: { kind: 'write', field: 'path', isOptional: false },
  [agentNameOf('datetime')]: { kind: 'harmless' },
  [agentNameOf('attempt_completion')]: { kind: 'harmless' },
}

/**
 * Null for all others: the policy asks about tools from the user's own files, and about the one that starts other
 * agents.
 */
export function ownTool(tool: string): OwnTool | null {
  return Object.hasOwn(OWN, tool) ? (OWN[tool] ?? null) : null
}

export const OWN_EDIT = agentNameOf('text_edit_tool')
