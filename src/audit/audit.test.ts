import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  aPerson,
  ids,
  notice,
  permissionRequested,
  permissionResolved,
  sessionCreated,
} from '../../test/support/build.js'
import { createManualClock } from '../../test/support/manual-clock.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { type Database, openDatabase } from '../lib/sqlite/driver.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { Store } from '../store/port.js'
import { openSqliteStore } from '../store/sqlite/store.js'
import { verifyDatabase } from './database.js'
import { auditEntry } from './entry.js'
import { keepSeal } from './seal.js'

const AT = '2026-11-16T12:00:00.000Z'
const ROWS = 40

let folder: string
let path: string
let sealPath: string

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'signalbox.db')
  sealPath = join(folder, 'audit-seal.json')
})

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  await work(store)
  await store.close()
}

async function append(store: Store, sessionId: string, ...drafts: EventDraft[]): Promise<void> {
  await store.append([
    { sessionId, drafts: drafts.map((draft) => ({ ...draft, id: ids.next('evt'), at: AT })) },
  ])
}

/** An audit with entries of every source. */
async function fill(rows = ROWS): Promise<void> {
  await withStore(async (store) => {
    const sessionId = ids.next('ses')
    await append(store, sessionId, sessionCreated(), notice('n'))
    for (let number = 1; number <= rows; number += 1) {
      const requestId = ids.next('per')
      if (number % 3 > 0)
        await append(store, sessionId, permissionRequested(requestId), permissionResolved(requestId))
      else
        await store.addAudit(
          auditEntry({
            at: AT,
            kind: 'token.created',
            ...aPerson,
            by: 'person',
            subject: `t${number}`,
            verdict: 'done',
          }),
        )
    }
    const seal = await keepSeal({
      path: sealPath,
      clock: createManualClock(),
      head: () => store.auditHead(),
      onFault: () => {},
    })
    await seal.close()
  })
}

const verify = () => verifyDatabase(path, sealPath)

test('an audit that nobody has touched is intact, also while a daemon goes on writing', async () => {
  await fill()
  expect(await verify()).toMatchObject({ isIntact: true, rows: ROWS })

  await withStore(async (store) => {
    const entry = auditEntry({
      at: AT,
      kind: 'policy.changed',
      by: 'person',
      subject: 'policy',
      verdict: 'changed',
    })
    await store.addAudit(entry)
    expect(await verify()).toMatchObject({ isIntact: true, rows: ROWS + 1 })
    await store.addAudit(entry)
  })

  expect(await verify()).toMatchObject({ isIntact: true, rows: ROWS + 2 })
})

test('an empty audit is intact', async () => {
  await withStore(async () => {})
  expect(await verify()).toMatchObject({ isIntact: true, rows: 0 })
})

