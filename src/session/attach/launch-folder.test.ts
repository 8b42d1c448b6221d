import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { startTokenOf } from '../../lib/start-token.js'
import { LaunchFolders } from './launch-folder.js'

async function setup() {
  const path = join(await temporaryFolder(), 'run')
  const folders = new LaunchFolders(path)
  return { path, folders, folder: folders.create() }
}

test('a launch folder has the record of its process, for its owner only', async () => {
  const { path, folders, folder } = await setup()
  folder.write({ sessionId: 'ses_1', mark: 'home/1' })
  folder.noteProcess(process.pid)

  const [found] = folders.list()

  expect(found?.record).toEqual({ format: 1, sessionId: 'ses_1', mark: 'home/1' })
  expect(found?.process).toEqual({ pid: process.pid, startToken: startTokenOf(process.pid) })
  for (const own of [path, folder.path]) expect(statSync(own).mode & 0o777).toBe(0o700)
  for (const name of ['launch.json', 'pid']) expect(statSync(folder.file(name)).mode & 0o777).toBe(0o600)
})

test('a record of another version, a damaged one and none are no record', async () => {
  const { folder } = await setup()
  expect([folder.record, folder.process]).toEqual([null, null])

  writeFileSync(folder.file('launch.json'), '{"format":2,"sessionId":"ses_1","mark":"home/1"}')
  writeFileSync(folder.file('pid'), 'nonsense')
  expect([folder.record, folder.process]).toEqual([null, null])

  writeFileSync(folder.file('launch.json'), '{"format":1,"sess')
  expect(folder.record).toBeNull()
})

test('a folder that was removed is not listed any more', async () => {
  const { folders, folder } = await setup()
  expect(folders.list().map(({ id }) => id)).toEqual([folder.id])

  folder.remove()
  folder.remove()

  expect(folders.list()).toEqual([])
  expect(new LaunchFolders('/nowhere').list()).toEqual([])
})
