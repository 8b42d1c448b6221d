import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ids, notice, sessionCreated } from '../../test/support/build.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import { inspectDatabase } from './damage.js'
import { openSqliteStore } from './sqlite/store.js'

async function aDatabase(): Promise<string> {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  for (let round = 0; round < 40; round += 1) {
    const stamp = () => ({ id: ids.next('evt'), at: '2026-11-16T12:00:00.000Z' })
    const drafts = [sessionCreated(), notice('x'.repeat(2_000))].map((draft) => ({ ...draft, ...stamp() }))
    await store.append([{ sessionId: ids.next('ses'), drafts }])
  }
  await store.close()
  return path
}

function change(path: string, edit: (bytes: Buffer) => Buffer): void {
  const bytes = edit(readFileSync(path))
  rmSync(path)
  writeFileSync(path, bytes)
}

async function withDatabase(path: string, sql: string): Promise<void> {
  const database = await openDatabase(path)
  database.enableDefensive(false)
  database.exec(sql)
  database.close()
}

const DAMAGES: Record<string, (path: string) => void | Promise<void>> = {
  'a flipped header': (path) => change(path, (bytes) => bytes.fill(7, 0, 64)),
  'every third page flipped': (path) =>
    change(path, (bytes) => {
      for (let at = 4096; at < bytes.length; at += 3 * 4096) bytes.fill(7, at, at + 4096)
      return bytes
    }),
  'half of it cut off': (path) => change(path, (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))),
  'a text file in its place': (path) =>
    change(path, () => Buffer.from('a note about the weather, long enough\n'.repeat(99))),
  'a directory in its place': (path) => {
    renameSync(path, `${path}.away`)
    mkdirSync(path)
  },
  'a schema that cannot be': (path) => withDatabase(path, 'PRAGMA user_version = -14'),
  'a newer schema': async (path) => {
    const database = await openDatabase(path)
    database.exec('PRAGMA user_version = 99')
    database.close()
  },
}

test.each(Object.entries(DAMAGES))('%s is found, named with its fix, and refused', async (_, damage) => {
  const path = await aDatabase()
  expect(await inspectDatabase(path)).toMatchObject({ state: 'ok' })

  await damage(path)

  const { state, found, fix } = await inspectDatabase(path)
  expect({ state, isNamed: found.length > 20, hasFix: (fix ?? '').length > 20 }).toEqual({
    state: 'broken',
    isNamed: true,
    hasFix: true,
  })
})

test.each(Object.entries(DAMAGES).filter(([name]) => !name.includes('third page')))(
  'opening a store with %s says in one sentence what to do',
  async (_, damage) => {
    const path = await aDatabase()
    await damage(path)
    await expect(openSqliteStore({ path, newId: () => ids.next('evt') })).rejects.toMatchObject({
      name: 'HubError',
      code: 'storage_damaged',
      message: expect.stringMatching(/\. .+\.$/),
    })
  },
)

test('one flipped page in the middle is found', async () => {
  const path = await aDatabase()
  change(path, (bytes) => bytes.fill(7, 20 * 4096, 20 * 4096 + 2000))
  expect(await inspectDatabase(path)).toMatchObject({ state: 'broken' })
})

test('an emptied file is not taken for a new one', async () => {
  const path = await aDatabase()
  change(path, () => Buffer.alloc(0))
  expect(await inspectDatabase(path)).toMatchObject({ state: 'broken', found: `${path} is empty.` })
})

test('no database yet is fine', async () => {
  expect(await inspectDatabase(join(await temporaryFolder(), 'signalbox.db'))).toMatchObject({
    state: 'missing',
  })
})

test('a table that was dropped is named', async () => {
  const path = await aDatabase()
  await withDatabase(path, 'DROP TABLE request')

  expect(await inspectDatabase(path)).toMatchObject({
    state: 'broken',
    found: 'The database is damaged: table request is missing.',
  })
})

test('damaged rows are counted, and the rest is said to be usable', async () => {
  const path = await aDatabase()
  await withDatabase(
    path,
    "UPDATE session SET snapshot = '{bad' WHERE key < 3; INSERT INTO session_options VALUES ('ses_1', '{bad')",
  )

  expect(await inspectDatabase(path)).toMatchObject({
    state: 'flawed',
    found: expect.stringContaining('damaged: session (2), options of sessions (1).'),
  })
})

test('a home that has had data does not begin anew with an empty database', async () => {
  const path = await aDatabase()
  const newId = () => ids.next('evt')
  await withDatabase(path, 'PRAGMA user_version')
  await (await openSqliteStore({ path, newId, hadData: true })).close()

  const empty = join(await temporaryFolder(), 'signalbox.db')
  await expect(openSqliteStore({ path: empty, newId, hadData: true })).rejects.toMatchObject({
    code: 'storage_damaged',
    message: expect.stringContaining('this home had data'),
  })
  // The database file without its write-ahead log, which contained all the data.
  await withDatabase(empty, 'PRAGMA journal_mode = WAL')
  await expect(openSqliteStore({ path: empty, newId, hadData: true })).rejects.toMatchObject({
    code: 'storage_damaged',
  })
  await (await openSqliteStore({ path: empty, newId, hadData: false })).close()
})

test('a damaged index of the search is a flaw, as it can be built again', async () => {
  const path = await aDatabase()
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  await store.search({ text: 'x' })
  await store.close()
  // Absurd lengths (out of memory) and random content.
  await withDatabase(
    path,
    "UPDATE event_text_data SET block = X'ffffffffffffff7f' || randomblob(length(block)) WHERE id > 1",
  )

  expect(await inspectDatabase(path)).toMatchObject({
    state: 'flawed',
    found: expect.stringContaining('damaged: index of the search.'),
  })
})
