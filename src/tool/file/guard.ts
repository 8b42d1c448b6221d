/** Protected files: the owner of the tools decides what may be read and written. */

import { ToolFailure } from '../tool.js'
import type { Place } from './place.js'

export interface FileAccess {
  sessionId: string
  operation: 'read' | 'write'
  /** The real path, every link followed. It need not exist. */
  path: string
  workspace: string
}

/** Whether a file in the workspace may be used, and if not, why. */
export type FileGuard = (access: FileAccess) => Promise<FileVerdict> | FileVerdict
export type FileVerdict = { allowed: true } | { allowed: false; reason: string }

export async function askGuard(
  guard: FileGuard,
  operation: FileAccess['operation'],
  place: Place,
  sessionId: string,
): Promise<void> {
  const verdict = await guard({ sessionId, operation, path: place.path, workspace: place.root })
  if (verdict.allowed) return
  throw new ToolFailure(
    `${place.shown} may not be ${operation === 'read' ? 'read' : 'written'}: ${verdict.reason}`,
  )
}
