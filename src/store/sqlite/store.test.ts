import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  ids,
  messageQueued,
  notice,
  permissionRequested,
  sessionCreated,
  turnEnded,
  turnStarted,
} from '../../../test/support/build.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { auditEntry } from '../../audit/entry.js'
import { makeDurable, openDatabase } from '../../lib/sqlite/driver.js'
import type { EventDraft, SessionEvent } from '../../protocol/event/event.js'
import { applyToRequest } from '../../protocol/request.js'
import { applyEvents } from '../../protocol/view/view.js'
import { storeSuite } from '../store-suite.js'
import { migrate } from './schema.js'
import { openSqliteStore } from './store.js'

const newId = () => ids.next('evt')
const AT = '2026-11-15T12:00:00.000Z'

storeSuite('sqlite', async () =>
  openSqliteStore({ path: join(await temporaryFolder(), 'signalbox.db'), newId }),
)

test('what was appended is there after the file is opened again', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const sessionId = ids.next('ses')
  const requestId = ids.next('per')
  const first = await openSqliteStore({ path, newId })
  const drafts = [sessionCreated(), permissionRequested(requestId)].map((draft) => ({
    ...draft,
    id: newId(),
    at: AT,
  }))
  await first.append([{ sessionId, drafts }])
  const before = [await first.readAll(), await first.sessions(), await first.requests()]
  await first.close()

  const second = await openSqliteStore({ path, newId })

  expect([await second.readAll(), await second.sessions(), await second.requests()]).toEqual(before)
  const [result] = await second.append([{ sessionId, drafts: [{ ...notice('next'), id: newId(), at: AT }] }])
  expect(result).toMatchObject({ kind: 'stored', events: [{ event: { seq: 4 } }] })
  await second.close()
})

test('what is used while the usage of many sessions is being read is counted once', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const figures = { inputTokens: 1, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
  const modelUsage = { opus: { ...figures, costUsd: 1, contextWindow: null } }
  const stamp = (draft: EventDraft) => ({ ...draft, id: newId(), at: AT })
  const used = (sessionId: string, first: EventDraft[] = []) => {
    const turnId = ids.next('trn')
    const drafts = [...first, turnStarted(turnId), turnEnded(turnId, { modelUsage })].map(stamp)
    return { sessionId, drafts }
  }
  const sessions = Array.from({ length: 1_200 }, () => ids.next('ses'))
  const first = await openSqliteStore({ path, newId })
  await first.append(sessions.map((id) => used(id, [sessionCreated()])))
  await first.close()

  const second = await openSqliteStore({ path, newId })
  const asked = second.usage()
  const late = ids.next('ses')
  for (let from = 0; from < sessions.length; from += 100)
    await second.append(sessions.slice(from, from + 100).map((id) => used(id)))
  await second.append([used(late, [sessionCreated()])])
  await asked

  const counts = new Map((await second.usage()).map((sum) => [sum.sessionId, sum.inputTokens]))
  expect(counts).toEqual(new Map([...sessions.map((id): [string, number] => [id, 2]), [late, 1]]))
  await second.close()
})

test('what was stored and not yet indexed is found, also after the file is opened again', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const [kept, deleted] = [ids.next('ses'), ids.next('ses')]
  const group = (sessionId: string) => ({
    sessionId,
    drafts: [sessionCreated(), ...Array.from({ length: 300 }, () => notice('a lighthouse'))].map((draft) => ({
      ...draft,
      id: newId(),
      at: AT,
    })),
  })
  const first = await openSqliteStore({ path, newId })
  await first.append([group(kept), group(deleted)])
  await first.close()

  const second = await openSqliteStore({ path, newId })
  await second.deleteSession(deleted)
  const found = await second.search({ text: 'lighthouse' })

  expect(found).toHaveLength(300)
  expect(new Set(found.map(({ event }) => event.sessionId))).toEqual(new Set([kept]))
  await second.close()
})

test('the file can be read by its owner only', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const store = await openSqliteStore({ path, newId })

  for (const file of [path, `${path}-wal`]) expect((await stat(file)).mode & 0o777).toBe(0o600)
  await store.close()
})

test('a database of a newer version is refused with advice and left alone', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const database = await openDatabase(path)
  database.exec('PRAGMA user_version = 999')
  database.close()

  await expect(openSqliteStore({ path, newId })).rejects.toThrow(/newer version of Signalbox/)
})

