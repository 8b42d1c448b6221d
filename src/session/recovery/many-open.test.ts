/** A start with more open sessions than are recovered before it serves clients. */

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ids, sessionCreated, turnStarted } from '../../../test/support/build.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { openSqliteStore } from '../../store/sqlite/store.js'

const COUNT = 300

async function setup() {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  onTestFinished(() => store.close())
  const at = new Date().toISOString()
  const groups = Array.from({ length: COUNT }, () => ({
    sessionId: ids.next('ses'),
    drafts: [sessionCreated(), turnStarted(ids.next('trn'))].map((draft) => ({
      ...draft,
      id: ids.next('evt'),
      at,
    })),
  }))
  await store.append(groups)
  return { store }
}

test('a start does not wait for many sessions, and no list shows one as the previous run has left it', async () => {
  const { store } = await setup()

  const { hub } = await createTestRuntime({ store })

  expect(await store.sessions({ state: 'working', limit: COUNT })).toHaveLength(COUNT)
  const page = await hub.sessions({ limit: 50 })
  expect(page).toHaveLength(50)
  expect(page.map(({ state, turn }) => [state, turn])).toEqual(page.map(() => ['idle', null]))
  // Only what is in the list is recovered for it.
  expect((await store.sessions({ state: 'working', limit: COUNT })).length).toBeGreaterThan(0)
  expect(await hub.sessions({ state: 'working' })).toEqual([])
  expect(await hub.sessions({ limit: COUNT })).toHaveLength(COUNT)
})
