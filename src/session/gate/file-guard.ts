/** Which files our own tools may use: what the policy denies to the CLI's tools, it denies to ours, by the real path. */

import type { Journal } from '../../journal/journal.js'
import { evaluate } from '../../policy/evaluate.js'
import { nodeFileSystem } from '../../policy/file/node-file-system.js'
import { HubError } from '../../protocol/error.js'
import type { Policy } from '../../protocol/policy/policy.js'
import type { Session } from '../../protocol/session.js'
import type { FileGuard } from '../../tool/file/guard.js'

export interface FileGuardDeps {
  journal: Journal
  policyFor(session: Session): Promise<Policy>
  /** The home of the user that the agents run as. */
  home: string
  now(): string
}

/** The call itself has been judged at the gate; this is about where its path really leads. */
export function createFileGuard({ journal, policyFor, home, now }: FileGuardDeps): FileGuard {
  return async ({ sessionId, operation, path, workspace }) => {
    const session = await journal.session(sessionId)
    if (!session) return { allowed: false, reason: 'Its session is gone.' }
    const { permissionMode: mode, grants } = session
    try {
      const { verdict, reason } = evaluate(
        {
          tool: operation === 'read' ? 'Read' : 'Edit',
          input: { file_path: path },
          // There is no prompt on this path, so `dontAsk` counts as the default mode.
          mode: mode === 'dontAsk' ? 'default' : mode,
          cwd: workspace,
          workspace,
          home,
          grants,
          now: now(),
          fs: nodeFileSystem(),
        },
        await policyFor(session),
      )
      return verdict === 'deny' ? { allowed: false, reason } : { allowed: true }
    } catch (error) {
      const problem = error instanceof HubError ? error.message : 'It failed.'
      return { allowed: false, reason: `Cannot read the policy. ${problem}` }
    }
  }
}
