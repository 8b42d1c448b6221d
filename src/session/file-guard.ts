/** Which files our own tools may use: what the policy denies to the CLI's tools, it denies to ours, by the real path. */

import type { Journal } from '../journal.js'
import { evaluate } from '../policy/evaluate.js'
import { isInWorkspace } from '../policy/workspace-path.js'
import type { FileGuard } from '../tool/file/guard.js'

/** The call itself has been judged at the gate; this is about where its path really leads. */
export function createFileGuard({ journal, now }: { journal: Journal; now(): string }): FileGuard {
  return async ({ sessionId, operation, path, workspace }) => {
    const session = await journal.session(sessionId)
    const mode = session?.permissionMode ?? 'default'
    const { verdict, reason } = evaluate({
      tool: operation === 'read' ? 'Read' : 'Edit',
      input: { file_path: path },
      // Nobody is asked here: whether the session may ask does not matter.
      mode: mode === 'dontAsk' ? 'default' : mode,
      grants: session?.grants ?? [],
      now: now(),
      isInWorkspace: (candidate) => isInWorkspace(workspace, candidate),
    })
    return verdict === 'deny' ? { allowed: false, reason } : { allowed: true }
  }
}
