import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { readConfig } from '../config.js'
import { lockFile } from '../store/home-lock.js'
import {
  digestOfBuild,
  hasOwnRunner,
  makeRunnerPlace,
  readLinkKey,
  refuseOwnRunner,
  runnerPlace,
} from './runner-place.js'

test('each start makes a new key, which only the owner of the home can read', async () => {
  const home = await temporaryFolder()
  expect(readLinkKey(runnerPlace(home))).toBe('')

  const first = makeRunnerPlace(home)
  const second = makeRunnerPlace(home)

  expect(first.key).toMatch(/^[0-9a-f]{64}$/)
  expect(second.key).not.toBe(first.key)
  expect(readLinkKey(runnerPlace(home))).toBe(second.key)
  expect([first.folder, first.keyFile].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
})

test('a home with a path that is too long for a socket is refused', () => {
  expect(() => makeRunnerPlace(join('/nowhere', 'a'.repeat(100)))).toThrow('too long for a socket')
})

test('a runner that runs is known by its lock, and what would conflict with it is refused', async () => {
  const home = await temporaryFolder()
  expect(await hasOwnRunner(home)).toBe(false)
  const { lock } = makeRunnerPlace(home)
  const held = await lockFile(lock)

  expect(await hasOwnRunner(home)).toBe(true)
  await expect(refuseOwnRunner(home)).rejects.toMatchObject({ code: 'daemon_running' })

  held.release()
  expect(await hasOwnRunner(home)).toBe(false)
  await refuseOwnRunner(home)
})

test('a runner is of another build with another policy, model or version, but not with another port', async () => {
  const home = await temporaryFolder()
  const digestWith = (flags: Record<string, unknown>, version = '1', scripted: true | null = null) =>
    digestOfBuild({ version, config: readConfig(home, flags, {}), scripted })
  const own = digestWith({})

  expect(digestWith({ port: '0' })).toBe(own)
  expect(digestWith({ policy: 'careful' })).not.toBe(own)
  expect(digestWith({}, '2')).not.toBe(own)
  expect(digestWith({}, '1', true)).not.toBe(own)
})
