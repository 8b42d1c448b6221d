/** Appending: what is refused, what follows from an event, and idempotency keys. */

import { expect, test } from 'vitest'
import {
  ids,
  messageQueued,
  notice,
  permissionResolved,
  sessionCreated,
  turnEnded,
  turnStarted,
} from '../../../test/support/build.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { type OpenedStore } from './opened-store-suite.js'

export function appendSuite(opened: OpenedStore): void {
  const { append, aSession, group } = opened

  test('a session must be created before anything else, and only once', async () => {
    const unknown = ids.next('ses')
    expect(await append(unknown, notice('a'))).toEqual({
      kind: 'refused',
      why: { kind: 'session_unknown' },
    })
    expect(await opened.store.session(unknown)).toBeNull()

    const known = await aSession()
    expect(await append(known, sessionCreated())).toEqual({
      kind: 'refused',
      why: { kind: 'session_exists' },
    })
    expect(await opened.store.readSession(known)).toHaveLength(1)
  })

  test('a group is stored whole or not at all, and a refused one does not hinder its neighbours', async () => {
    const id = await aSession()
    const missing = ids.next('per')

    const results = await opened.store.append([
      group(id, [notice('before')]),
      group(id, [notice('lost'), permissionResolved(missing)]),
      group(id, [notice('after')]),
    ])

    expect(results.map((result) => result.kind)).toEqual(['stored', 'refused', 'stored'])
    const texts = (await opened.store.readSession(id, { after: 1 })).map(
      ({ event }) => event.type === 'notice.raised' && event.data.text,
    )
    expect(texts).toEqual(['before', 'after'])
  })

  test('how far a running process was read is stored with its events, the newest of a commit, until the process has ended', async () => {
    const id = await aSession()
    const resume = (offset: number) => ({ launch: 'one', offset, state: { turns: offset } })
    const missing = ids.next('per')

    await opened.store.append([
      { ...group(id, [notice('first')]), resume: resume(1) },
      { ...group(id, [notice('second')]), resume: resume(2) },
      { ...group(id, [permissionResolved(missing)]), resume: resume(3) },
      group(id, [notice('of another source')]),
    ])
    expect(await opened.store.resumePoints()).toEqual([{ sessionId: id, ...resume(2) }])

    await opened.store.append([{ ...group(id, [notice('ended')]), resume: null }])
    expect(await opened.store.resumePoints()).toEqual([])

    await opened.store.append([{ ...group(id, [notice('again')]), resume: resume(4) }])
    await opened.store.deleteSession(id)
    expect(await opened.store.resumePoints()).toEqual([])
  })

  test('a change of state is stored as a fact, with what caused it', async () => {
    const id = await aSession()
    const turn = ids.next('trn')

    await append(id, turnStarted(turn))
    await append(id, turnEnded(turn))

    const events = await opened.store.readSession(id, { after: 1 })
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

    const results = await opened.store.append([group(id, [end]), group(id, [messageQueued('two')])])

    expect(results[1]).toEqual({ kind: 'refused', why: { kind: 'session_ended' } })
    const told = (await opened.store.readSession(id, { after: 2 })).map(({ event }) => [
      event.type,
      event.data,
    ])
    expect(told).toEqual([
      ['message.cancelled', { messageId, reason: 'Stopped.' }],
      ['session.ended', end.data],
      ['session.changed', { state: 'ended', activity: null }],
    ])
    expect((await opened.store.session(id))?.queue).toEqual([])
  })

  test('a key is used once; the second user gets the first value and stores nothing', async () => {
    const id = await aSession()
    const send = (value: string, more: { key?: string; digest?: string } = {}) =>
      opened.store.append([group(id, [messageQueued(value)], { scope: id, key: 'k', value, ...more })])
    const used = (isSame: boolean) => [{ kind: 'refused', why: { kind: 'key_used', value: 'one', isSame } }]

    expect((await send('one'))[0]?.kind).toBe('stored')
    expect(await send('two')).toEqual(used(true))
    expect(await opened.store.readSession(id)).toHaveLength(2)
    await send('one', { key: 'j', digest: 'd1' })
    expect(await send('two', { key: 'j', digest: 'd1' })).toEqual(used(true))
    expect(await send('two', { key: 'j', digest: 'd2' })).toEqual(used(false))
  })

  test('keys are forgotten up to a place in their scope, and may be used again', async () => {
    const id = await aSession()
    const use = async (scope: string, key: string) =>
      (await opened.store.append([group(id, [messageQueued('x')], { scope, key, value: id })]))[0]?.kind
    for (const key of ['a', 'b', 'c']) await use('here', key)
    await use('there', 'a')

    await opened.store.forgetKeys('here', 'c')

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

    await opened.store.append([group(id, [permissionResolved(missing)], once)])

    expect((await opened.store.append([group(id, [notice('a')], once)]))[0]?.kind).toBe('stored')
  })

  test('a group of a runner is taken once, also where it was refused, and never from an older epoch', async () => {
    const id = await aSession()
    const { store } = opened
    const send = async (epoch: number, n: number, draft: EventDraft) => {
      const [result] = await store.append([{ ...group(id, [draft]), from: { machine: 'local', epoch, n } }])
      return result?.kind === 'refused' ? result.why.kind : result?.kind
    }
    expect(await store.joinMachine('local', 'spool-1')).toEqual({ epoch: 1, lastN: 0 })

    expect(await send(1, 1, notice('one'))).toBe('stored')
    expect(await send(1, 2, permissionResolved(ids.next('per')))).toBe('request_not_pending')
    expect(await send(1, 1, notice('one'))).toBe('repeated')
    expect(await send(1, 2, notice('another'))).toBe('repeated')
    expect(await store.joinMachine('local', 'spool-1')).toEqual({ epoch: 1, lastN: 2 })
    expect(await store.joinMachine('laptop', 'spool-9')).toEqual({ epoch: 1, lastN: 0 })
    expect(await store.joinMachine('local', 'spool-2')).toEqual({ epoch: 2, lastN: 0 })

    expect(await send(1, 3, notice('late'))).toBe('fenced')
    expect(await send(2, 1, notice('two'))).toBe('stored')
    const texts = (await store.readSession(id)).map(({ event }) =>
      event.type === 'notice.raised' ? event.data.text : event.type,
    )
    expect(texts).toEqual(['session.created', 'one', 'two'])
  })
}
