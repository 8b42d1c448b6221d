/** A merge changes files where the base is checked out: not while a session works there. */

import { expect, test } from 'vitest'
import type { Session } from '../protocol/session.js'
import { createHubWorktrees, type HubWorktreesDeps } from './worktrees.js'

const KIM = { who: 'kim', via: 'cli' } as const
const WORKTREE = {
  path: '/shop.worktrees/a',
  repository: '/shop',
  name: 'a',
  branch: 'signalbox/a',
  base: 'main',
}

function setup(busyIn: string) {
  const calls: string[] = []
  const busy = { id: 'ses_busy', cwd: busyIn, turn: {}, tasks: {}, agents: {} } as unknown as Session
  const trees = [
    { path: '/shop', branch: 'side' },
    { path: '/shop.main', branch: 'main' },
  ]
  const deps = {
    store: { sessions: async () => [busy] },
    bus: {
      call: async ({ type }: { type: string }) => {
        calls.push(type)
        return type === 'worktree.list' ? trees : { url: null }
      },
    },
    journal: { append: async () => {} },
    clock: { now: () => 0 },
    session: async () => ({ id: 'ses_1', machine: 'local', worktree: { ...WORKTREE, isRemoved: false } }),
  }
  // Cast: only what is used here.
  return { calls, worktrees: createHubWorktrees(deps as unknown as HubWorktreesDeps) }
}

test('a worktree is merged while a session works elsewhere, and not while one works where the base is', async () => {
  const free = setup('/shop')
  await free.worktrees.change('ses_1', { action: 'merge' }, KIM)
  expect(free.calls).toEqual(['worktree.list', 'worktree.change'])

  const taken = setup('/shop.main/packages')
  const merged = taken.worktrees.change('ses_1', { action: 'merge' }, KIM)

  await expect(merged).rejects.toMatchObject({
    code: 'workspace_busy',
    details: { sessionIds: ['ses_busy'] },
  })
  expect(taken.calls).toEqual(['worktree.list'])
  await taken.worktrees.change('ses_1', { action: 'rebase' }, KIM)
})
