/** Event numbers after the log continued from an older copy of itself. */

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ids, notice, sessionCreated } from '../../test/support/build.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { openSqliteStore, type SqliteStorePort } from './sqlite/store.js'

const newId = () => ids.next('evt')
const AT = '2026-11-15T12:00:00.000Z'
const FLOOR = Date.parse(AT)

const append = (store: SqliteStorePort, sessionId: string, count: number) =>
  store.append([
    {
      sessionId,
      drafts: Array.from({ length: count }, () => ({ ...notice('a'), id: newId(), at: AT })),
    },
  ])

/** A session with 15 events in a copy of the database, which then continues after a break. */
async function setup() {
  const folder = await temporaryFolder()
  const path = join(folder, 'signalbox.db')
  const first = await openSqliteStore({ path, newId })
  const sessionId = ids.next('ses')
  await first.append([{ sessionId, drafts: [{ ...sessionCreated(), id: newId(), at: AT }] }])
  await append(first, sessionId, 14)
  await first.close()
  copyFileSync(path, join(folder, 'copy.db'))
  const store = await openSqliteStore({ path: join(folder, 'copy.db'), newId })
  onTestFinished(() => store.close())
  await store.breakLog(FLOOR)
  const seqs = async (after: number) =>
    (await store.readSession(sessionId, { after })).map(({ event }) => event.seq)
  return { store, sessionId, seqs }
}

test('a reader whose events are gone gets a gap, one that has missed nothing gets none', async () => {
  const { store, sessionId, seqs } = await setup()
  await append(store, sessionId, 3)

  expect(await seqs(14)).toEqual([15, FLOOR + 1, FLOOR + 2, FLOOR + 3])
  expect(await store.gapBehind(sessionId, 15)).toBeNull()
  expect(await store.gapBehind(sessionId, 34)).toEqual({ after: 34, next: FLOOR + 1 })
  expect(await store.gapBehind(sessionId, FLOOR)).toBeNull()
  expect(await store.gapBehind(undefined, 15)).toBeNull()
  expect(await store.gapBehind(undefined, 34)).toEqual({ after: 34, next: FLOOR + 1 })
  expect(await store.gapBehind(undefined, FLOOR)).toBeNull()
  expect((await store.readAll({ after: 34 })).map(({ position }) => position)).toEqual([
    FLOOR + 1,
    FLOOR + 2,
    FLOOR + 3,
  ])
  expect(
    (await store.readAll({ types: ['notice.raised'], after: 13 })).map(({ position }) => position),
  ).toEqual([14, 15, FLOOR + 1, FLOOR + 2, FLOOR + 3])
})

test('who counts back from the newest event gets as many as before', async () => {
  const { store, sessionId, seqs } = await setup()
  await append(store, sessionId, 3)
  const { lastSeq = 0 } = (await store.session(sessionId)) ?? {}

  expect(await seqs(lastSeq - 5)).toEqual([14, 15, FLOOR + 1, FLOOR + 2, FLOOR + 3])
  expect(await seqs(lastSeq - 100)).toHaveLength(18)
  expect(await store.gapBehind(sessionId, lastSeq - 5)).toBeNull()
  expect(await store.gapBehind(sessionId, lastSeq - 100)).toBeNull()
})

test('new sessions count from 1, and events are still counted', async () => {
  const { store, sessionId } = await setup()
  const fresh = ids.next('ses')
  await store.append([{ sessionId: fresh, drafts: [{ ...sessionCreated(), id: newId(), at: AT }] }])
  await append(store, fresh, 2)
  await append(store, sessionId, 1)

  expect((await store.readSession(fresh)).map(({ event }) => event.seq)).toEqual([1, 2, 3])
  expect(await store.gapBehind(fresh, 3)).toBeNull()
  expect((await store.counts()).events).toBe(19)
  expect(await store.lastPosition()).toBe(FLOOR + 4)
})

test('a second time, and without anything in between', async () => {
  const { store, sessionId, seqs } = await setup()
  await store.breakLog(FLOOR + 1_000_000)
  await append(store, sessionId, 1)
  await store.breakLog(FLOOR) // Simulates a clock that was set back.
  await append(store, sessionId, 1)

  const numbers = await seqs(14)
  expect(numbers).toEqual([15, FLOOR + 1_000_001, numbers[2]])
  expect(numbers[2]).toBeGreaterThan(FLOOR + 1_000_001)
  expect(await store.gapBehind(sessionId, FLOOR + 5)).toEqual({ after: FLOOR + 5, next: FLOOR + 1_000_001 })
  expect(await store.gapBehind(sessionId, 15)).toBeNull()
  expect((await store.counts()).events).toBe(17)
})
