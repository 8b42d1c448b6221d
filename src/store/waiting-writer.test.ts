import { expect, onTestFinished, test, vi } from 'vitest'
import { ids, sessionCreated } from '../../test/support/build.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { createJournal } from '../journal/journal.js'
import { systemClock } from '../lib/clock.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import type { EventDraft } from '../protocol/event/event.js'
import { openSqliteStore, type SqliteStorePort } from './sqlite/store.js'
import { WaitingWriter } from './waiting-writer.js'

const notice = (text: string): EventDraft => ({
  type: 'notice.raised',
  data: { level: 'info', topic: 'test', text },
})

/** A real store with a session, and a second connection that can lock its database. */
async function setup() {
  const path = `${await temporaryFolder()}/signalbox.db`
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  const journal = createJournal({ store, clock: systemClock, ids })
  const other = await openDatabase(path)
  onTestFinished(async () => {
    if (other.isTransaction) other.exec('ROLLBACK')
    other.close()
    await journal.close()
    await store.close()
  })
  const sessionId = ids.next('ses')
  await journal.append(sessionId, [sessionCreated()])
  const lock = () => other.exec('BEGIN IMMEDIATE')
  const release = () => other.exec('ROLLBACK')
  return { path, store, journal, sessionId, lock, release }
}

async function texts(store: SqliteStorePort, sessionId: string): Promise<string[]> {
  const stored = await store.readSession(sessionId)
  return stored.flatMap(({ event }) => (event.type === 'notice.raised' ? [event.data.text] : []))
}

const shown = (store: SqliteStorePort) =>
  expect.poll(() => store.storage.problem, { timeout: 5_000 }).toMatchObject({ kind: 'locked' })

test('what a lock refuses is kept in order, and nobody sees it before it is stored', async () => {
  const { store, journal, sessionId, lock, release } = await setup()
  const seen: string[] = []
  journal.subscribe({
    sessionId,
    deliver: (items) => {
      for (const { event } of items) if (event.type === 'notice.raised') seen.push(event.data.text)
    },
  })
  lock()
  const appends = ['a', 'b', 'c'].map((text) => journal.append(sessionId, [notice(text)]))
  await shown(store)
  const late = journal.append(sessionId, [notice('d')])
  expect(await texts(store, sessionId)).toEqual([])
  expect(seen).toEqual([])
  expect(journal.whenStoring()).not.toBeNull()

  release()
  await Promise.all([...appends, late])
  expect(await texts(store, sessionId)).toEqual(['a', 'b', 'c', 'd'])
  expect(seen).toEqual(['a', 'b', 'c', 'd'])
  expect(store.storage.problem).toBeNull()
  expect(journal.whenStoring()).toBeNull()
})

test('an append of a client is withdrawn after its time, and the others are not', async () => {
  const { store, journal, sessionId, lock, release } = await setup()
  lock()
  const own = journal.append(sessionId, [notice('own')])
  const client = journal.append(sessionId, [notice('client')], { waitMs: 100 })
  await expect(client).rejects.toMatchObject({ code: 'storage_unavailable', details: { kind: 'locked' } })
  release()
  await own
  await journal.append(sessionId, [notice('after')])
  expect(await texts(store, sessionId)).toEqual(['own', 'after'])
})

test('a lock does not hold up the event loop, and reading goes on', async () => {
  const { store, journal, sessionId, lock, release } = await setup()
  lock()
  const append = journal.append(sessionId, [notice('a')])
  const began = process.cpuUsage()
  const turns = await countTurns(300)
  const { user, system } = process.cpuUsage(began)
  // Each attempt may block 5 ms in SQLite. If one blocked for the whole time, the event loop would not turn.
  expect(turns).toBeGreaterThan(20)
  expect((user + system) / 1_000).toBeLessThan(600)
  expect((await store.session(sessionId))?.id).toBe(sessionId)
  release()
  await append
})

async function countTurns(ms: number): Promise<number> {
  const until = performance.now() + ms
  let turns = 0
  for (; performance.now() < until; turns++) await new Promise((resolve) => setTimeout(resolve, 1))
  return turns
}

test('other writes wait as well: secrets until they are stored, those of clients for a while', async () => {
  const { store, sessionId, lock, release } = await setup()
  lock()
  const secrets = store.addSecrets(sessionId, ['hidden'], 'file')
  const trusted = store.trust({
    machine: 'local',
    path: '/srv',
    trustedAt: '2026-11-16T12:00:00.000Z',
    trustedBy: 'kim',
  })
  await expect(trusted).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(store.search({ text: 'a' })).resolves.toEqual([])
  release()
  await secrets
  expect(await store.secrets()).toMatchObject([{ value: 'hidden' }])
  expect(await store.trustedWorkspaces()).toEqual([])
})

