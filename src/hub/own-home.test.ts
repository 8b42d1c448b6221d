/** A session whose workspace would give away our own home is refused. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestRuntime } from '../../test/support/test-runtime.js'

const ada = { who: 'ada', via: 'cli' } as const

async function setup() {
  const runtime = await createTestRuntime()
  await mkdir(join(runtime.folder, 'home/sample-workspace'), { recursive: true })
  const create = (cwd: string, permissionMode: 'default' | 'bypassPermissions') =>
    runtime.hub.createSession({ cwd, permissionMode }, ada)
  return { ...runtime, create, home: join(runtime.folder, 'home') }
}

test('a folder of the home is no workspace, but the sample workspace is', async () => {
  const { create, home } = await setup()

  await expect(create(home, 'default')).rejects.toMatchObject({ code: 'workspace_not_allowed' })
  await mkdir(join(home, 'logs'), { recursive: true })
  await expect(create(join(home, 'logs'), 'default')).rejects.toMatchObject({ code: 'workspace_not_allowed' })
  expect((await create(join(home, 'sample-workspace'), 'bypassPermissions')).permissionMode).toBe(
    'bypassPermissions',
  )
})

test('a workspace that holds the home is none for a session that runs without asking', async () => {
  const { create, folder, hub } = await setup()

  await expect(create(folder, 'bypassPermissions')).rejects.toMatchObject({ code: 'workspace_not_allowed' })
  const { id } = await create(folder, 'default')
  await expect(hub.change(id, { permissionMode: 'bypassPermissions' }, ada)).rejects.toMatchObject({
    code: 'workspace_not_allowed',
  })
  expect((await hub.session(id)).permissionMode).toBe('default')
})

test('a workspace beside the home is as free as any', async () => {
  const { create, cwd } = await setup()
  expect((await create(cwd, 'bypassPermissions')).cwd).toBe(cwd)
})
