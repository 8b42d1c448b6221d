import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ids, permissionRequested, permissionResolved, sessionCreated } from '../../test/support/build.js'
import { damageAllPages } from '../../test/support/storage-fault.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { verifyDatabase } from '../audit/database.js'
import { auditEntry } from '../audit/entry.js'
import { writeSeal } from '../audit/seal.js'
import { type Home, homeAt, lockHome, openHome, RESTORE_MARKER } from '../home.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import { inspectDatabase } from '../store/damage.js'
import type { Credential } from '../store/port.js'
import { openSqliteStore } from '../store/sqlite/store.js'
import { writeBackup } from './backup.js'
import { restoreBackup } from './restore.js'

const NOW = '2026-11-16T12:00:00.000Z'
const LATER = '2026-11-16T13:00:00.000Z'
const SECRET = 'token-that-must-not-leave-the-home-0123456789'

async function setup() {
  const folder = await temporaryFolder()
  const home = homeAt(join(folder, 'home'))
  await mkdir(home.path, { mode: 0o700 })
  await writeFile(join(home.path, 'token'), SECRET, { mode: 0o600 })
  await writeFile(join(home.path, 'policy.jsonc'), '{ "preset": "careful" }')
  const first = await addNotice(home, 'before the backup')
  const target = join(folder, 'copy.backup')
  const back = (hasSecrets = false) => writeBackup({ home, target, hasSecrets, version: '1', now: NOW })
  const restore = (isKeepingTokens = false) =>
    restoreBackup({ home, source: target, who: 'kim', now: NOW, isKeepingTokens })
  return { folder, home, first, target, back, restore }
}

