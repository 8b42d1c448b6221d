/** Databases of older versions, as those versions have written them. */

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ids } from '../../../test/support/build.js'
import { keptHome } from '../../../test/support/kept-home.js'
import { openSqliteStore } from './store.js'

async function open(path: string) {
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  onTestFinished(() => store.close())
  return store
}

test('sessions and trust of a home without machines belong to this machine', async () => {
  const store = await open(join(await keptHome(19), 'signalbox.db'))

  const sessions = await store.sessions()

  expect(sessions.map(({ title, machine, state }) => [title, machine, state])).toEqual([
    ['Queued', 'local', 'idle'],
    ['Waiting', 'local', 'permission'],
    ['Done', 'local', 'ended'],
  ])
  expect(await store.sessions({ machine: 'local' })).toEqual(sessions)
  expect(await store.activeSessions('local')).toHaveLength(2)
  expect(await store.resumePoints()).toEqual([])
  expect(await store.trustedWorkspaces()).toEqual([
    { machine: 'local', path: '/srv/app', trustedAt: '2026-11-01T10:00:00.000Z', trustedBy: 'kim' },
  ])
})

test('the processes that an older version has recorded are known once, to be killed', async () => {
  const path = join(await keptHome(19), 'signalbox.db')
  const first = await open(path)
  expect(first.oldProcesses.map((process) => ({ ...process }))).toEqual([
    { pid: 4194303, startToken: 'of another boot' },
  ])
  await first.close()

  expect((await open(path)).oldProcesses).toEqual([])
})
