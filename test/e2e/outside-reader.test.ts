/** Looking into the database with other programs while sessions work, then pulling the plug: nothing is lost. */

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyDatabase } from '../../src/audit/database.js'
import { openDatabase } from '../../src/lib/sqlite/driver.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { CAN_LIST_LOCKS, locksOn } from '../support/held-locks.js'
import { outsideReaders } from '../support/outside-readers.js'
import { makeStandInPlace } from '../support/stand-in.js'
import { whenDone } from '../support/when-done.js'

test.skipIf(!CAN_LIST_LOCKS)('a daemon holds a lock on its database and on its home', async () => {
  const place = await makeStandInPlace()
  const daemon = await startDaemonProcess(place)
  const database = join(place.home, 'signalbox.db')
  expect(locksOn(database, daemon.pid)).toBe(1)
  expect(locksOn(join(place.home, 'lock'), daemon.pid)).toBeGreaterThan(0)

  for (const { read } of outsideReaders) await read(database, place.folder)

  expect(locksOn(database, daemon.pid)).toBe(1)
  await daemon.stop()
})

test.each(outsideReaders)('$name reads again and again, the daemon is killed', async ({ read }) => {
  const place = await makeStandInPlace()
  await expectNothingLost(place, read, `say one\nask Read {"file_path":"${place.cwd}/a"}\nsay two`)
})

test('the same with the real CLI', async () => {
  const place = await makePlace(() => ({ rules: [{ reply: [{ text: 'Here I am: {{user}}' }] }] }))
  await expectNothingLost(
    place,
    async (...where) => {
      for (const { read } of outsideReaders) await read(...where)
    },
    'hello',
  )
})

async function expectNothingLost(
  place: Awaited<ReturnType<typeof makePlace>>,
  read: (database: string, folder: string) => Promise<unknown>,
  prompt: string,
): Promise<void> {
  const daemon = await startDaemonProcess(place)
  const database = join(place.home, 'signalbox.db')
  const enough = new AbortController()
  const reading = (async () => {
    while (!enough.signal.aborted) await read(database, place.folder)
  })()
  whenDone(() => {
    enough.abort()
    return reading
  })
  const begun = await Promise.all(
    Array.from({ length: 3 }, () => daemon.client.createSession({ body: { cwd: place.cwd, prompt } })),
  )
  const ids = begun.map(({ session }) => session.id)
  for (const id of ids)
    await sessionWhen(daemon.client, id, ({ turns, state }) => turns > 0 && state === 'idle')
  enough.abort()
  await reading
  const before = await Promise.all(ids.map((id) => allEvents(daemon.client, id)))
  await daemon.kill()

  const next = await startDaemonProcess(place)
  for (const [index, id] of ids.entries()) {
    const known = before[index] ?? []
    expect((await allEvents(next.client, id)).slice(0, known.length)).toEqual(known)
  }
  await expectOrderly(next.client)
  await next.stop()
  await expectIntact(place.home)
}

async function expectIntact(home: string): Promise<void> {
  const path = join(home, 'signalbox.db')
  const database = await openDatabase(path)
  const checked = database.prepare('PRAGMA integrity_check').all()
  database.close()
  expect(checked).toEqual([{ integrity_check: 'ok' }])
  expect(await verifyDatabase(path, join(home, 'audit-seal.json'))).toMatchObject({ isIntact: true })
}
