/**
 * Attacks on the audit by a program that can write files of the home, and which of them are detected: at
 * once, and after the next start.
 */

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { ids, sessionCreated } from '../../test/support/build.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import type { AuditEntry, AuditRecord } from '../protocol/audit.js'
import type { Store } from '../store/port.js'
import { openSqliteStore } from '../store/sqlite/store.js'
import { type AuditHead, EMPTY as CHAIN_START, nextRow, recordOf } from './chain.js'
import { verifyDatabase } from './database.js'
import { auditEntry } from './entry.js'
import { writeSeal } from './seal.js'
import { checkSeal } from './seal-check.js'

const AT = '2026-11-16T12:00:00.000Z'
const ROWS = 24

let folder: string
let path: string
let sealPath: string

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'signalbox.db')
  sealPath = join(folder, 'audit-seal.json')
})

const verify = () => verifyDatabase(path, sealPath)

/** As a daemon starts, does something and stops. */
async function start(work: (store: Store) => Promise<void> = async () => {}): Promise<AuditRecord[]> {
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  try {
    await checkSeal(store, sealPath, AT)
    await work(store)
    writeSeal(sealPath, await store.auditHead())
    return (await store.audit()).map(recordOf)
  } finally {
    await store.close()
  }
}

async function add(store: Store, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await store.addAudit(
      auditEntry({ at: AT, kind: 'token.created', by: 'person', subject: `t${index}`, verdict: 'done' }),
    )
}

/** One decision, in the log and in the audit. */
async function decide(store: Store): Promise<void> {
  const judged = {
    toolUseId: 't',
    name: 'Bash',
    title: 'Bash: ls',
    inputDigest: 'd',
    decision: 'allow' as const,
    by: 'policy: x',
  }
  const drafts = [sessionCreated(), { type: 'tool.judged' as const, data: judged }]
  const stamp = () => ({ id: ids.next('evt'), at: AT })
  await store.append([
    { sessionId: ids.next('ses'), drafts: drafts.map((draft) => ({ ...draft, ...stamp() })) },
  ])
}

const accept = (store: Store) =>
  store.addAudit(auditEntry({ at: AT, kind: 'audit.accepted', by: 'person', subject: 'x', verdict: 'done' }))

async function change(sql: string): Promise<void> {
  const database = await openDatabase(path)
  database.exec(sql)
  database.close()
}

/** Entries as versions without a seal wrote them. */
async function addOld(count: number): Promise<void> {
  const database = await openDatabase(path)
  let head: AuditHead = CHAIN_START
  for (let index = 0; index < count; index += 1) {
    const told = auditEntry({ at: AT, kind: 'token.created', by: 'person', subject: 'x', verdict: 'done' })
    const { role: _, credentialId: __, ...entry } = told
    const row = nextRow(head, entry as AuditEntry)
    database.prepare('INSERT INTO audit VALUES (?, ?, ?)').run(row.number, row.entry, row.hash)
    head = row
  }
  database.prepare('UPDATE audit_head SET number = ?, hash = ?').run(head.number, head.hash)
  database.close()
}

const CUT = 'DELETE FROM audit WHERE number > 20'
const MOVE = 'UPDATE audit_head SET (number, hash) = (SELECT number, hash FROM audit WHERE number = 20)'
const EMPTY = "DELETE FROM audit; UPDATE audit_head SET number = 0, hash = ''"
const noSeal = () => rmSync(sealPath)

/** Name, what is done, and whether the next start can notice it, too. It compares the seal only: the rest is for `verify`. */
const MANIPULATIONS: [string, () => void | Promise<void>, 'alarm' | 'verify' | 'refused'][] = [
  ['an entry is edited', () => change("UPDATE audit SET entry = replace(entry, 't7', 't8')"), 'verify'],
  ['a blank is added', () => change("UPDATE audit SET entry = entry || ' ' WHERE number = 3"), 'verify'],
  ['an entry is deleted', () => change('DELETE FROM audit WHERE number = 9'), 'verify'],
  ['an entry is inserted', () => change("INSERT INTO audit VALUES (25, '{}', 'x')"), 'verify'],
  [
    'two entries change places',
    () =>
      change(
        'UPDATE audit SET number = -1 WHERE number = 3; UPDATE audit SET number = 3 WHERE number = 4; UPDATE audit SET number = 4 WHERE number = -1',
      ),
    'verify',
  ],
  ['the tail is cut', () => change(CUT), 'alarm'],
  ['the tail is cut and the head moved', () => change(`${CUT}; ${MOVE}`), 'alarm'],
  ['it is emptied', () => change(EMPTY), 'alarm'],
  ['its table is dropped', () => change('DROP TABLE audit'), 'refused'],
  ['the seal is deleted', noSeal, 'alarm'],
  [
    'the seal is deleted, the tail cut and the head moved',
    async () => (noSeal(), change(`${CUT}; ${MOVE}`)),
    'alarm',
  ],
  ['the seal is deleted and the audit emptied', async () => (noSeal(), change(EMPTY)), 'alarm'],
  [
    'the seal and the flag that says that there is one are deleted',
    async () => (noSeal(), change('DELETE FROM audit_state')),
    'alarm',
  ],
  [
    'the seal is deleted, the flag changed, the tail cut and the head moved',
    async () => (noSeal(), change(`UPDATE audit_state SET is_sealed = 0; ${CUT}; ${MOVE}`)),
    'alarm',
  ],
  [
    'the seal is deleted, the flag changed and the audit emptied, but for the decisions in the log',
    async () => (noSeal(), change(`UPDATE audit_state SET is_sealed = 0; ${EMPTY}`)),
    'alarm',
  ],
  ['the seal is not a seal', () => copyFileSync(path, sealPath), 'alarm'],
  ['the database is deleted', () => rmSync(path), 'alarm'],
]

