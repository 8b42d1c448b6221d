/** Lists of sessions, and sessions found by their conversation. */

import { expect, test } from 'vitest'
import {
  ids,
  messageQueued,
  permissionRequested,
  sessionCreated,
  turnEnded,
  turnStarted,
} from '../../../test/support/build.js'
import type { DataOf } from '../../protocol/event/event.js'
import type { Store } from '../port.js'
import { type OpenedStore } from './opened-store-suite.js'

export function sessionListSuite(opened: OpenedStore): void {
  const { append, aSession } = opened

  test('sessions are listed newest first, filtered and in pages', async () => {
    const one = ids.next('ses')
    const two = ids.next('ses')
    const three = ids.next('ses')
    await append(one, sessionCreated({ title: 'Fix the LOGIN page', machine: 'laptop' }))
    await append(two, sessionCreated({ kind: 'observed', cwd: '/srv/api' }))
    await append(three, sessionCreated(), messageQueued('look at 100% of it'))
    await append(three, turnStarted(ids.next('trn')))

    const listed = async (filter: Parameters<Store['sessions']>[0]) =>
      (await opened.store.sessions(filter)).map((session) => session.id)

    expect(await listed({})).toEqual([three, two, one])
    expect(await listed({ state: 'working' })).toEqual([three])
    expect(await listed({ kind: 'observed' })).toEqual([two])
    expect(await listed({ isActive: true })).toEqual([three])
    expect(await listed({ isActive: false })).toEqual([two, one])
    expect(await opened.store.activeSessions('local')).toEqual([three])
    expect(await opened.store.activeSessions('laptop')).toEqual([])
    expect(await listed({ machine: 'laptop' })).toEqual([one])
    expect(await listed({ machine: 'local' })).toEqual([three, two])
    expect(await listed({ cwd: '/srv/api' })).toEqual([two])
    expect(await listed({ text: 'login' })).toEqual([one])
    expect(await listed({ text: '100%' })).toEqual([three])
    expect(await listed({ before: three, limit: 1 })).toEqual([two])
  })

  test('sessions are found by their condition, and a change of it is an event', async () => {
    const id = await aSession()
    const turn = ids.next('trn')
    await append(id, turnStarted(turn))
    await append(id, turnEnded(turn, { outcome: 'failed', stopReason: 'api_error', errors: ['Too long'] }))
    const found = async () =>
      (await opened.store.sessions({ condition: 'failed' })).map((session) => session.id)
    expect(await found()).toEqual([id])

    await append(id, messageQueued('again'))
    expect(await found()).toEqual([])
    const events = (await opened.store.readSession(id)).map(({ event }) => event)
    expect(events.flatMap(({ type, data }) => (type === 'session.changed' ? [data] : []))).toEqual([
      { state: 'working', activity: null },
      { state: 'idle', activity: null, condition: 'failed', conditionDetail: { reason: 'Too long' } },
      { condition: null },
    ])
  })

  test('sessions are found by a tag, and with or without archived ones', async () => {
    const [one, two] = [await aSession(), await aSession()]
    const keep = (id: string, data: DataOf<'session.changed'>) =>
      append(id, { type: 'session.changed', data })
    await keep(one, { tags: ['login', '로그인 화면'] })
    await keep(two, { tags: ['log'], isArchived: true })
    const found = async (filter: Parameters<Store['sessions']>[0]) =>
      (await opened.store.sessions(filter)).map((session) => session.id)

    expect(await found({ tag: 'log' })).toEqual([two])
    expect(await found({ tag: '로그인 화면' })).toEqual([one])
    expect(await found({ isArchived: true })).toEqual([two])
    expect(await found({ isArchived: false })).toEqual([one])
    await keep(two, { isArchived: false, tags: [] })
    expect(await found({ isArchived: true })).toEqual([])
    expect(await found({ tag: 'log' })).toEqual([])
  })

  test('ended sessions are found, or left out', async () => {
    const [one, two] = [await aSession(), await aSession()]
    const data = { outcome: 'completed', reason: '' } as const
    await append(two, { type: 'session.ended', data })
    const found = async (isEnded: boolean) =>
      (await opened.store.sessions({ isEnded })).map((session) => session.id)

    expect([await found(true), await found(false)]).toEqual([[two], [one]])
  })

  test('sessions are found by the conversation behind them', async () => {
    const one = await aSession()
    const two = await aSession()
    const claudeSessionId = (await opened.store.session(one))?.claudeSessionId ?? ''
    const other = '00000000-0000-4000-8000-000000000002'
    await append(two, { type: 'session.changed', data: { claudeSessionId: other } })

    expect((await opened.store.sessions({ claudeSessionId })).map(({ id }) => id)).toEqual([one])
    expect((await opened.store.sessions({ claudeSessionId: other })).map(({ id }) => id)).toEqual([two])
  })

  test("sessions are found by Claude's id of their conversation", async () => {
    const [one, other] = [ids.next('ses'), ids.next('ses')]
    await append(one, sessionCreated())
    const adopted = crypto.randomUUID()
    await append(other, sessionCreated({ conversation: { kind: 'adopted', id: adopted } }))
    const own = (await opened.store.session(one))?.claudeSessionId ?? ''
    expect(await opened.store.knownConversations([own, 'unknown', adopted])).toEqual([
      { claudeSessionId: own, sessionId: one, kind: 'managed', isAdopted: false },
      { claudeSessionId: adopted, sessionId: other, kind: 'managed', isAdopted: true },
    ])
  })

  test('sessions are counted by their state', async () => {
    const sessionId = await aSession()
    await aSession()
    await append(sessionId, permissionRequested(ids.next('per')))
    expect(await opened.store.counts()).toEqual({
      sessions: { idle: 1, permission: 1 },
      pendingRequests: 1,
      events: 4,
    })
  })
}