describe('what was changed is found', () => {
  let database: Database

  beforeEach(async () => {
    await fill()
    database = await openDatabase(path)
    database.exec('PRAGMA synchronous = OFF')
  })
  afterEach(() => database.close())

  /** A small generator, so that a failure can be repeated. */
  function createRandom(seed: number) {
    let state = seed
    return (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
  }

  test('one changed byte in any column of any row, in 1,000 tries', async () => {
    const random = createRandom(20_261_116)
    const missed: string[] = []
    for (let round = 0; round < 1_000; round += 1) {
      const isHead = random(ROWS + 1) === 0
      const table = isHead ? 'audit_head' : 'audit'
      const column = ['number', ...(isHead ? [] : ['entry']), 'hash'][random(isHead ? 2 : 3)] ?? ''
      const rowid = isHead ? 1 : random(ROWS) + 1
      const what = `${table} ${rowid} ${column}`
      const undo =
        column === 'number' ? changeNumber(table, rowid, random) : changeText(table, rowid, column, random)

      const result = await verify()
      if (result.isIntact) missed.push(what)
      // The row is named, or the first one behind it that does not fit any more.
      else if (!isHead && result.brokenAt > rowid) missed.push(`${what}: named ${result.brokenAt}`)
      undo()
    }

    expect(missed).toEqual([])
    expect(await verify()).toMatchObject({ isIntact: true, rows: ROWS })
  }, 120_000)

  function changeText(table: string, rowid: number, column: string, random: (below: number) => number) {
    const read = database.prepare(`SELECT CAST(${column} AS BLOB) AS bytes FROM ${table} WHERE rowid = ?`)
    const { bytes } = read.get(rowid) as { bytes: Uint8Array }
    const changed = Uint8Array.from(bytes)
    const at = random(changed.length)
    changed[at] = (changed[at] ?? 0) ^ (1 << random(8))
    const write = database.prepare(`UPDATE ${table} SET ${column} = CAST(? AS TEXT) WHERE rowid = ?`)
    write.run(changed, rowid)
    return () => void write.run(bytes, rowid)
  }

  function changeNumber(table: string, rowid: number, random: (below: number) => number) {
    for (;;) {
      const changed =
        rowid === 1 && table === 'audit_head' ? ROWS ^ (1 << random(16)) : rowid ^ (1 << random(16))
      if (table === 'audit' && changed <= ROWS) continue // There is one with this number.
      const before = table === 'audit' ? rowid : ROWS
      const where = table === 'audit' ? 'number = ?' : '? IS NOT NULL'
      database.prepare(`UPDATE ${table} SET number = ? WHERE ${where}`).run(changed, before)
      return () => void database.prepare(`UPDATE ${table} SET number = ? WHERE ${where}`).run(before, changed)
    }
  }

  test('a row that was taken out, and one that was put in', async () => {
    database.exec('DELETE FROM audit WHERE number = 7')
    expect(await verify()).toMatchObject({ isIntact: false, brokenAt: 7, problem: 'Entry 7 is missing.' })

    database.exec('INSERT INTO audit SELECT 7, entry, hash FROM audit WHERE number = 8')
    expect(await verify()).toMatchObject({ isIntact: false, brokenAt: 7 })
  })

  test('two rows that have changed places', async () => {
    database.exec(
      'UPDATE audit SET number = -1 WHERE number = 3; UPDATE audit SET number = 3 WHERE number = 4',
    )
    database.exec('UPDATE audit SET number = 4 WHERE number = -1')
    expect(await verify()).toMatchObject({ isIntact: false, brokenAt: 3 })
  })

  test('rows that were taken from the end', async () => {
    database.exec(`DELETE FROM audit WHERE number > ${ROWS - 2}`)
    expect(await verify()).toMatchObject({ isIntact: false, brokenAt: ROWS - 1 })
  })

  test('rows that were taken from the end by somebody who knows of the mark in the database', async () => {
    database.exec(`DELETE FROM audit WHERE number > ${ROWS - 2}`)
    database.exec(
      `UPDATE audit_head SET (number, hash) = (SELECT number, hash FROM audit WHERE number = ${ROWS - 2})`,
    )
    expect(await verify()).toMatchObject({ isIntact: false, problem: 'Entries at the end are missing.' })
  })

  test('an audit that was written anew from some row on', async () => {
    database.exec('DELETE FROM audit WHERE number > 10')
    database.exec('UPDATE audit_head SET (number, hash) = (SELECT number, hash FROM audit WHERE number = 10)')
    await withStore(async (store) => {
      for (let number = 11; number <= ROWS + 5; number += 1)
        await store.addAudit(
          auditEntry({ at: AT, kind: 'policy.changed', by: 'x', subject: 'x', verdict: 'x' }),
        )
    })
    expect(await verify()).toMatchObject({ isIntact: false, brokenAt: ROWS })
  })

  test('a seal that makes no sense', async () => {
    writeFileSync(sealPath, 'nothing')
    expect(await verify()).toMatchObject({ isIntact: false })
  })
})