describe('is noticed', () => {
  test.each(MANIPULATIONS)('%s', async (_, manipulate, atStart) => {
    await start(decide)
    await start((store) => add(store, ROWS - 1))
    expect(await verify()).toMatchObject({ isIntact: true, rows: ROWS })

    await manipulate()
    if (existsSync(path)) expect(await verify()).toMatchObject({ isIntact: false })

    if (atStart === 'refused') {
      await expect(start()).rejects.toThrow()
      expect(await verify()).toMatchObject({ isIntact: false })
      return
    }
    // A start, or ten, do not make it good.
    for (let round = 0; round < 3; round += 1) await start((store) => add(store, 10)).catch(() => {})
    expect(await verify()).toMatchObject({ isIntact: false })
    const kept = readdirSync(folder).filter((name) => name.startsWith('audit-seal.json.broken-'))
    expect(kept.length).toBe(atStart === 'alarm' ? 1 : 0)
  })

  test('what is documented as not noticed: the database and the seal are both set back', async () => {
    await start((store) => add(store, 20))
    for (const file of [path, sealPath]) copyFileSync(file, `${file}.old`)
    await start((store) => add(store, 4))
    for (const file of [path, sealPath]) copyFileSync(`${file}.old`, file)
    expect(await verify()).toMatchObject({ isIntact: true, rows: 20 })
  })
})

test('an alarm keeps the seal that does not fit, is one entry, and is open until an admin accepts it', async () => {
  await start((store) => add(store, ROWS))
  const sealText = readFileSync(sealPath, 'utf8')
  await change(`${CUT}; ${MOVE}`)

  const [alarm, ...others] = await start()
  await start()

  expect(alarm).toMatchObject({
    number: 21,
    kind: 'audit.alarm',
    subject: expect.stringContaining('made for 24'),
  })
  expect(others.length).toBe(20)
  const [kept = ''] = readdirSync(folder).filter((name) => name.includes('.broken-'))
  expect(JSON.parse(readFileSync(join(folder, kept), 'utf8'))).toMatchObject({
    seal: sealText,
    head: { number: 20 },
  })
  expect(await verify()).toMatchObject({
    isIntact: false,
    brokenAt: 21,
    problem: expect.stringContaining('signalbox audit accept'),
  })

  const records = await start(accept)
  expect(await verify()).toMatchObject({ isIntact: true, rows: 22 })
  expect(records.filter(({ kind }) => kind === 'audit.alarm').length).toBe(1)
})

test('an audit of a version without a seal is sealed once, with an entry that says so', async () => {
  await start()
  noSeal()
  await change('UPDATE audit_state SET is_sealed = 0') // As the migration leaves it.
  await addOld(3)

  const [sealed] = await start()
  expect(sealed).toMatchObject({
    number: 4,
    kind: 'audit.sealed',
    subject: expect.stringContaining('3 entries'),
  })
  expect(await verify()).toMatchObject({ isIntact: true, rows: 4 })
  expect((await start()).length).toBe(4)

  noSeal()
  expect(await verify()).toMatchObject({ isIntact: false })
})

test('a seal that is behind is no alarm: the daemon was killed before it could write the newest', async () => {
  await start((store) => add(store, 5))
  const seal = readFileSync(sealPath, 'utf8')
  await start((store) => add(store, 5))
  writeSeal(sealPath, JSON.parse(seal) as { number: number; hash: string })
  expect((await start()).filter(({ kind }) => kind === 'audit.alarm')).toEqual([])
  expect(await verify()).toMatchObject({ isIntact: true, rows: 10 })
})

test('a seal that is not a file is reported with the fix', async () => {
  await start((store) => add(store, 3))
  noSeal()
  mkdirSync(sealPath)
  await expect(start()).rejects.toMatchObject({
    code: 'home_unusable',
    message: expect.stringContaining(`move ${sealPath} away`),
  })
})