test('beyond the bound nothing more is accepted', async () => {
  const { store, journal, sessionId, lock, release } = await setup()
  lock()
  const first = journal.append(sessionId, [notice('first')])
  await shown(store)
  const large = 'x'.repeat(1 << 20)
  const kept: Promise<unknown>[] = []
  const refused: unknown[] = []
  for (let count = 0; count < 80; count++)
    kept.push(journal.append(sessionId, [notice(large)]).catch((error: unknown) => refused.push(error)))
  await Promise.resolve()
  await vi.waitFor(() => expect(refused.length).toBeGreaterThan(10))
  expect(refused[0]).toMatchObject({ code: 'storage_unavailable' })
  release()
  await Promise.all([first, ...kept])
  expect(await texts(store, sessionId)).toHaveLength(81 - refused.length)
})

test('one event that cannot be stored at all does not take the others of its commit with it', async () => {
  const { store, journal, sessionId } = await setup()
  const append = store.append.bind(store)
  const refuse = new Error('string or blob too big')
  vi.spyOn(store, 'append').mockImplementation(async (groups) => {
    if (JSON.stringify(groups).includes('monster')) throw refuse
    return append(groups)
  })
  const results = await Promise.allSettled(
    ['a', 'monster', 'b'].map((text) => journal.append(sessionId, [notice(text)])),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await texts(store, sessionId)).toEqual(['a', 'b'])
})

test('a journal that closes gives up after a while, and says so', async () => {
  const { store, journal, sessionId, lock } = await setup()
  lock()
  const append = journal.append(sessionId, [notice('a')])
  store.storage.giveUpAfter(50)
  await expect(append).rejects.toMatchObject({ code: 'storage_unavailable' })
})

test('while it is blocked nothing is written, and what waits is written afterwards', async () => {
  const { store, journal, sessionId } = await setup()
  const changes: (string | null)[] = []
  store.storage.onChange((problem) => changes.push(problem?.kind ?? null))
  const problem = { kind: 'moved', message: 'gone', since: '2026-11-16T12:00:00.000Z' } as const
  store.storage.block(problem)
  const append = journal.append(sessionId, [notice('a')])
  const client = journal.append(sessionId, [notice('b')], { waitMs: 50 })
  await expect(client).rejects.toMatchObject({ details: { kind: 'moved' } })
  expect(store.storage.problem).toEqual(problem)
  store.storage.unblock()
  await append
  expect(await texts(store, sessionId)).toEqual(['a'])
  expect(changes).toEqual(['moved', null])
})

test('a fault that nobody waits for is over when a small write succeeds', async () => {
  let isBroken = true
  const probe = vi.fn(() => {
    if (isBroken) throw Object.assign(new Error('disk I/O error'), { errcode: 10 | (3 << 8) })
  })
  const writer = new WaitingWriter({ probe })
  onTestFinished(() => writer.close())
  expect(() => writer.attempt(probe)).toThrow('The disk reports an error')
  await vi.waitFor(() => expect(probe.mock.calls.length).toBeGreaterThan(3))
  expect(() => writer.attempt(() => 1)).toThrow()
  isBroken = false
  await vi.waitFor(() => expect(writer.attempt(() => 1)).toBe(1))
  expect(writer.nextTry()).toBeNull()
})

/** A disk with room for small writes only, until there is more. */
function nearlyFull() {
  let room = 100
  const write = (bytes: number) => {
    if (bytes > room) throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  }
  const writer = new WaitingWriter({ probe: () => write(10), tryRoom: () => write(1_000) })
  onTestFinished(() => writer.close())
  return { writer, write, free: () => void (room = 10_000) }
}

test('a full disk is shown from the first refused write until one of ordinary size fits', async () => {
  const { writer, write, free } = nearlyFull()
  const changes: (string | null)[] = []
  writer.onChange((problem) => changes.push(problem?.kind ?? null))

  expect(() => writer.attempt(() => write(500))).toThrow('The disk is full')
  expect(writer.problem).toMatchObject({ kind: 'full' })
  // Small writes fit meanwhile, and are not kept back.
  for (let count = 0; count < 5; count += 1) await writer.run(() => write(10))
  await expect(writer.run(() => write(500), 50)).rejects.toMatchObject({ code: 'storage_unavailable' })
  expect(writer.problem).toMatchObject({ kind: 'full' })
  expect(changes).toEqual(['full'])

  free()
  await writer.run(() => write(500))
  expect(writer.problem).toBeNull()
  expect(changes).toEqual(['full', null])
})

test('a full disk that nobody writes to any more is ready again when there is room', async () => {
  const { writer, write, free } = nearlyFull()
  expect(() => writer.attempt(() => write(500))).toThrow('The disk is full')

  free()

  await vi.waitFor(() => expect(writer.problem).toBeNull())
  expect(writer.nextTry()).toBeNull()
})

test('an error of the write itself is passed on at once', async () => {
  const { store } = await setup()
  const writer = new WaitingWriter({ probe: () => {} })
  const wrong = new Error('constraint failed')
  await expect(
    writer.run(() => {
      throw wrong
    }),
  ).rejects.toBe(wrong)
  expect(store.storage.problem).toBeNull()
})
