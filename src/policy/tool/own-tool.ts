/** Tools of our own whose calls are known to do no more than one of Claude Code's tools does. */

import { agentNameOf } from '../../protocol/tool.js'

/** What a call of ours comes to: reading, looking or writing at a path, or nothing that anybody needs to be asked about. */
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

/** Null for all others: tools of people's own files, and the one that starts other agents, are asked about. */
export function ownTool(tool: string): OwnTool | null {
  return Object.hasOwn(OWN, tool) ? (OWN[tool] ?? null) : null
}

/** The tool of ours that edits files. */
export const OWN_EDIT = agentNameOf('text_edit_tool')