async function withStore<T>(
  home: Home,
  work: (store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<T>,
) {
  const store = await openSqliteStore({ path: home.database, newId: () => ids.next('evt') })
  try {
    const result = await work(store)
    writeSeal(home.auditSeal, await store.auditHead())
    return result
  } finally {
    await store.close()
  }
}

function addNotice(home: Home, text: string): Promise<string> {
  const sessionId = ids.next('ses')
  const stamp = () => ({ id: ids.next('evt'), at: NOW })
  return withStore(home, async (store) => {
    await store.append([{ sessionId, drafts: [{ ...sessionCreated(), ...stamp() }] }])
    await store.addAudit(
      auditEntry({ at: NOW, kind: 'policy.changed', by: 'person', subject: text, verdict: 'changed' }),
    )
    return sessionId
  })
}

const eventsOf = (home: Home, sessionId: string) =>
  withStore(home, async (store) => (await store.readSession(sessionId)).length)

test('a backup brings back what was there when it was taken, and says so in the audit', async () => {
  const { home, first, back, restore } = await setup()
  await back()
  const later = await addNotice(home, 'after the backup')
  writeFileSync(join(home.path, 'policy.jsonc'), '{ "preset": "classic" }')

  const { replaced, files } = await restore()

  expect(await eventsOf(home, first)).toBe(1)
  expect(await eventsOf(home, later)).toBe(0)
  expect(files).toEqual(['policy.jsonc'])
  expect(readFileSync(join(home.path, 'policy.jsonc'), 'utf8')).toContain('careful')
  expect(await verifyDatabase(home.database, home.auditSeal)).toMatchObject({ isIntact: true, rows: 2 })
  const [row] = await withStore(home, (store) => store.audit({ limit: 1 }))
  expect(JSON.parse(row?.entry ?? '{}')).toMatchObject({
    kind: 'storage.restored',
    who: 'kim',
    verdict: 'restored',
  })
  expect(existsSync(join(replaced ?? '', 'signalbox.db'))).toBe(true)
})

test('a restore puts away what a runner has handed in to the data that is replaced', async () => {
  const { home, back, restore } = await setup()
  await back()
  await mkdir(join(home.path, 'run'))
  await writeFile(join(home.path, 'run', 'spool.jsonl'), 'entries')

  const { replaced } = await restore()

  expect(existsSync(join(home.path, 'run', 'spool.jsonl'))).toBe(false)
  expect(readFileSync(join(replaced ?? '', 'spool.jsonl'), 'utf8')).toBe('entries')
})

const INDEX_TABLES = ['event_text_data', 'event_text_idx', 'event_text_docsize', 'event_text_config']
const DAMAGES = INDEX_TABLES.flatMap((table) => [0, 0xee].map((byte) => [table, byte] as const))

test.each(DAMAGES)(
  'a backup leaves out an index of the search whose pages are damaged (%s with %i), and can be restored',
  async (table, byte) => {
    const { folder, home, first, back, restore } = await setup()
    await damageAllPages(home.database, table, byte)

    expect(await back()).toMatchObject({ sessions: 1, events: 1 })

    expect((await readdir(folder)).toSorted()).toEqual(['copy.backup', 'home'])
    await restore()
    expect(await eventsOf(home, first)).toBe(1)
    expect(await inspectDatabase(home.database)).toMatchObject({ state: 'ok' })
  },
)

test('a backup of damaged index content can be restored, and the search finds everything again', async () => {
  const { home, back, restore } = await setup()
  const sessionId = ids.next('ses')
  const stamp = () => ({ id: ids.next('evt'), at: NOW })
  const data = { level: 'info', topic: 'test', text: 'a lighthouse' } as const
  await withStore(home, async (store) => {
    const drafts = [sessionCreated(), { type: 'notice.raised' as const, data }]
    await store.append([{ sessionId, drafts: drafts.map((draft) => ({ ...draft, ...stamp() })) }])
    expect(await store.search({ text: 'lighthouse' })).toHaveLength(1)
  })
  const database = await openDatabase(home.database)
  database.enableDefensive(false)
  database.exec('UPDATE event_text_data SET block = randomblob(length(block)) WHERE id > 1')
  database.close()

  await back()
  await restore()

  await withStore(home, async (store) => {
    expect(await store.search({ text: 'lighthouse' })).toHaveLength(1)
  })
})

test('a backup of damaged events fails, and leaves nothing behind', async () => {
  const { folder, home, back } = await setup()
  await damageAllPages(home.database, 'event', 0xee)

  await expect(back()).rejects.toThrow()

  expect(await readdir(folder)).toEqual(['home'])
})

test('it is readable by its owner only and holds no token unless asked', async () => {
  const { target, back } = await setup()
  await back()

  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(readFileSync(target).includes(SECRET)).toBe(false)
})

test('with secrets the token is in it; it comes back where there is none, or if that is asked for', async () => {
  const { home, target, back, restore } = await setup()
  await back(true)
  const token = join(home.path, 'token')
  writeFileSync(token, 'another token, made later')
  await restore()
  expect(readFileSync(target).includes(SECRET)).toBe(true)
  expect(readFileSync(token, 'utf8')).toBe('another token, made later')

  await restoreBackup({ home, source: target, who: 'kim', now: LATER, isKeepingTokens: true })
  expect(readFileSync(token, 'utf8')).toBe(SECRET)
  expect(statSync(token).mode & 0o777).toBe(0o600)
})

const credential = (name: string, more: Partial<Credential> = {}): Credential => ({
  id: `crd_${name}`,
  name,
  role: 'admin',
  kind: 'token',
  digest: `digest of ${name}`,
  createdAt: NOW,
  expiresAt: null,
  parentId: null,
  user: null,
  device: null,
  answersByMcp: false,
  ...more,
})

/** A home whose rights have changed since its backup. */
async function setupRights() {
  const all = await setup()
  const { home, first, back } = all
  const stamp = () => ({ id: ids.next('evt'), at: NOW })
  const requestIds = [ids.next('per'), ids.next('per')]
  await withStore(home, async (store) => {
    for (const name of ['leaver', 'stayer']) await store.addCredential(credential(name))
    await store.addCredential(credential('phone', { kind: 'browser', parentId: 'crd_leaver' }))
    await store.saveRecords([
      { kind: 'user', id: 'leaver', body: { may: 'answer' } },
      { kind: 'answer-token', id: 'digest', body: { user: 'leaver' } },
      { kind: 'cursor', id: 'notifications', body: { position: 1 } },
    ])
    for (const path of ['/srv/left', '/srv/kept'])
      await store.trust({ machine: 'local', path, trustedAt: NOW, trustedBy: 'kim' })
    for (const [index, tool] of ['Write', 'WebFetch'].entries()) {
      const requestId = requestIds[index] ?? ''
      const drafts = [
        permissionRequested(requestId),
        permissionResolved(requestId, { decision: 'allowAll', grant: { tool } }),
      ]
      await store.append([{ sessionId: first, drafts: drafts.map((draft) => ({ ...draft, ...stamp() })) }])
    }
  })
  await back(true)
  await withStore(home, async (store) => {
    await store.removeCredential('crd_leaver')
    await store.addCredential(credential('newcomer'))
    await store.saveRecords([
      { kind: 'user', id: 'leaver', body: null },
      { kind: 'answer-token', id: 'digest', body: null },
      { kind: 'user', id: 'newcomer', body: { may: 'see' } },
    ])
    await store.distrust({ machine: 'local', path: '/srv/left' })
    const revoked = { tool: 'Write', by: { who: 'kim', via: 'api' as const } }
    const draft = { type: 'grant.revoked' as const, data: revoked, ...stamp() }
    await store.append([{ sessionId: first, drafts: [draft] }])
  })
  const rights = () =>
    withStore(home, async (store) => ({
      credentials: (await store.credentials(NOW)).map(({ name }) => name).toSorted(),
      trusted: (await store.trustedWorkspaces()).map(({ path }) => path),
      users: [...(await store.records('user')), ...(await store.records('answer-token'))].map(({ id }) => id),
      grants: (await store.session(first))?.grants.map(({ tool }) => tool),
    }))
  return { ...all, rights }
}

test('what was revoked after the backup stays revoked, what was given since stays, and the audit says so', async () => {
  const { home, restore, rights } = await setupRights()

  const summary = await restore()

  expect(await rights()).toEqual({
    credentials: ['newcomer', 'stayer'],
    trusted: ['/srv/kept'],
    users: ['newcomer'],
    grants: ['WebFetch'],
  })
  expect(summary.rights).toEqual({
    droppedCredentials: ['leaver', 'phone (login)'],
    distrusted: ['/srv/left'],
    revokedGrants: 1,
  })
  const [row] = await withStore(home, (store) => store.audit({ limit: 1, kind: ['storage.restored'] }))
  expect(row?.entry).toContain('tokens and logins not restored: leaver, phone (login)')
  expect(await verifyDatabase(home.database, home.auditSeal)).toMatchObject({ isIntact: true })
})

test('where nobody knows what was revoked, no right comes back unless that is asked for', async () => {
  const { home, target, restore, rights } = await setupRights()
  writeFileSync(home.database, 'damaged')
  await restore()
  expect(await rights()).toEqual({ credentials: [], trusted: [], grants: [], users: [] })

  const summary = await restoreBackup({ home, source: target, who: 'kim', now: LATER, isKeepingTokens: true })
  expect(summary.rights).toBeNull()
  expect(await rights()).toEqual({
    credentials: ['leaver', 'phone', 'stayer'],
    trusted: ['/srv/kept', '/srv/left'],
    users: ['leaver', 'digest'],
    grants: ['Write', 'WebFetch'],
  })
})

test('a file that exists is not overwritten', async () => {
  const { target, back } = await setup()
  writeFileSync(target, 'precious')

  await expect(back()).rejects.toMatchObject({ code: 'request_invalid' })

  expect(readFileSync(target, 'utf8')).toBe('precious')
})

test('nothing is restored while the home is in use, or from a file that is no whole backup', async () => {
  const { home, first, target, back, restore } = await setup()
  await back()
  const lock = await lockHome(home)
  await expect(restore()).rejects.toMatchObject({ code: 'daemon_running' })
  lock.release()

  const whole = readFileSync(target)
  const damaged = Buffer.from(whole)
  for (let at = 8192; at < damaged.length; at += 8192) damaged.fill(7, at, at + 4096)
  for (const bytes of [damaged, whole.subarray(0, whole.length / 2), Buffer.from('text'), Buffer.alloc(0)]) {
    writeFileSync(target, bytes)
    await expect(restore()).rejects.toMatchObject({ code: 'storage_damaged' })
    expect(await eventsOf(home, first)).toBe(1)
  }
  expect((await readdir(home.path)).filter((name) => name.includes('restoring'))).toEqual([])
})

test('what an interrupted restore has left does not get into the next one', async () => {
  const { folder, home, target, back, restore } = await setup()
  await back()
  await addNotice(home, 'after the backup')
  const other = join(folder, 'other.backup')
  await writeBackup({ home, target: other, hasSecrets: false, version: '1', now: NOW })
  // As left behind by a kill: the copy of the other backup, with its log, and the same under the name of older versions.
  for (const path of [
    join(home.path, 'signalbox.db.restoring'),
    join(home.path, 'restoring-1', 'signalbox.db'),
  ])
    await leaveHalf(other, path)

  await restore()

  expect(readFileSync(target).length).toBeGreaterThan(0)
  expect(await verifyDatabase(home.database, home.auditSeal)).toMatchObject({ isIntact: true, rows: 2 })
  expect((await readdir(home.path)).filter((name) => name.includes('restoring'))).toEqual([])
})

/** A copy with pages that are in its write-ahead log only. */
async function leaveHalf(source: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const database = await openDatabase(path)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE half (text); INSERT INTO half VALUES (1)')
  for (const ending of ['-wal', '-shm']) await writeFile(`${path}${ending}.kept`, readFileSync(path + ending))
  database.close()
  await writeFile(path, readFileSync(source))
  for (const ending of ['-wal', '-shm']) renameSync(`${path}${ending}.kept`, path + ending)
}

test('a reader from before a restore gets a gap, not later events as if it had missed none', async () => {
  const { home, first, back, restore } = await setup()
  await back()
  await addNotice(home, 'lost')
  const [position, seq] = await withStore(home, async (store) => {
    const stamp = { id: ids.next('evt'), at: NOW }
    await store.append([
      { sessionId: first, drafts: [{ type: 'session.changed', data: { title: 'lost' }, ...stamp }] },
    ])
    return [await store.lastPosition(), (await store.session(first))?.lastSeq ?? 0]
  })

  await restore()
  for (let count = 0; count < 4; count++) await addNotice(home, 'new')

  await withStore(home, async (store) => {
    const stamp = { id: ids.next('evt'), at: NOW }
    await store.append([
      { sessionId: first, drafts: [{ type: 'session.changed', data: { title: 'new' }, ...stamp }] },
    ])
    expect(await store.gapBehind(undefined, position)).toMatchObject({ after: position })
    expect(await store.gapBehind(first, seq)).toMatchObject({ after: seq })
    expect((await store.readAll({ after: position })).map(({ event }) => event.seq > 0)).toHaveLength(5)
  })
})

test('a backup that was interrupted is not there, and one that is not complete is refused', async () => {
  const { folder, home, target, back, restore } = await setup()
  await mkdir(join(home.path, 'config.jsonc')) // Cannot be copied.

  await expect(back()).rejects.toThrow()

  expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual([])
  rmSync(join(home.path, 'config.jsonc'), { recursive: true })
  await back()
  const copy = await openDatabase(target)
  copy.exec('DELETE FROM backup_info')
  copy.close()
  await expect(restore()).rejects.toMatchObject({ code: 'storage_damaged' })
})

test('a backup with a trigger in it, or something that is no file, is refused', async () => {
  const { folder, home, first, target, back, restore } = await setup()
  await back()
  const copy = await openDatabase(target)
  copy.exec('CREATE TRIGGER own AFTER INSERT ON event BEGIN DELETE FROM workspace; END')
  copy.close()
  await expect(restore()).rejects.toMatchObject({ code: 'storage_damaged' })

  const folderAsSource = restoreBackup({ home, source: folder, who: 'kim', now: NOW })
  await expect(folderAsSource).rejects.toMatchObject({ code: 'request_invalid' })
  expect(await eventsOf(home, first)).toBe(1)
})

test('a restore that was cut off is never taken for an empty home', async () => {
  const { home } = await setup()
  writeFileSync(join(home.path, RESTORE_MARKER), NOW)

  expect(() => openHome(home.path)).toThrow(expect.objectContaining({ code: 'storage_damaged' }))
})
