/**
 * Damage found while the store runs: it is reported at once, nothing is lost silently, and a damaged row affects no
 * other.
 */

import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ids, notice, sessionCreated, turnEnded, turnStarted } from '../../test/support/build.js'
import { damageAllPages, damageTable, integrityOf } from '../../test/support/storage-fault.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { recordOf } from '../audit/chain.js'
import { auditEntry } from '../audit/entry.js'
import { createJournal } from '../journal/journal.js'
import { systemClock } from '../lib/clock.js'
import { type Database, openDatabase } from '../lib/sqlite/driver.js'
import { givenOptions } from '../protocol/option/option-role.js'
import { readyStore } from '../server/ready-store.js'
import { inspectDatabase } from './damage.js'
import { CREATE_INDEX } from './sqlite/replace-index.js'
import { openSqliteStore } from './sqlite/store.js'

const newId = () => ids.next('evt')
const AT = '2026-11-15T12:00:00.000Z'
const figures = { inputTokens: 1, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
const modelUsage = { opus: { ...figures, costUsd: 1, contextWindow: null } }

/** A closed database with one session of some events. */
async function aHome() {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const sessionId = ids.next('ses')
  const store = await openSqliteStore({ path, newId })
  const stamp = () => ({ id: newId(), at: AT })
  const drafts = [sessionCreated(), ...Array.from({ length: 30 }, () => notice('a lighthouse'.repeat(99)))]
  await store.append([{ sessionId, drafts: drafts.map((draft) => ({ ...draft, ...stamp() })) }])
  await store.setOptions(sessionId, givenOptions({ maxTurns: 3 }, 'admin'))
  await store.addAudit(
    auditEntry({ at: AT, kind: 'policy.changed', by: 'person', subject: 'one', verdict: 'changed' }),
  )
  await store.search({ text: 'lighthouse' })
  await store.close()
  return { path, sessionId }
}

async function open(path: string) {
  const faults: string[] = []
  const store = await openSqliteStore({ path, newId, onFault: (error) => faults.push(String(error)) })
  onTestFinished(() => store.close())
  return { store, faults, journal: createJournal({ store, clock: systemClock, ids }) }
}

async function edit(path: string, work: (database: Database) => void): Promise<void> {
  const database = await openDatabase(path)
  work(database)
  database.close()
}

function damageIndex(database: Database): void {
  database.enableDefensive(false)
  database.exec('UPDATE event_text_data SET block = randomblob(length(block)) WHERE id > 1')
}

test('a page that cannot be written: shown at once, and the end of the turn is kept, in order', async () => {
  const { path, sessionId } = await aHome()
  await damageTable(path, 'usage')
  const { store, journal } = await open(path)
  const turnId = ids.next('trn')
  await journal.append(sessionId, [turnStarted(turnId)])
  let isSettled = false
  const end = journal.append(sessionId, [turnEnded(turnId, { modelUsage })])
  end
    .catch(() => {})
    .finally(() => {
      isSettled = true
    })

  await expect.poll(() => store.storage.problem).toMatchObject({ kind: 'damaged' })
  await expect(readyStore(store)).rejects.toMatchObject({ code: 'storage_damaged' })
  const late = journal.append(sessionId, [notice('late')], { waitMs: 50 })
  await expect(late).rejects.toMatchObject({ code: 'storage_damaged', details: { kind: 'damaged' } })
  expect(isSettled).toBe(false)
  expect(journal.whenStoring()).not.toBeNull()
  store.storage.giveUpAfter(0)
  await expect(end).rejects.toMatchObject({ code: 'storage_damaged' })
})

test('a page that cannot be read is an answer with its reason, and makes the store unready', async () => {
  const { path, sessionId } = await aHome()
  await damageTable(path, 'event')
  const { store } = await open(path)

  await expect(store.readSession(sessionId)).rejects.toMatchObject({ code: 'storage_damaged' })
  await expect(readyStore(store)).rejects.toMatchObject({ message: expect.stringContaining('doctor') })
  expect(await store.session(sessionId)).toMatchObject({ id: sessionId })
})

test('a clock that is set back hides no problem', async () => {
  const { path, sessionId } = await aHome()
  const { store, journal } = await open(path)
  const other = await openDatabase(path)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now - 86_400_000)
  onTestFinished(() => clock.mockRestore())

  const append = journal.append(sessionId, [notice('a')])

  await expect.poll(() => store.storage.problem).toMatchObject({ kind: 'locked' })
  other.exec('ROLLBACK')
  await append
})

test('options that are damaged keep their session from running, not the start', async () => {
  const { path, sessionId } = await aHome()
  await edit(path, (database) => database.exec("UPDATE session_options SET options = '{bad'"))
  const { store, faults } = await open(path)

  expect(await store.allOptions()).toEqual([])
  expect(faults).toEqual([expect.stringContaining(sessionId)])
  await expect(store.options(sessionId)).rejects.toMatchObject({
    code: 'storage_damaged',
    details: { sessionId },
  })
  expect(store.storage.problem).toBeNull()
})