test('a snapshot that an earlier version wrote, or that is broken, is made anew from the log', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const stamp = (draft: EventDraft) => ({ ...draft, id: newId(), at: AT })
  const open = () => openSqliteStore({ path, newId })
  const first = await open()
  const made = [ids.next('ses'), ids.next('ses'), ids.next('ses'), ids.next('ses')]
  for (const sessionId of made)
    await first.append([
      { sessionId, drafts: [sessionCreated(), notice('a'), permissionRequested(ids.next('per'))].map(stamp) },
    ])
  const ended = { type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } } as const
  const gone = ids.next('ses')
  await first.append([{ sessionId: gone, drafts: [sessionCreated(), ended].map(stamp) }])
  await first.trim('2099-01-01T00:00:00.000Z')
  const before = await first.sessions()
  await first.close()
  const database = await openDatabase(path)
  const change = (to: string, ...of: (string | undefined)[]) => {
    for (const id of of) database.prepare(`UPDATE session SET snapshot = ${to} WHERE id = ?`).run(id ?? '')
  }
  change("json_remove(snapshot, '$.pendingHooks')", made[0], gone)
  change("json_set(snapshot, '$.queue', 7)", made[1])
  change("'{'", made[2])
  database.close()

  const second = await open()
  for (const id of [made[1] ?? '', made[2] ?? '']) expect(await second.session(id)).not.toBeNull()
  expect(await second.sessions()).toEqual(before)
  expect(await second.sessions({ isActive: true })).toHaveLength(made.length)
  const [result] = await second.append([{ sessionId: gone, drafts: [stamp(notice('next'))] }])
  expect(result).toMatchObject({ kind: 'stored' })
  await second.close()
})

test('commits are durable: full synchronisation with a write-ahead log', async () => {
  const database = await openDatabase(join(await temporaryFolder(), 'signalbox.db'))
  makeDurable(database)

  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  database.close()
})

test('a step that fails half-way leaves no trace, and the next one goes on without a gap', async () => {
  const store = await openSqliteStore({ path: join(await temporaryFolder(), 'signalbox.db'), newId })
  const sessionId = ids.next('ses')
  const stamp = (draft: EventDraft) => ({ ...draft, id: newId(), at: AT })
  await store.append([{ sessionId, drafts: [stamp(sessionCreated())] }])
  const broken = stamp({ type: 'sdk.message', data: { message: 1n } })

  await expect(store.append([{ sessionId, drafts: [stamp(notice('lost')), broken] }])).rejects.toThrow()
  await store.append([{ sessionId, drafts: [stamp(notice('kept'))] }])

  expect((await store.readSession(sessionId)).map(({ event }) => [event.seq, event.type])).toEqual([
    [1, 'session.created'],
    [2, 'notice.raised'],
  ])
  await store.close()
})

test('a database from before external ids is brought up to date, its sessions without one', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const old = await openDatabase(path)
  migrate(old, 11)
  const id = ids.next('ses')
  const created = sessionCreated({ title: 'Old' })
  const stored: SessionEvent = {
    ...(created as SessionEvent & { type: 'session.created' }),
    seq: 1,
    id: newId(),
    sessionId: id,
    at: AT,
  }
  const { externalId: _, ...snapshot } = applyEvents(null, [stored]) ?? {}
  old
    .prepare(
      "INSERT INTO session (id, kind, state, cwd, search, is_active, snapshot) VALUES (?, 'managed', 'idle', '/', '', 0, ?)",
    )
    .run(id, JSON.stringify(snapshot))
  old
    .prepare("INSERT INTO event (session, seq, id, at, type, data) VALUES (1, 1, ?, 0, 'session.created', ?)")
    .run(stored.id, JSON.stringify(created.data))
  old.close()

  const store = await openSqliteStore({ path, newId })
  expect(await store.session(id)).toMatchObject({ title: 'Old', externalId: null })
  const name = { type: 'session.changed', data: { externalId: 'chat-1' } } as const
  await store.append([{ sessionId: id, drafts: [{ ...name, id: newId(), at: AT }] }])
  await store.close()
  const again = await openSqliteStore({ path, newId })
  expect((await again.sessions({ externalId: 'chat-1' })).map((session) => session.id)).toEqual([id])
  await again.close()
})

test('requests of a database from before the index are found by their tool call; damaged ones do not matter', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const old = await openDatabase(path)
  migrate(old, 13)
  const insert = old.prepare("INSERT INTO request VALUES (?, 'ses_1', 'pending', ?)")
  insert.run('per_1', '{ no json')
  const requestId = ids.next('per')
  const envelope = { id: newId(), seq: 1, sessionId: ids.next('ses'), at: AT }
  const event = { ...permissionRequested(requestId), ...envelope }
  insert.run(requestId, JSON.stringify(applyToRequest(null, event)))
  old.close()

  const store = await openSqliteStore({ path, newId })
  expect((await store.requests({ toolUseId: 'toolu_1' })).map(({ id }) => id)).toEqual([requestId])
  await store.close()
})

