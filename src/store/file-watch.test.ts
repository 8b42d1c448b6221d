import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ids, sessionCreated } from '../../test/support/build.js'
import { createManualClock } from '../../test/support/manual-clock.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { lockHome, openHome } from '../home.js'
import { startTokenOf } from '../lib/start-token.js'
import { watchFiles } from './file-watch.js'
import { claimDatabase } from './home-lock.js'
import { openSqliteStore } from './sqlite/store.js'

async function setup() {
  const folder = await temporaryFolder()
  const home = openHome(join(folder, 'home'))
  const lock = await lockHome(home)
  const store = await openSqliteStore({ path: home.database, newId: () => ids.next('evt') })
  const notices: string[] = []
  const watch = watchFiles({
    path: home.database,
    store,
    lock,
    clock: createManualClock(),
    onNotice: (message) => notices.push(message),
    onFault: (error) => notices.push(String(error)),
  })
  onTestFinished(async () => {
    watch.close()
    await store.close()
    lock.release()
  })
  const add = async () => {
    const sessionId = ids.next('ses')
    const at = new Date().toISOString()
    await store.append([{ sessionId, drafts: [{ ...sessionCreated(), id: ids.next('evt'), at }] }])
    return sessionId
  }
  const problem = async () => {
    await watch.check()
    return store.storage.problem?.kind ?? null
  }
  return { folder, home, lock, store, watch, notices, add, problem }
}

test('nothing is wrong with files that stay where they are', async () => {
  const { add, problem, notices } = await setup()
  await add()
  expect(await problem()).toBeNull()
  expect(notices).toEqual([])
})

test('a home that is moved away stores nothing until it is back', async () => {
  const { home, store, add, problem } = await setup()
  renameSync(home.path, `${home.path}-away`)
  expect(await problem()).toBe('moved')
  await expect(add()).rejects.toMatchObject({ code: 'storage_unavailable' })
  renameSync(`${home.path}-away`, home.path)
  expect(await problem()).toBeNull()
  const id = await add()
  expect((await store.session(id))?.id).toBe(id)
})

test.each([
  ['deleted', (path: string) => rmSync(path, { recursive: true })],
  [
    'replaced',
    (path: string) => {
      rmSync(path, { recursive: true })
      mkdirSync(path)
      writeFileSync(join(path, 'signalbox.db'), '')
    },
  ],
])('a home that was %s stores nothing', async (_, act) => {
  const { home, problem } = await setup()
  act(home.path)
  expect(await problem()).toBe('moved')
})

test('a lock file that was removed is noticed, and the lock taken again', async () => {
  const { home, problem } = await setup()
  rmSync(join(home.path, 'lock'))
  expect(await problem()).toBe('unlocked')
  expect(await problem()).toBeNull()
  await expect(lockHome(home)).rejects.toMatchObject({ code: 'daemon_running' })
})

test('a lock file that another process has taken meanwhile keeps this one from writing', async () => {
  const { home, problem } = await setup()
  rmSync(join(home.path, 'lock'))
  const intruder = await lockHome(home)
  expect(await problem()).toBe('unlocked')
  expect(await problem()).toBe('unlocked')
  intruder.release()
  expect(await problem()).toBeNull()
})

describe('a write-ahead log that was deleted', () => {
  test.each([
    ['with its index', ['-wal', '-shm']],
    ['of which only the index is gone', ['-shm']],
  ])('%s loses nothing: what is in it goes into the database, and a new one is begun', async (_, endings) => {
    const { folder, home, store, add, watch, notices } = await setup()
    const before = await add()
    for (const ending of endings) rmSync(home.database + ending)
    const after = await add()
    await watch.check()
    const later = await add()
    expect(notices).toEqual([expect.stringContaining('is saving'), expect.stringContaining('is saved')])
    expect(existsSync(`${home.database}-shm`)).toBe(true)

    // The files that a crash at this moment would leave.
    const copy = join(folder, 'copy')
    mkdirSync(copy)
    for (const ending of ['', '-wal']) cpOf(home.database + ending, join(copy, `signalbox.db${ending}`))
    const found = await openSqliteStore({ path: join(copy, 'signalbox.db'), newId: () => ids.next('evt') })
    onTestFinished(() => found.close())
    const sessions = await found.sessions()
    expect(sessions.map(({ id }) => id).toSorted()).toEqual([before, after, later].toSorted())
    expect((await store.sessions()).length).toBe(3)
  })
})

test('who deletes the lock file of a daemon that runs is refused all the same', async () => {
  const home = openHome(join(await temporaryFolder(), 'home'))
  const store = await openSqliteStore({ path: home.database, newId: () => ids.next('evt') })
  onTestFinished(() => store.close())
  const claim = claimDatabase(store.database, home.database)
  expect(() => claimDatabase(store.database, home.database)).toThrow('already')
  claim.forget()
  claimDatabase(store.database, home.database).forget()
  // Simulates a claim by another live process.
  const parent = process.ppid
  store.database.prepare('UPDATE holder SET pid = ?, start_token = ?').run(parent, startTokenOf(parent) ?? '')

  await expect(lockHome(home)).rejects.toMatchObject({
    code: 'daemon_running',
    message: expect.stringContaining(`pid ${parent}`),
  })
  store.database.prepare('UPDATE holder SET start_token = ?').run('of another boot')
  ;(await lockHome(home)).release()
})

test('a lock file that is no database is made anew', async () => {
  const home = openHome(join(await temporaryFolder(), 'home'))
  writeFileSync(join(home.path, 'lock'), 'no database '.repeat(200))
  const lock = await lockHome(home)
  await expect(lockHome(home)).rejects.toMatchObject({ code: 'daemon_running' })
  lock.release()
})

test('a lock that cannot be opened gives its reason, and does not speak of another daemon', async () => {
  const home = openHome(join(await temporaryFolder(), 'home'))
  mkdirSync(join(home.path, 'lock'))
  await expect(lockHome(home)).rejects.toMatchObject({ code: 'home_unusable' })
})

/** In another process: closing a descriptor of the file in this one would drop the store's POSIX locks. */
function cpOf(from: string, to: string): void {
  spawnSync('cp', [from, to])
}
