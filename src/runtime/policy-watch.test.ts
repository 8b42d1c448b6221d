import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ids } from '../../test/support/build.js'
import { createManualClock } from '../../test/support/manual-clock.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { recordOf } from '../audit/chain.js'
import { createMemoryStore } from '../store/memory.js'
import { createPolicyWatch } from './policy-watch.js'

async function setup() {
  const path = join(await temporaryFolder(), 'policy.jsonc')
  await writeFile(path, '{}', { mode: 0o600 })
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const open = () => createPolicyWatch({ path, store, clock: createManualClock() })
  const rows = async () => (await store.audit()).map(recordOf).filter(({ kind }) => kind === 'policy.changed')
  return { path, open, rows }
}

test('a change by hand is in the audit, whether the daemon runs or not; a change of ours is not there twice', async () => {
  const { path, open, rows } = await setup()
  const watch = open()
  await watch.check()
  expect(await rows()).toEqual([])

  await writeFile(path, '{ "preset": "classic" }')
  await watch.check()
  await watch.check()
  expect(await rows()).toEqual([expect.objectContaining({ by: 'file', who: null, subject: path })])

  await writeFile(path, '{ "preset": "careful" }')
  await watch.accept()
  await watch.check()
  expect(await rows()).toHaveLength(1)

  await rm(path)
  await open().check()
  expect(await rows()).toHaveLength(2)
})

test('nothing is judged by a file that other users could have changed', async () => {
  const { path, open } = await setup()
  await chmod(path, 0o666)
  await expect(open().check()).rejects.toMatchObject({
    code: 'policy_invalid',
    message: expect.stringContaining(`chmod go-w ${path}`),
  })
})
