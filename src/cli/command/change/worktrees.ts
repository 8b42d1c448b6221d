/** `signalbox worktrees`: lists the worktrees of a repository, and merges, pushes or removes that of a session. */

import { resolve } from 'node:path'
import { HubError } from '../../../protocol/error.js'
import type { ChangeWorktree, WorktreeStatus } from '../../../protocol/worktree/worktree.js'
import { type CommandOptions, clientFor } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { findSessionId } from '../../short-id.js'

export interface WorktreeOptions extends CommandOptions {
  cwd?: string
  message?: string
  pr?: boolean
  force?: boolean
}

export async function worktrees(
  action: ChangeWorktree['action'] | 'show' | undefined,
  id: string | undefined,
  options: WorktreeOptions,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  if (action === undefined) {
    const reply = await client.listWorktrees({ query: { cwd: resolve(options.cwd ?? process.cwd()) } })
    if (options.json) terminal.json(reply)
    else
      terminal.out(
        table(
          [
            { title: 'branch', minWidth: 10 },
            { title: 'base' },
            { title: 'folder', minWidth: 12, wraps: true },
          ],
          reply.worktrees.map(({ branch, base, path, isMain }) => [
            branch ?? 'no branch',
            base ?? (isMain ? 'main folder' : ''),
            path,
          ]),
          { width: terminal.columns },
        ),
      )
    return EXIT.done
  }
  if (id === undefined)
    throw new HubError('request_invalid', `Name the session: signalbox worktrees ${action} ID.`)
  const params = { id: await findSessionId(client, id) }
  if (action === 'show') {
    const reply = await client.getWorktree({ params })
    if (options.json) terminal.json(reply)
    else terminal.out(`${statusText(reply.worktree)}\n`)
    return EXIT.done
  }
  const { message, pr, force } = options
  const body = {
    action,
    ...(message !== undefined && { message }),
    ...(pr && { pullRequest: true }),
    ...(force && { force: true }),
  }
  const reply = await client.changeWorktree({ params, body })
  if (options.json) terminal.json(reply)
  else {
    const { output, url, worktree } = reply.result
    if (output !== '') terminal.note(output)
    if (url !== null) terminal.out(`${url}\n`)
    terminal.note(worktree === null ? 'Removed the worktree and its branch.' : statusText(worktree))
  }
  return EXIT.done
}

function statusText({ branch, base, path, uncommitted, ahead, behind }: WorktreeStatus): string {
  return `${branch} in ${path}: ${uncommitted} files not committed, ${ahead} commits ahead of ${base}, ${behind} behind.`
}