test.each([
  ['a transcript', "INSERT INTO transcript VALUES ('/x', '{bad')"],
  ['a transcript of another shape', "INSERT INTO transcript VALUES ('/x', '{}')"],
  ['a snapshot', "UPDATE session SET snapshot = '{bad', state = 'ended'"],
  ['a row of usage', "INSERT INTO usage VALUES (1, 'x', 'm', 'sdk', 'x', 1, 1, 1, 1)"],
  ['a secret', "INSERT INTO secret VALUES ('ses_x', x'00ff', 'file')"],
])('%s that is damaged is left out', async (_, sql) => {
  const { path } = await aHome()
  await edit(path, (database) => {
    database.exec('PRAGMA ignore_check_constraints = ON')
    database.exec(sql)
  })
  const { store } = await open(path)

  expect(await store.transcripts()).toEqual([])
  expect(await store.usage()).toEqual([])
  expect(await store.secrets()).toEqual([])
  expect(await store.knownConversations(['x'])).toEqual([])
  await store.trim('2000-01-01T00:00:00.000Z')
  expect(await store.sessions()).toHaveLength(1)
})

test.each(["data = '{bad'", "data = 'null'", "at = 'yesterday'"])(
  'an event with %s says so, and is passed over by the search',
  async (change) => {
    const { path, sessionId } = await aHome()
    await edit(path, (database) => {
      database.exec(`UPDATE event SET ${change} WHERE seq = 5; UPDATE indexed SET position = 0`)
      database.exec('DELETE FROM event_text WHERE rowid > 0')
    })
    const { store } = await open(path)

    const events = await store.readSession(sessionId)
    const found = await store.search({ text: 'lighthouse' })

    expect(events[4]?.event).toMatchObject({ seq: 5, data: { code: 'storage_damaged' } })
    expect(found.length).toBeGreaterThanOrEqual(29)
  },
)

test('an entry of the audit that is damaged is shown as such', async () => {
  const { path, sessionId } = await aHome()
  await edit(path, (database) => database.exec("UPDATE audit SET entry = '{bad' WHERE number = 1"))
  const { store } = await open(path)
  await store.addAudit(
    auditEntry({ at: AT, kind: 'policy.changed', by: 'person', subject: 'two', verdict: 'changed' }),
  )

  expect((await store.audit()).map((row) => recordOf(row).kind)).toEqual(['policy.changed', 'audit.damaged'])
  expect(await store.audit({ sessionId })).toEqual([])
})

test('a damaged index of the search is built again', async () => {
  const { path } = await aHome()
  await edit(path, damageIndex)
  const { store, faults } = await open(path)

  const found = await store.search({ text: 'lighthouse' })

  expect(found).toHaveLength(30)
  expect(faults).toEqual([expect.stringContaining('index of the search')])
  expect(store.storage.problem).toBeNull()
})

const INDEX_TABLES = ['event_text_data', 'event_text_idx', 'event_text_docsize', 'event_text_config']
const DAMAGES = INDEX_TABLES.flatMap((table) => [0, 0xee].map((byte) => [table, byte] as const))

test.each(DAMAGES)(
  'an index whose pages are overwritten (%s with %i) is built again: nothing else is unavailable',
  async (table, byte) => {
    const { path, sessionId } = await aHome()
    await damageAllPages(path, table, byte)
    const { store } = await open(path)

    await store.append([{ sessionId, drafts: [{ ...notice('a lantern'), id: newId(), at: AT }] }])

    expect(await store.search({ text: 'lantern' })).toHaveLength(1)
    expect(await store.search({ text: 'lighthouse' })).toHaveLength(30)
    expect(store.storage.problem).toBeNull()
    await store.close()
    // The old pages are unused, and a copy does not contain them.
    expect(await inspectDatabase(path)).toMatchObject({ state: 'ok' })
    const copy = `${path}.copy`
    await edit(path, (database) => database.prepare('VACUUM INTO ?').run(copy))
    expect(await integrityOf(copy)).toEqual({ integrity_check: 'ok' })
  },
)

test.each(DAMAGES)(
  'a session is deleted although the pages of the index are overwritten (%s with %i)',
  async (table, byte) => {
    const { path, sessionId } = await aHome()
    await damageAllPages(path, table, byte)
    const { store } = await open(path)

    await store.deleteSession(sessionId)

    const count = () => store.database.prepare('SELECT count(*) AS left FROM event').get()
    await expect.poll(count).toEqual({ left: 0 })
    expect(store.storage.problem).toBeNull()
  },
)

test('damaged events are not taken for a damaged index', async () => {
  const { path, sessionId } = await aHome()
  await damageAllPages(path, 'event', 0)
  const { store } = await open(path)

  await store.deleteSession(sessionId)

  await expect.poll(() => store.storage.problem).toMatchObject({ kind: 'damaged' })
})

test('a session is deleted although the index of the search is damaged', async () => {
  const { path, sessionId } = await aHome()
  await edit(path, damageIndex)
  const { store } = await open(path)

  expect(await store.deleteSession(sessionId)).toBe(true)

  const count = () => store.database.prepare('SELECT count(*) AS left FROM event').get()
  await expect.poll(count).toEqual({ left: 0 })
  expect(await store.search({ text: 'lighthouse' })).toEqual([])
})

test('the index that is built again is the one of the tables', async () => {
  const { path } = await aHome()
  const { store } = await open(path)
  const { sql } = store.database.prepare("SELECT sql FROM sqlite_master WHERE name = 'event_text'").get() as {
    sql: string
  }
  expect(sql).toBe(CREATE_INDEX)
})
