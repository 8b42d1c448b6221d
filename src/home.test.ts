import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.js'
import { homePath, lockHome, openHome, readAddress, readToken, writeAddress } from './home.js'

async function aHome() {
  return openHome(join(await temporaryFolder(), 'home'))
}

test('a home is for its owner only', async () => {
  const { path } = await aHome()
  expect((await stat(path)).mode & 0o777).toBe(0o700)
})

test('the token is made once, and nobody else may read it', async () => {
  const home = await aHome()
  const file = join(home.path, 'token')
  const token = 'a'.repeat(43)
  expect(readToken(home, () => token)).toBe(token)
  await chmod(file, 0o644)

  expect(readToken(home, () => 'b'.repeat(43))).toBe(token)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test.each(['', '\n', 'short'])('a token that could keep nobody out is replaced: %j', async (text) => {
  const home = await aHome()
  await writeFile(join(home.path, 'token'), text)
  const token = 'c'.repeat(43)

  expect(readToken(home, () => token)).toBe(token)
  expect(readToken(home, () => 'another')).toBe(token)
})

test('one daemon at a time holds a home, and the next one is told where it is', async () => {
  const home = await aHome()
  const lock = await lockHome(home)
  writeAddress(home, { url: 'http://127.0.0.1:4747', pid: 7 })

  await expect(lockHome(home)).rejects.toMatchObject({
    code: 'daemon_running',
    message: expect.stringContaining('http://127.0.0.1:4747 (pid 7)'),
  })
  lock.release()
  lock.release()
  expect(readAddress(home.path)).toBeNull()
  ;(await lockHome(home)).release()
})

test('a process that was killed holds nothing any more', async () => {
  const home = await aHome()
  const code = `
    import { DatabaseSync } from '@photostructure/sqlite'
    // Kept by name: a database that nobody refers to is collected, and its lock goes with it.
    globalThis.held = new DatabaseSync(${JSON.stringify(join(home.path, 'lock'))})
    held.exec('BEGIN EXCLUSIVE')
    console.log('held')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  await expect(lockHome(home)).rejects.toMatchObject({ code: 'daemon_running' })

  holder.kill('SIGKILL')
  await once(holder, 'exit')

  ;(await lockHome(home)).release()
})

test('an address that can not be read is no address', async () => {
  const { path } = await aHome()
  await writeFile(join(path, 'daemon.json'), '{"url":')
  expect(readAddress(path)).toBeNull()
})

test('the option comes before the variable, and the variable before the default', () => {
  expect(homePath('/a', { SIGNALBOX_HOME: '/b' })).toBe('/a')
  expect(homePath(undefined, { SIGNALBOX_HOME: '/b' })).toBe('/b')
  expect(homePath(undefined, {})).toMatch(/\/\.signalbox$/)
})

test('a home that can not be made is told with advice', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  expect(() => openHome(join(folder, 'file', 'home'))).toThrow(/--home/)
})
