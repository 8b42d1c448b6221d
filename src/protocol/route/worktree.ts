/** Routes for worktrees: list them, and what a user does with that of a session. */

import { z } from 'zod'
import { fieldsFor } from '../option/field-role.js'
import { ChangeWorktree, Worktree, WorktreeResult, WorktreeStatus } from '../worktree/worktree.js'
import { BASE, type Route, sessionParams } from './shape.js'

export const worktreeRoutes = {
  listWorktrees: {
    method: 'GET',
    path: `${BASE}/worktrees`,
    role: 'operator', // It runs git in the repository.
    summary: 'List the working trees of the repository of a folder',
    query: z.strictObject({ cwd: z.string().min(1).max(4_096) }),
    status: 200,
    reply: z.strictObject({ worktrees: z.array(Worktree) }),
  },
  getWorktree: {
    method: 'GET',
    path: `${BASE}/sessions/:id/worktree`,
    role: 'operator', // It runs git in the repository.
    summary:
      'Get the state of the worktree of a session: what is not committed, and how far it is from its base',
    params: sessionParams,
    status: 200,
    reply: z.strictObject({ worktree: WorktreeStatus }),
  },
  changeWorktree: {
    method: 'POST',
    path: `${BASE}/sessions/:id/worktree`,
    role: 'operator',
    steers: 'session',
    summary: 'Commit, merge, rebase, push or remove the worktree of a session',
    params: sessionParams,
    body: ChangeWorktree,
    fields: fieldsFor('operator', 'action', 'message', 'pullRequest', 'force'),
    status: 200,
    reply: z.strictObject({ result: WorktreeResult }),
  },
} as const satisfies Record<string, Route>
