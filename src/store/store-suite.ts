/** Contract tests for every store adapter. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ids,
  messageQueued,
  notice,
  permissionRequested,
  permissionResolved,
  sessionCreated,
  turnEnded,
  turnStarted,
} from '../../test/support/build.js'
import { recordOf } from '../audit/chain.js'
import { auditEntry } from '../audit/entry.js'
import { verifyAudit } from '../audit/verify.js'
import type { EventDraft } from '../protocol/event/event.js'
import { givenOptions, NO_OPTIONS } from '../protocol/option/option-role.js'
import type { AppendGroup, AppendResult, EventFilter, Store, StoredEvent } from './port.js'

const TURN = ids.next('trn')
const ENDED: EventDraft = { type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } }
const USED = {
  modelUsage: {
    'model-a': {
      inputTokens: 3,
      outputTokens: 2,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      costUsd: 0.5,
      contextWindow: null,
    },
  },
}
const AT = '2026-11-15T12:00:00.000Z'
const GIVEN = givenOptions({ maxTurns: 3, env: { TOKEN: 'secret' } }, 'admin')

export function storeSuite(name: string, open: () => Promise<Store>): void {
  describe(`${name} store`, () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    const group = (sessionId: string, drafts: EventDraft[], once?: AppendGroup['once']): AppendGroup => ({
      sessionId,
      drafts: drafts.map((draft) => ({ ...draft, id: ids.next('evt'), at: AT })),
      ...(once && { once }),
    })
    const append = async (sessionId: string, ...drafts: EventDraft[]): Promise<AppendResult> => {
      const [result] = await store.append([group(sessionId, drafts)])
      if (!result) throw new Error('a store answers every group')
      return result
    }
    const aSession = async (): Promise<string> => {
      const sessionId = ids.next('ses')
      await append(sessionId, sessionCreated())
      return sessionId
    }

    test('events are numbered from 1 without a gap, per session', async () => {
      const one = await aSession()
      const two = await aSession()
      await append(one, notice('a'), notice('b'))
      await append(two, notice('c'))
      await append(one, notice('d'))

      const read = await store.readSession(one)

      expect(read.map(({ event }) => [event.seq, event.type])).toEqual([
        [1, 'session.created'],
        [2, 'notice.raised'],
        [3, 'notice.raised'],
        [4, 'notice.raised'],
      ])
      expect((await store.readSession(two)).map(({ event }) => event.seq)).toEqual([1, 2])
    })

    test('events of some types are found in order, however far apart they are', async () => {
      const [id, other] = [await aSession(), await aSession()]
      const between = Array.from({ length: 6_000 }, () => notice('between'))
      for (const text of ['one', 'two', 'three']) {
        await append(id, messageQueued(text))
        await append(other, ...between)
      }
      const found = async (filter: EventFilter) =>
        (await store.readAll(filter)).map(({ event }) => event.type === 'message.queued' && event.data.text)

      expect(await found({ types: ['message.queued'] })).toEqual(['one', 'two', 'three'])
      expect(await found({ types: ['message.queued'], limit: 2 })).toEqual(['one', 'two'])
      expect(await found({ types: ['message.queued'], after: 7_000 })).toEqual(['three'])
      expect(await found({ types: ['turn.started'] })).toEqual([])
    })

    test('many appends at once keep their order and leave no gap', async () => {
      const sessions = await Promise.all([aSession(), aSession(), aSession()])
      await Promise.all(
        Array.from({ length: 60 }, (_, index) => append(sessions[index % 3] ?? '', notice(String(index)))),
      )

      for (const [offset, id] of sessions.entries()) {
        const events = (await store.readSession(id)).slice(1)
        expect(events.map(({ event }) => event.seq)).toEqual(
          Array.from({ length: 20 }, (_, index) => index + 2),
        )
        expect(events.map(({ event }) => event.type === 'notice.raised' && Number(event.data.text))).toEqual(
          Array.from({ length: 20 }, (_, index) => index * 3 + offset),
        )
      }
    })

    test('what is read is what was appended, with its stamp', async () => {
      const sessionId = ids.next('ses')
      const created = group(sessionId, [sessionCreated({ title: 'Grüße, 세션 🚦 \u2028 \ud800' })])
      await store.append([created])

      const [stored] = await store.readSession(sessionId)

      expect(stored?.event).toEqual({ ...created.drafts[0], sessionId, seq: 1 })
    })

    test('all events are read in the order of storing, from a position', async () => {
      const one = await aSession()
      const two = await aSession()
      await append(one, notice('a'))
      await append(two, notice('b'))

      const all = await store.readAll()

      expect(all.map(({ event }) => event.sessionId)).toEqual([one, two, one, two])
      const positions = all.map(({ position }) => position)
      expect(positions).toEqual(positions.toSorted((first, second) => first - second))
      expect(await store.readAll({ after: all[1]?.position ?? 0 })).toEqual(all.slice(2))
      expect(await store.readAll({ limit: 2 })).toEqual(all.slice(0, 2))
      expect(await store.lastPosition()).toBe(all[3]?.position)
    })

    test('a page ends with the event with which it has enough bytes, and goes on behind it', async () => {
      const id = await aSession()
      const text = 'word '.repeat(200)
      await append(id, ...Array.from({ length: 5 }, () => messageQueued(text)))
      const of = (events: readonly StoredEvent[]) => events.map(({ event }) => event.seq)
      const types = ['message.queued'] as const
      expect(of(await store.readSession(id, { after: 1, maxBytes: 1_500 }))).toEqual([2, 3])
      expect(of(await store.readSession(id, { after: 3, maxBytes: 1 }))).toEqual([4])
      expect(of(await store.readAll({ types, maxBytes: 1_500 }))).toEqual([2, 3])
      expect(of(await store.readAll({ types, maxBytes: 1_000_000 }))).toEqual([2, 3, 4, 5, 6])
      expect(of(await store.search({ text: 'word', maxBytes: 1_500 }))).toEqual([6, 5])
    })

    test('events are read behind a seq, up to a limit, of some types', async () => {
      const id = await aSession()
      await append(id, notice('a'), messageQueued('hello'), notice('b'))

      expect((await store.readSession(id, { after: 2 })).map(({ event }) => event.seq)).toEqual([3, 4])
      expect((await store.readSession(id, { limit: 1 })).map(({ event }) => event.seq)).toEqual([1])
      expect(
        (await store.readSession(id, { types: ['notice.raised'] })).map(({ event }) => event.seq),
      ).toEqual([2, 4])
      expect(await store.readSession(ids.next('ses'))).toEqual([])
    })

    test('a session must be created before anything else, and only once', async () => {
      const unknown = ids.next('ses')
      expect(await append(unknown, notice('a'))).toEqual({
        kind: 'refused',
        why: { kind: 'session_unknown' },
      })
      expect(await store.session(unknown)).toBeNull()

      const known = await aSession()
      expect(await append(known, sessionCreated())).toEqual({
        kind: 'refused',
        why: { kind: 'session_exists' },
      })
      expect(await store.readSession(known)).toHaveLength(1)
    })

    test('a group is stored whole or not at all, and a refused one does not hinder its neighbours', async () => {
      const id = await aSession()
      const missing = ids.next('per')

      const results = await store.append([
        group(id, [notice('before')]),
        group(id, [notice('lost'), permissionResolved(missing)]),
        group(id, [notice('after')]),
      ])

      expect(results.map((result) => result.kind)).toEqual(['stored', 'refused', 'stored'])
      const texts = (await store.readSession(id, { after: 1 })).map(
        ({ event }) => event.type === 'notice.raised' && event.data.text,
      )
      expect(texts).toEqual(['before', 'after'])
    })

    test('a change of state is stored as a fact, with what caused it', async () => {
      const id = await aSession()
      const turn = ids.next('trn')

      await append(id, turnStarted(turn))
      await append(id, turnEnded(turn))

      const events = await store.readSession(id, { after: 1 })
      expect(
        events.map(({ event }) => [event.type, event.type === 'session.changed' && event.data.state]),
      ).toEqual([
        ['turn.started', false],
        ['session.changed', 'working'],
        ['turn.ended', false],
        ['session.changed', 'idle'],
      ])
    })

    test('the end of a session cancels what still waits for it, and an ended one takes nothing more', async () => {
      const id = await aSession()
      const messageId = ids.next('msg')
      await append(id, messageQueued('one', messageId))
      const end = { type: 'session.ended', data: { outcome: 'interrupted', reason: 'Stopped.' } } as const

      const results = await store.append([group(id, [end]), group(id, [messageQueued('two')])])

      expect(results[1]).toEqual({ kind: 'refused', why: { kind: 'session_ended' } })
      const told = (await store.readSession(id, { after: 2 })).map(({ event }) => [event.type, event.data])
      expect(told).toEqual([
        ['message.cancelled', { messageId, reason: 'Stopped.' }],
        ['session.ended', end.data],
        ['session.changed', { state: 'ended', activity: null }],
      ])
      expect((await store.session(id))?.queue).toEqual([])
    })

    test('a request is resolved exactly once', async () => {
      const id = await aSession()
      const requestId = ids.next('per')
      await append(id, permissionRequested(requestId))
      expect(await store.requests({ state: 'pending' })).toMatchObject([
        { id: requestId, sessionId: id, resolution: null },
      ])

      const [first, second] = await Promise.all([
        append(id, permissionResolved(requestId, { decision: 'allow', who: 'first' })),
        append(id, permissionResolved(requestId, { decision: 'deny', who: 'second' })),
      ])

      expect(first.kind).toBe('stored')
      expect(second).toEqual({ kind: 'refused', why: { kind: 'request_not_pending', requestId } })
      expect(await store.request(requestId)).toMatchObject({
        state: 'resolved',
        resolution: { decision: 'allow', by: 'person', who: 'first', at: AT },
      })
      expect(await store.requests({ state: 'pending' })).toEqual([])
    })

    test('two answers in one step: the first wins', async () => {
      const id = await aSession()
      const requestId = ids.next('per')
      await append(id, permissionRequested(requestId))

      const results = await store.append([
        group(id, [permissionResolved(requestId, { who: 'first' })]),
        group(id, [permissionResolved(requestId, { who: 'second' })]),
      ])

      expect(results.map((result) => result.kind)).toEqual(['stored', 'refused'])
      expect((await store.request(requestId))?.resolution?.who).toBe('first')
    })

    test('requests are listed oldest first, by state and session, in pages', async () => {
      const one = await aSession()
      const two = await aSession()
      const requests = [ids.next('per'), ids.next('per'), ids.next('per')] as const
      await append(one, permissionRequested(requests[0]))
      await append(two, permissionRequested(requests[1]))
      await append(one, permissionRequested(requests[2]))
      await append(one, permissionResolved(requests[0]))

      const listed = async (filter: Parameters<Store['requests']>[0]) =>
        (await store.requests(filter)).map((request) => request.id)

      expect(await listed({})).toEqual(requests)
      expect(await listed({ state: 'pending' })).toEqual(requests.slice(1))
      expect(await listed({ sessionId: one, state: 'resolved' })).toEqual([requests[0]])
      expect(await listed({ after: requests[0], limit: 1 })).toEqual([requests[1]])
      expect(await listed({ toolUseId: 'toolu_1' })).toEqual(requests)
      expect(await listed({ toolUseId: 'toolu_1', state: 'resolved' })).toEqual([requests[0]])
      expect(await listed({ toolUseId: 'toolu_9' })).toEqual([])
    })

    test('requests whose ids do not follow time, as those of terminals, are in the pages once each', async () => {
      const id = await aSession()
      const requests = [ids.next('per'), ids.next('per'), ids.next('per')]
      for (const requestId of requests.toReversed()) await append(id, permissionRequested(requestId))

      const first = await store.requests({ limit: 2 })
      const second = await store.requests({ limit: 2, after: first.at(-1)?.id ?? '' })

      expect([...first, ...second].map((request) => request.id)).toEqual(requests)
    })

    test('a key is used once; the second user gets the first value and stores nothing', async () => {
      const id = await aSession()
      const send = (value: string, more: { key?: string; digest?: string } = {}) =>
        store.append([group(id, [messageQueued(value)], { scope: id, key: 'k', value, ...more })])
      const used = (isSame: boolean) => [{ kind: 'refused', why: { kind: 'key_used', value: 'one', isSame } }]

      expect((await send('one'))[0]?.kind).toBe('stored')
      expect(await send('two')).toEqual(used(true))
      expect(await store.readSession(id)).toHaveLength(2)
      await send('one', { key: 'j', digest: 'd1' })
      expect(await send('two', { key: 'j', digest: 'd1' })).toEqual(used(true))
      expect(await send('two', { key: 'j', digest: 'd2' })).toEqual(used(false))
    })

    test('facts are kept by name, replaced and forgotten', async () => {
      await store.setState('a:2', 'two')
      await store.setState('a:1', 'one')
      await store.setState('b', 'other')
      await store.setState('a:1', 'first')
      expect(await store.state('a:1')).toBe('first')
      expect(await store.states('a:')).toEqual([
        { key: 'a:1', value: 'first' },
        { key: 'a:2', value: 'two' },
      ])
      await store.setState('a:1', null)
      expect([await store.state('a:1'), await store.state('c')]).toEqual([null, null])
    })

    test('keys are forgotten up to a place in their scope, and may be used again', async () => {
      const id = await aSession()
      const use = async (scope: string, key: string) =>
        (await store.append([group(id, [messageQueued('x')], { scope, key, value: id })]))[0]?.kind
      for (const key of ['a', 'b', 'c']) await use('here', key)
      await use('there', 'a')

      await store.forgetKeys('here', 'c')

      expect(await Promise.all(['a', 'b', 'c'].map((key) => use('here', key)))).toEqual([
        'stored',
        'stored',
        'refused',
      ])
      expect(await use('there', 'a')).toBe('refused')
    })

    test('a refused group does not use up its key', async () => {
      const id = await aSession()
      const missing = ids.next('per')
      const once = { scope: 's', key: 'k', value: 'v' }

      await store.append([group(id, [permissionResolved(missing)], once)])

      expect((await store.append([group(id, [notice('a')], once)]))[0]?.kind).toBe('stored')
    })

    test('sessions are listed newest first, filtered and in pages', async () => {
      const one = ids.next('ses')
      const two = ids.next('ses')
      const three = ids.next('ses')
      await append(one, sessionCreated({ title: 'Fix the LOGIN page' }))
      await append(two, sessionCreated({ kind: 'observed', cwd: '/srv/api' }))
      await append(three, sessionCreated(), messageQueued('look at 100% of it'))
      await append(three, turnStarted(ids.next('trn')))

      const listed = async (filter: Parameters<Store['sessions']>[0]) =>
        (await store.sessions(filter)).map((session) => session.id)

      expect(await listed({})).toEqual([three, two, one])
      expect(await listed({ state: 'working' })).toEqual([three])
      expect(await listed({ kind: 'observed' })).toEqual([two])
      expect(await listed({ isActive: true })).toEqual([three])
      expect(await listed({ isActive: false })).toEqual([two, one])
      expect(await store.activeSessions()).toEqual([three])
      expect(await listed({ cwd: '/srv/api' })).toEqual([two])
      expect(await listed({ text: 'login' })).toEqual([one])
      expect(await listed({ text: '100%' })).toEqual([three])
      expect(await listed({ before: three, limit: 1 })).toEqual([two])
    })

    test('sessions are found by the conversation behind them', async () => {
      const one = await aSession()
      const two = await aSession()
      const claudeSessionId = (await store.session(one))?.claudeSessionId ?? ''
      const other = '00000000-0000-4000-8000-000000000002'
      await append(two, { type: 'session.changed', data: { claudeSessionId: other } })

      expect((await store.sessions({ claudeSessionId })).map(({ id }) => id)).toEqual([one])
      expect((await store.sessions({ claudeSessionId: other })).map(({ id }) => id)).toEqual([two])
    })

    test('the options of a session are kept as they are, and apart from its events', async () => {
      const id = await aSession()
      await store.setOptions(id, GIVEN)

      expect(await store.options(id)).toEqual(GIVEN)
      expect(await store.options(ids.next('ses'))).toEqual(NO_OPTIONS)
    })

    describe('external ids', () => {
      const named = (externalId: string) => sessionCreated({ externalId })
      const renamed = (externalId: string | null): EventDraft => ({
        type: 'session.changed',
        data: { externalId },
      })
      const reopened: EventDraft = { type: 'session.changed', data: { state: 'idle' } }
      const taken = (holder: string, externalId = 'chat-1') => ({
        kind: 'refused',
        why: { kind: 'external_id_taken', externalId, holder },
      })

      test('two sessions that are created with one at once: exactly one of them is stored', async () => {
        const contenders = Array.from({ length: 5 }, () => ids.next('ses'))
        const results = await store.append(contenders.map((id) => group(id, [named('chat-1')])))
        expect(results.map(({ kind }) => kind)).toEqual([
          'stored',
          ...contenders.slice(1).map(() => 'refused'),
        ])
        expect(results[1]).toEqual(taken(contenders[0] ?? ''))
        expect((await store.sessions({ externalId: 'chat-1' })).map(({ id }) => id)).toEqual([contenders[0]])
      })

      test('a session that has ended keeps its own, and others may have the same', async () => {
        const [first, second] = [ids.next('ses'), ids.next('ses')]
        await append(first, named('chat-1'))
        // Also within one commit.
        const results = await store.append([group(first, [ENDED]), group(second, [named('chat-1')])])
        expect(results.map(({ kind }) => kind)).toEqual(['stored', 'stored'])
        expect((await store.sessions({ externalId: 'chat-1' })).map(({ id }) => id)).toEqual([second, first])
        expect(await append(first, reopened)).toEqual(taken(second))
        await append(second, renamed('chat-2'))
        expect(await append(first, reopened)).toMatchObject({ kind: 'stored' })
        expect(await append(second, renamed('chat-1'))).toEqual(taken(first))
      })

      test('all of them are listed by session, also of those that have ended', async () => {
        const [first, second, third] = [ids.next('ses'), ids.next('ses'), ids.next('ses')]
        await append(first, named('chat-1'), ENDED)
        await append(second, named('chat-2'), renamed(null))
        await append(third, sessionCreated(), renamed('chat-3'))
        expect(await store.externalIds()).toEqual(
          new Map([
            [first, 'chat-1'],
            [third, 'chat-3'],
          ]),
        )
      })

      test('one that is reopened in the same commit wins over a new one', async () => {
        const [first, second] = [ids.next('ses'), ids.next('ses')]
        await append(first, named('chat-1'), ENDED)
        const results = await store.append([group(first, [reopened]), group(second, [named('chat-1')])])
        expect(results[1]).toEqual(taken(first))
      })

      test('it can be removed, given again, and is lost with a deleted session', async () => {
        const [first, second] = [ids.next('ses'), ids.next('ses')]
        await append(first, named('chat-1'))
        await append(first, renamed('chat-1'))
        await append(first, renamed(null))
        expect((await store.session(first))?.externalId).toBeNull()
        expect(await append(second, named('chat-1'))).toMatchObject({ kind: 'stored' })
        await store.deleteSession(second)
        expect(await append(first, renamed('chat-1'))).toMatchObject({ kind: 'stored' })
      })

      test('ids are compared whole and exactly', async () => {
        for (const externalId of ['chat', 'Chat', 'chat ', 'chat%', 'chat-대화'])
          expect(await append(ids.next('ses'), named(externalId))).toMatchObject({ kind: 'stored' })
        expect(await store.sessions({ externalId: 'chat' })).toHaveLength(1)
      })
    })

    describe('the audit', () => {
      const rows = async () => (await store.audit()).map((row) => recordOf(row)).toReversed()

      test('is written in the same step as what it tells of, and only if that is stored', async () => {
        const sessionId = await aSession()
        const requestId = ids.next('per')
        await store.append([
          group(sessionId, [permissionRequested(requestId), permissionResolved(requestId)]),
          group(sessionId, [permissionResolved(requestId)]),
          group(ids.next('ses'), [permissionResolved(requestId)]),
        ])

        expect(await rows()).toMatchObject([{ number: 1, kind: 'request.resolved', requestId, sessionId }])
        expect(await store.auditHead()).toEqual({ number: 1, hash: (await rows())[0]?.hash })
      })

      test('is one chain over everything that writes to it', async () => {
        const told = (subject: string) =>
          auditEntry({ at: AT, kind: 'policy.changed', by: 'person', subject, verdict: 'done' })
        const sessionId = await aSession()
        const requestId = ids.next('per')
        await store.addAudit(told('a'))
        await store.trust({ path: '/srv', trustedAt: AT, trustedBy: 'kim' }, told('b'))
        await append(sessionId, permissionRequested(requestId), permissionResolved(requestId))
        await store.distrust('/srv', told('c'))
        await store.removeCredential('crd_none', told('d'))

        expect((await rows()).map(({ number, subject }) => `${number} ${subject}`)).toEqual([
          '1 a',
          '2 b',
          '3 Write a.txt',
          '4 c',
          '5 d',
        ])
        const stored = (await store.audit()).toReversed()
        expect(
          verifyAudit(stored, { head: await store.auditHead(), sealed: await store.auditHead() }),
        ).toMatchObject({
          isIntact: true,
        })
      })
    })

    test('trust is given to a folder and taken back', async () => {
      const workspace = { path: '/srv/app', trustedAt: AT, trustedBy: 'kim' }
      await store.trust(workspace)
      await store.trust(workspace)
      expect(await store.trustedWorkspaces()).toEqual([workspace])
      await store.distrust('/srv/app')
      expect(await store.trustedWorkspaces()).toEqual([])
    })

    test('processes are remembered until they are removed', async () => {
      store.addProcess({ pid: 11, startToken: 'a', sessionId: 'ses_a' })
      store.addProcess({ pid: 12, startToken: 'b', sessionId: 'ses_b' })
      store.addProcess({ pid: 11, startToken: 'c', sessionId: 'ses_c' })
      store.removeProcess(12)
      store.removeProcess(99)

      expect(await store.processes()).toEqual([{ pid: 11, startToken: 'c', sessionId: 'ses_c' }])
    })

    test('a credential is found by its digest until it expires or is removed', async () => {
      const credential = {
        id: 'crd_1',
        name: 'laptop',
        role: 'admin',
        kind: 'browser',
        digest: 'd1',
        createdAt: AT,
        expiresAt: '2026-11-16T12:00:00.000Z',
        parentId: null,
      } as const
      await store.addCredential(credential)

      expect(await store.credential('d1', AT)).toEqual(credential)
      expect(await store.credential('d2', AT)).toBeNull()
      expect(await store.credential('d1', '2026-11-16T12:00:00.000Z')).toBeNull()
      await store.pruneCredentials(AT)
      expect(await store.credential('d1', AT)).toEqual(credential)
      await store.pruneCredentials('2026-11-16T12:00:00.000Z')
      expect(await store.credential('d1', AT)).toBeNull()
      await store.addCredential(credential)
      await store.removeCredential('crd_1')
      expect(await store.credential('d1', AT)).toBeNull()
    })

    test('credentials are listed until they expire, and go together with what was made with them', async () => {
      const token = {
        id: 'crd_1',
        name: 'bot',
        role: 'operator',
        kind: 'token',
        digest: 'd1',
        createdAt: AT,
        expiresAt: null,
        parentId: null,
      } as const
      const login = { ...token, id: 'crd_2', kind: 'browser', digest: 'd2', parentId: 'crd_1' } as const
      const other = { ...token, id: 'crd_3', digest: 'd3', expiresAt: '2026-11-16T12:00:00.000Z' } as const
      for (const credential of [token, login, other]) await store.addCredential(credential)

      expect(await store.credentials(AT)).toEqual([token, login, other])
      expect(await store.credentials('2026-11-16T12:00:00.000Z')).toEqual([token, login])
      expect((await store.removeCredential('crd_1')).toSorted()).toEqual(['crd_1', 'crd_2'])
      expect(await store.removeCredential('crd_1')).toEqual([])
      expect(await store.credentials(AT)).toEqual([other])
    })

    test('usage is summed by hour, session and model, whatever the number of turns', async () => {
      const [one, other] = [await aSession(), await aSession()]
      const used = (inputTokens: number, costUsd: number) => ({
        inputTokens,
        outputTokens: 1,
        cacheReadInputTokens: 2,
        cacheCreationInputTokens: 3,
        costUsd,
        contextWindow: null,
      })
      for (const [sessionId, modelUsage] of [
        [one, { opus: used(10, 0.5), haiku: used(1, 0.01) }],
        [one, { opus: used(20, 0.25) }],
        [other, { opus: used(5, 0.125) }],
      ] as const) {
        const turnId = ids.next('trn')
        await append(sessionId, turnStarted(turnId))
        await append(sessionId, turnEnded(turnId, { modelUsage }))
      }

      const rows = (await store.usage()).map((sum) => [
        sum.sessionId,
        sum.model,
        sum.inputTokens,
        sum.costUsd,
      ])
      expect(new Set(rows)).toEqual(
        new Set([
          [one, 'haiku', 1, 0.01],
          [one, 'opus', 30, 0.75],
          [other, 'opus', 5, 0.125],
        ]),
      )
      expect(await store.usage()).toContainEqual({
        hour: Date.parse(AT) / 3_600_000,
        sessionId: one,
        cwd: '/home/dev/project',
        model: 'opus',
        source: 'sdk',
        isPriced: true,
        inputTokens: 30,
        outputTokens: 2,
        cacheReadInputTokens: 4,
        cacheCreationInputTokens: 6,
        costUsd: 0.75,
      })
      expect(await store.usage('2026-11-15T13:00:00.000Z')).toEqual([])
    })

    test('what was read of transcripts is kept, the newest of each file', async () => {
      const record = {
        path: '/home/dev/.claude/projects/p/one.jsonl',
        sessionId: 'one',
        cwd: '/home/dev',
        inode: '7',
        size: 10,
        offset: 10,
        sums: [],
        marks: [1, 2 ** 52],
        last: null,
      }
      await store.saveTranscripts([record, { ...record, path: '/other' }])
      await store.saveTranscripts([{ ...record, size: 20 }])
      const kept = await store.transcripts()
      expect(kept.toSorted((one, two) => one.size - two.size)).toEqual([
        { ...record, path: '/other' },
        { ...record, size: 20 },
      ])
    })

    test("sessions are found by Claude's id of their conversation", async () => {
      const [one, other] = [ids.next('ses'), ids.next('ses')]
      await append(one, sessionCreated())
      const adopted = crypto.randomUUID()
      await append(other, sessionCreated({ conversation: { kind: 'adopted', id: adopted } }))
      const own = (await store.session(one))?.claudeSessionId ?? ''
      expect(await store.knownConversations([own, 'unknown', adopted])).toEqual([
        { claudeSessionId: own, sessionId: one, kind: 'managed', isAdopted: false },
        { claudeSessionId: adopted, sessionId: other, kind: 'managed', isAdopted: true },
      ])
    })

    test('what is used after it was asked for is counted, and goes with its session', async () => {
      const [one, other] = [await aSession(), await aSession()]
      const use = async (sessionId: string, costUsd: number) => {
        const turnId = ids.next('trn')
        const figures = {
          inputTokens: 1,
          outputTokens: 1,
          cacheReadInputTokens: 0,
          cacheCreationInputTokens: 0,
        }
        const modelUsage = { opus: { ...figures, costUsd, contextWindow: null } }
        await append(sessionId, turnStarted(turnId))
        await append(sessionId, turnEnded(turnId, { modelUsage }))
      }
      const costs = async () =>
        (await store.usage())
          .map((sum): [string, number, number] => [sum.sessionId, sum.costUsd, sum.inputTokens])
          .toSorted(([first], [second]) => (first < second ? -1 : 1))
      await use(one, 1)
      expect(await costs()).toEqual([[one, 1, 1]])

      const late = await aSession()
      await use(one, 2)
      await use(other, 4)
      await use(late, 8)
      expect(await costs()).toEqual([
        [one, 3, 2],
        [other, 4, 1],
        [late, 8, 1],
      ])

      await store.deleteSession(one)
      await use(other, 16)
      expect(await costs()).toEqual([
        [other, 20, 2],
        [late, 8, 1],
      ])
    })

    test('a search finds words, their beginnings, phrases and parts of texts without spaces, newest first', async () => {
      const [one, other] = [await aSession(), await aSession()]
      await append(one, messageQueued('Fix the failing parser test'))
      await append(one, messageQueued('세션을 다시 시작해 주세요'))
      await append(other, messageQueued('テストを実行してください'))
      await append(other, messageQueued('The parser is a failing one; see src/lib/parse-line.ts'))
      const found = async (text: string, more = {}) =>
        (await store.search({ text, ...more })).map(({ event }) => [
          event.sessionId === one ? 1 : 2,
          event.seq,
        ])

      expect(await found('PARSER')).toEqual([
        [2, 3],
        [1, 2],
      ])
      expect(await found('fail pars')).toEqual([
        [2, 3],
        [1, 2],
      ])
      expect(await found('"failing parser"')).toEqual([[1, 2]])
      expect(await found('parse-line')).toEqual([[2, 3]])
      expect(await found('세션')).toEqual([[1, 3]])
      expect(await found('실행')).toEqual([])
      expect(await found('実行')).toEqual([[2, 2]])
      expect(await found('parser', { sessionId: one })).toEqual([[1, 2]])
      expect(await found('parser', { limit: 1 })).toEqual([[2, 3]])
      for (const text of ['', '   ', '"', '*', '" OR ""', 'NEAR(', 'a AND', '-', '^x', 'text:x']) {
        expect(await found(text)).toEqual(text === '" OR ""' ? expect.any(Array) : [])
      }
      const [newest] = await store.search({ text: 'parser' })
      expect(await found('parser', { before: newest?.position })).toEqual([[1, 2]])
    })

    test('what is deleted is gone from every list, and nothing else is', async () => {
      const [one, other] = [await aSession(), await aSession()]
      await store.append([
        group(one, [messageQueued('parser')], { scope: `messages:${one}`, key: 'k', value: 'm' }),
      ])
      await append(one, permissionRequested(ids.next('per')))
      await append(other, messageQueued('parser'))
      await store.setOptions(one, GIVEN)
      await store.addSecrets(one, ['of one', 'of both'], 'configured')
      await store.addSecrets(one, ['of one'], 'file')
      await store.addSecrets(other, ['of the other', 'of both', 'of both'], 'file')
      expect(await store.secrets()).toEqual([
        { value: 'of both', source: 'configured' },
        { value: 'of one', source: 'configured' },
        { value: 'of the other', source: 'file' },
      ])
      const before = await store.lastPosition()

      expect(await store.deleteSession(one)).toBe(true)

      expect(await store.deleteSession(one)).toBe(false)
      expect(await store.session(one)).toBeNull()
      expect((await store.sessions()).map(({ id }) => id)).toEqual([other])
      expect(await store.readSession(one)).toEqual([])
      expect((await store.readAll()).map(({ event }) => event.sessionId)).toEqual([other, other])
      expect((await store.search({ text: 'parser' })).map(({ event }) => event.sessionId)).toEqual([other])
      expect(await store.requests()).toEqual([])
      expect(await store.options(one)).toEqual(NO_OPTIONS)
      expect(await store.secrets()).toEqual([
        { value: 'of both', source: 'file' },
        { value: 'of the other', source: 'file' },
      ])
      expect(await store.counts()).toEqual({ sessions: { idle: 1 }, pendingRequests: 0, events: before })
      await append(other, notice('later'))
      expect((await store.readAll({ after: before })).map(({ event }) => event.type)).toEqual([
        'notice.raised',
      ])
    })

    test('what happened in sessions that ended long ago is forgotten; what they are, what they used and the audit stay', async () => {
      const [old, other, waiting] = [await aSession(), await aSession(), await aSession()]
      const request = ids.next('per')
      await append(old, permissionRequested(request), permissionResolved(request), notice('parser'))
      await append(old, turnStarted(TURN), turnEnded(TURN, USED), ENDED)
      await append(other, notice('still here'))
      const pending = ids.next('per')
      await append(waiting, permissionRequested(pending), ENDED)
      const before = {
        sessions: await store.sessions(),
        usage: await store.usage(),
        audit: await store.audit(),
        position: await store.lastPosition(),
      }
      const { length } = await store.readSession(old)

      expect(await store.trim(AT)).toBe(0)
      expect(await store.trim('2026-11-15T12:00:00.001Z')).toBe(length)
      expect(await store.trim('2026-11-15T12:00:00.001Z')).toBe(0)

      expect(await store.readSession(old)).toEqual([])
      expect(await store.search({ text: 'parser' })).toEqual([])
      expect((await store.requests()).map(({ id }) => id)).toEqual([pending])
      expect(await store.readSession(other)).toHaveLength(2)
      expect({
        sessions: await store.sessions(),
        usage: await store.usage(),
        audit: await store.audit(),
        position: await store.lastPosition(),
      }).toEqual(before)
      const chain = (await store.audit()).toReversed()
      expect(
        verifyAudit(chain, { head: await store.auditHead(), sealed: await store.auditHead() }),
      ).toMatchObject({
        isIntact: true,
      })
    })

    test('who has read less than what was trimmed is told where it goes on', async () => {
      const [old, other] = [await aSession(), await aSession()]
      await append(old, notice('a'), ENDED)
      const { length } = await store.readSession(old)
      const [first] = await store.readSession(other)
      const next = first?.position ?? 0
      expect([await store.gapBehind(old, 0), await store.gapBehind(undefined, 0)]).toEqual([null, null])

      await store.trim('2099-01-01T00:00:00.000Z')

      expect(await store.gapBehind(old, 0)).toEqual({ after: 0, next: length + 1 })
      expect(await store.gapBehind(old, length)).toBeNull()
      expect(await store.gapBehind(other, 0)).toBeNull()
      expect(await store.gapBehind(undefined, 0)).toEqual({ after: 0, next })
      const last = await store.lastPosition()
      expect(await store.gapBehind(undefined, last)).toBeNull()
      expect(await store.gapBehind(undefined, last - 1)).toEqual({ after: last - 1, next: last + 1 })
      await append(old, notice('again'))
      expect((await store.readSession(old)).map(({ event }) => event.seq)).toEqual([length + 1])
    })

    test('sessions are counted by their state', async () => {
      const sessionId = await aSession()
      await aSession()
      await append(sessionId, permissionRequested(ids.next('per')))
      expect(await store.counts()).toEqual({
        sessions: { idle: 1, permission: 1 },
        pendingRequests: 1,
        events: 4,
      })
    })

    test('closing twice is closing once', async () => {
      await store.close()
      await store.close()
    })
  })
}
