/** Two sessions that change the same file are named to each other once, in folders that contain each other. */

import { expect, test } from 'vitest'
import { SESSION } from '../protocol/example/value-example.js'
import type { Session } from '../protocol/session.js'
import { Overlaps } from './overlap.js'

function overlapsOf(sessions: Partial<Session>[]) {
  const all = sessions.map((given): Session => ({ ...SESSION, endedAt: null, ...given }))
  return new Overlaps({
    store: {
      session: async (id) => all.find((one) => one.id === id) ?? null,
      sessions: async () => all,
      readSession: async () => [],
    },
  })
}

const named = (found: Awaited<ReturnType<Overlaps['find']>>) =>
  found.map(({ sessionId, draft }) => [sessionId, draft.data])

test('both sessions get the path as it is in their own folder, once for each file', async () => {
  const overlaps = overlapsOf([
    { id: 'ses_1', cwd: '/repo' },
    { id: 'ses_2', cwd: '/repo/web' },
    { id: 'ses_3', cwd: '/other' },
  ])

  expect(await overlaps.find('ses_1', ['/repo/web/a.ts', '/repo/b.ts'])).toEqual([])
  expect(named(await overlaps.find('ses_2', ['/repo/web/a.ts', '/repo/web/c.ts']))).toEqual([
    ['ses_2', { sessionId: 'ses_1', files: ['a.ts'] }],
    ['ses_1', { sessionId: 'ses_2', files: ['web/a.ts'] }],
  ])
  expect(await overlaps.find('ses_1', ['/repo/web/a.ts'])).toEqual([])
  expect(await overlaps.find('ses_3', ['/other/a.ts'])).toEqual([])
})

test('a session that has ended is not named, nor a file beside the folder', async () => {
  const overlaps = overlapsOf([
    { id: 'ses_1', cwd: '/repo', endedAt: '2026-11-15T12:00:00.000Z' },
    { id: 'ses_2', cwd: '/repo' },
    { id: 'ses_3', cwd: '/repository' },
  ])

  await overlaps.find('ses_1', ['/repo/a'])
  await overlaps.find('ses_3', ['/repository/a'])

  expect(await overlaps.find('ses_2', ['/repo/a'])).toEqual([])
})
