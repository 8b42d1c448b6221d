import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.js'
import {
  findForeignInHome,
  homePath,
  lockHome,
  openHome,
  readAddress,
  readToken,
  writeAddress,
} from './home.js'

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
  writeAddress(home, { url: 'http://127.0.0.1:4747', pid: process.pid })

  await expect(lockHome(home)).rejects.toMatchObject({
    code: 'daemon_running',
    message: expect.stringContaining(`http://127.0.0.1:4747 (pid ${process.pid})`),
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
    // Kept by name: a database without references is garbage-collected, and its lock goes with it.
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

test('an address that cannot be read is no address', async () => {
  const { path } = await aHome()
  await writeFile(join(path, 'daemon.json'), '{"url":')
  expect(readAddress(path)).toBeNull()
})

test('the option comes before the variable, and the variable before the default', () => {
  expect(homePath('/a', { SIGNALBOX_HOME: '/b' })).toBe('/a')
  expect(homePath(undefined, { SIGNALBOX_HOME: '/b' })).toBe('/b')
  expect(homePath(undefined, {})).toMatch(/\/\.signalbox$/)
})

test('a home that cannot be created is an error with advice', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  expect(() => openHome(join(folder, 'file', 'home'))).toThrow(/--home/)
})

const isRoot = process.geteuid?.() === 0

test('a home that others could read or write is closed, with its database', async () => {
  const path = join(await temporaryFolder(), 'home')
  await mkdir(path)
  await chmod(path, 0o777)
  for (const name of ['signalbox.db', 'lock']) await writeFile(join(path, name), '', { mode: 0o644 })
  openHome(path)
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  for (const name of ['signalbox.db', 'lock']) expect((await stat(join(path, name))).mode & 0o777).toBe(0o600)
})

test('a link to a home is followed before anything is checked', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'real'))
  await symlink(join(folder, 'real'), join(folder, 'link'))
  expect(openHome(join(folder, 'link')).path).toBe(join(folder, 'real'))
})

test.each(['token', 'config.jsonc', 'policy.jsonc', 'signalbox.db', 'audit-seal.json'])(
  'a home is refused where other users could write %s, with the fix',
  async (name) => {
    const { path } = await aHome()
    const file = join(path, name)
    await writeFile(file, '')
    await chmod(file, 0o666)
    expect(() => openHome(path)).toThrow(`chmod go-w ${file}`)
    expect(findForeignInHome(path)?.found).toContain(file)
    await chmod(file, 0o644)
    expect(openHome(path).path).toBe(path)
  },
)

test.runIf(isRoot)('a home, or a file in it, that belongs to another user is refused', async () => {
  const { path } = await aHome()
  const file = join(path, 'token')
  await writeFile(file, 'a'.repeat(43), { mode: 0o600 })
  await chown(file, 65_534, 65_534)
  expect(() => openHome(path)).toThrow(`${file} belongs to another user`)
  await chown(file, 0, 0)
  await chown(path, 65_534, 65_534)
  expect(() => openHome(path)).toThrow(`${path} belongs to another user`)
  // The files of another user were not changed.
  expect((await stat(path)).uid).toBe(65_534)
})

test.each(['token', 'config.jsonc', 'policy.jsonc', 'audit-seal.json', 'lock'])(
  'a folder in the place of %s is named and refused',
  async (name) => {
    const path = await temporaryFolder()
    await mkdir(join(path, name))

    expect(() => openHome(path)).toThrow(
      expect.objectContaining({
        code: 'home_unusable',
        message: expect.stringContaining(`${name} is not a file`),
      }),
    )
  },
)