test("people's decisions of an older home are found by an index, and damaged entries do not matter", async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const old = await openDatabase(path)
  migrate(old, 19)
  const insert = old.prepare('INSERT INTO audit VALUES (?, ?, ?)')
  const entry = { at: AT, kind: 'policy.changed', subject: 'x', verdict: 'done' } as const
  insert.run(1, JSON.stringify(auditEntry({ ...entry, by: 'person', who: 'kim' })), 'h')
  insert.run(2, JSON.stringify(auditEntry({ ...entry, by: 'policy' })), 'h')
  insert.run(3, '{ "by":"person" no json', 'h')
  old.close()

  const store = await openSqliteStore({ path, newId })
  expect((await store.audit({ by: 'person' })).map(({ number }) => number)).toEqual([1])
  await store.close()
  const database = await openDatabase(path)
  const plan = database
    .prepare(
      `EXPLAIN QUERY PLAN SELECT number, entry, hash FROM audit
       WHERE number < ? AND number > ? AND instr(entry, '"by":"person"') > 0 ORDER BY number DESC`,
    )
    .all(9, 0)
  expect(JSON.stringify(plan)).toContain('audit_by_person')
  database.close()
})

test('a home from before there were saved prompts takes them', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const old = await openDatabase(path)
  migrate(old, 19)
  old.close()
  const prompt = { name: 'review', text: 'Review it.', savedAt: AT, savedBy: 'kim', role: 'admin' } as const

  const store = await openSqliteStore({ path, newId })
  expect(await store.prompts()).toEqual([])
  await store.changePrompt('review', () => prompt)
  await store.close()
  const again = await openSqliteStore({ path, newId })
  expect(await again.prompts()).toEqual([prompt])
  await again.close()
})

test('sessions of a home from before there were conditions are found by them, with names from their log', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const old = await openDatabase(path)
  migrate(old, 17)
  const [turn, messageId] = [ids.next('trn'), ids.next('msg')]
  const keep = (failure: Parameters<typeof turnEnded>[1]): string => {
    const id = ids.next('ses')
    const drafts = [
      sessionCreated(),
      messageQueued('# Fix login', messageId),
      turnStarted(turn),
      { type: 'message.delivered' as const, data: { messageId } },
      turnEnded(turn, failure),
    ]
    const events = drafts.map((draft, index) => {
      const envelope = { seq: index + 1, id: newId(), sessionId: id, at: AT }
      return { ...draft, ...envelope }
    })
    const { name: _, conditionDetail: __, failure: ___, ...snapshot } = applyEvents(null, events) ?? {}
    const { lastInsertRowid: key } = old
      .prepare(
        "INSERT INTO session (id, kind, state, cwd, search, is_active, snapshot) VALUES (?, 'managed', 'idle', '/', '', 0, ?)",
      )
      .run(id, JSON.stringify({ ...snapshot, condition: null }))
    for (const { seq, id: event, type, data } of events)
      old
        .prepare('INSERT INTO event (session, seq, id, at, type, data) VALUES (?, ?, ?, 0, ?, ?)')
        .run(key, seq, event, type, JSON.stringify(data))
    return id
  }
  const failed = keep({ outcome: 'failed', stopReason: 'api_error', errors: ['Too long'] })
  const cut = keep({ outcome: 'failed', stopReason: 'daemon_restarted' })
  keep({})
  old.close()

  const store = await openSqliteStore({ path, newId })
  const found = async (condition: 'failed' | 'interrupted') =>
    (await store.sessions({ condition })).map(({ id, name, condition: own }) => [id, name, own])
  expect(await found('failed')).toEqual([[failed, 'Fix login', 'failed']])
  expect(await found('interrupted')).toEqual([[cut, 'Fix login', 'interrupted']])
  expect(await store.sessions({ isArchived: false })).toHaveLength(3)
  await store.close()
})

test('a store that is closed says so', async () => {
  const store = await openSqliteStore({
    path: join(await temporaryFolder(), 'a.db'),
    newId: () => ids.next('evt'),
  })
  await store.close()

  const closed = { code: 'session_not_driven', message: 'This Signalbox is closed. Create a new one.' }
  await expect(store.sessions()).rejects.toMatchObject(closed)
  await expect(store.append([])).rejects.toMatchObject(closed)
})

test('credentials of a home from before there were users still open it, and belong to none', async () => {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const old = await openDatabase(path)
  migrate(old, 21)
  const insert = old.prepare('INSERT INTO credential VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  insert.run('crd_1', 'bot', 'operator', 'token', 'd1', AT, null, null)
  old.close()

  const store = await openSqliteStore({ path, newId })
  expect(await store.credential('d1', AT)).toMatchObject({
    id: 'crd_1',
    name: 'bot',
    user: null,
    device: null,
  })
  expect(await store.records('user')).toEqual([])
  await store.saveRecords([{ kind: 'user', id: 'kim', body: { may: 'answer' } }])
  await store.close()
  const again = await openSqliteStore({ path, newId })
  expect(await again.record('user', 'kim')).toEqual({ may: 'answer' })
  await again.close()
})
