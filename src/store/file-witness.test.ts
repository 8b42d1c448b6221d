/**
 * Other programs change the files of an open database. They run as separate processes: closing a descriptor of a file
 * in this one would drop the store's POSIX locks.
 */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ids, sessionCreated } from '../../test/support/build.js'
import { integrityOf } from '../../test/support/storage-fault.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { openSqliteStore } from './sqlite/store.js'

const newId = () => ids.next('evt')

function shell(command: string, path: string): string {
  const { stdout, stderr, status } = spawnSync('sh', ['-c', command, 'sh', path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

/**
 * A closed connection keeps its WAL index mapped until its statements are garbage-collected. A daemon would have exited
 * instead.
 */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) {
    collect()
    await turn()
  }
}

/** Runs SQL in another process. */
function elsewhere(path: string, ...statements: string[]): void {
  const code = `
    import { DatabaseSync } from '@photostructure/sqlite'
    const database = new DatabaseSync(${JSON.stringify(path)})
    database.exec('PRAGMA busy_timeout = 5000')
    for (const sql of ${JSON.stringify(statements)}) database.exec(sql)
    database.close()`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}

async function setup(path = '', idleMs = 50) {
  path ||= join(await temporaryFolder(), 'signalbox.db')
  const store = await openSqliteStore({ path, newId, idleMs })
  onTestFinished(() => store.close())
  const add = async () => {
    const sessionId = ids.next('ses')
    const at = new Date().toISOString()
    await store.append([{ sessionId, drafts: [{ ...sessionCreated(), id: newId(), at }] }])
    return sessionId
  }
  return { path, store, add }
}

async function sessionsIn(path: string): Promise<string[]> {
  await collectGarbage()
  const store = await openSqliteStore({ path, newId })
  try {
    return (await store.sessions()).map(({ id }) => id).toReversed()
  } finally {
    await store.close()
  }
}

/** Checkpointed: a copy of the database file without the log is complete. */
const isFolded = (path: string, count: number) =>
  expect
    .poll(
      async () => {
        shell('cp "$1" "$1.alone"; rm -f "$1.alone-wal" "$1.alone-shm"', path)
        return (await sessionsIn(`${path}.alone`)).length
      },
      { timeout: 15_000, interval: 100 },
    )
    .toBe(count)

test('when nothing is written for some seconds, the database file alone holds everything', async () => {
  const { path, store, add } = await setup()
  for (let count = 0; count < 5; count += 1) await add()

  await isFolded(path, 5)

  await add()
  await isFolded(path, 6)
  expect(store.storage.problem).toBeNull()
  await add()
})

describe('the database is overwritten in place', () => {
  test('by an older copy: nothing more is acknowledged, and the copy stays whole', async () => {
    const { path, store, add } = await setup()
    const first = await add()
    await isFolded(path, 1)
    shell('cp "$1" "$1.older"', path)
    await add()
    await isFolded(path, 2)
    await add()
    shell('cp "$1.older" "$1"', path)

    await expect(add()).rejects.toMatchObject({ code: 'storage_damaged', details: { kind: 'damaged' } })

    expect(store.storage.problem).toMatchObject({ message: expect.stringContaining('overwritten') })
    await expect(add()).rejects.toMatchObject({ code: 'storage_damaged' })
    await store.close()
    expect(readFileSync(path).equals(readFileSync(`${path}.older`))).toBe(true)
    expect(await sessionsIn(path)).toEqual([first])
    const kept = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}-wal.kept-`))
    expect(kept).toHaveLength(1)
  })

  test('by a copy from before the start, while it was never idle', async () => {
    const before = await setup()
    const first = await before.add()
    await before.store.close()
    await collectGarbage()
    shell('cp "$1" "$1.older"', before.path)
    const { path, store, add } = await setup(before.path, 60_000)
    await add()
    await expect.poll(() => shell('cmp -s "$1" "$1.older"; echo $?', path).trim()).toBe('1')
    await add()
    shell('cp "$1.older" "$1"', path)

    await expect(add()).rejects.toMatchObject({ code: 'storage_damaged', details: { kind: 'damaged' } })

    await store.close()
    expect(await sessionsIn(path)).toEqual([first])
  })

  test.each([
    ['emptied', ': > "$1"'],
    ['by text', 'echo something else > "$1"'],
  ])('%s', async (_, command) => {
    const { path, store, add } = await setup()
    await add()
    await isFolded(path, 1)
    shell(command, path)
    const size = statSync(path).size

    await expect(add()).rejects.toMatchObject({ code: 'storage_damaged' })

    await store.close()
    expect(statSync(path).size).toBe(size)
  })
})

test.each([
  ['emptied', ': > "$1-wal"'],
  ['cut', 'truncate -s 9000 "$1-wal"'],
])(
  'a write-ahead log that is %s: nothing more is acknowledged, and the database stays whole',
  async (_, cut) => {
    const { path, store, add } = await setup()
    const first = await add()
    await isFolded(path, 1)
    for (let count = 0; count < 20; count += 1) await add()
    shell(cut, path)

    await expect(add()).rejects.toMatchObject({ code: 'storage_damaged', details: { kind: 'damaged' } })

    expect(store.storage.problem).toMatchObject({ message: expect.stringContaining('write-ahead log') })
    await store.close()
    expect(await sessionsIn(path)).toEqual([first])
    expect(await integrityOf(path)).toEqual({ integrity_check: 'ok' })
  },
)

test('programs that use SQLite are no danger: they write, fold the log, and vacuum', async () => {
  const { path, store, add } = await setup()
  const known = [await add()]
  const works = [
    ['PRAGMA wal_checkpoint(PASSIVE)'],
    ['PRAGMA wal_checkpoint(TRUNCATE)'],
    ['CREATE TABLE other (a)', 'INSERT INTO other VALUES (1)'],
    ['INSERT INTO other VALUES (2)', 'PRAGMA wal_checkpoint(RESTART)'],
    ['VACUUM'],
    ['VACUUM', 'PRAGMA wal_checkpoint(TRUNCATE)'],
  ]
  for (const work of works) {
    elsewhere(path, ...work)
    known.push(await add())
  }
  await isFolded(path, known.length)
  for (const work of works.slice(0, 2)) {
    elsewhere(path, ...work)
    known.push(await add())
  }

  expect(store.storage.problem).toBeNull()
  await store.close()
  expect(await sessionsIn(path)).toEqual(known)
})

test('a copy that is put in its place through SQLite is noticed too', async () => {
  const { path, store, add } = await setup()
  await add()
  await isFolded(path, 1)
  elsewhere(path, 'PRAGMA application_id = 77', 'PRAGMA wal_checkpoint(TRUNCATE)')

  await expect(add()).rejects.toMatchObject({ message: expect.stringContaining('replaced the content') })
  await store.close()
  expect(await integrityOf(path)).toEqual({ integrity_check: 'ok' })
})
