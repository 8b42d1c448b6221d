/** Reading events: numbers, order, pages, and types. */

import { expect, test } from 'vitest'
import { ids, messageQueued, notice, sessionCreated } from '../../../test/support/build.js'
import type { StoredEvent } from '../port/append.js'
import type { EventFilter } from '../port/filter.js'
import { type OpenedStore } from './opened-store-suite.js'

export function eventReadSuite(opened: OpenedStore): void {
  const { append, aSession, group } = opened

  test('events are numbered from 1 without a gap, per session', async () => {
    const one = await aSession()
    const two = await aSession()
    await append(one, notice('a'), notice('b'))
    await append(two, notice('c'))
    await append(one, notice('d'))

    const read = await opened.store.readSession(one)

    expect(read.map(({ event }) => [event.seq, event.type])).toEqual([
      [1, 'session.created'],
      [2, 'notice.raised'],
      [3, 'notice.raised'],
      [4, 'notice.raised'],
    ])
    expect((await opened.store.readSession(two)).map(({ event }) => event.seq)).toEqual([1, 2])
  })

  test('events of some types are found in order, however far apart they are', async () => {
    const [id, other] = [await aSession(), await aSession()]
    const between = Array.from({ length: 6_000 }, () => notice('between'))
    for (const text of ['one', 'two', 'three']) {
      await append(id, messageQueued(text))
      await append(other, ...between)
    }
    const found = async (filter: EventFilter) =>
      (await opened.store.readAll(filter)).map(
        ({ event }) => event.type === 'message.queued' && event.data.text,
      )

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
      const events = (await opened.store.readSession(id)).slice(1)
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
    await opened.store.append([created])

    const [stored] = await opened.store.readSession(sessionId)

    expect(stored?.event).toEqual({ ...created.drafts[0], sessionId, seq: 1 })
  })

  test('all events are read in the order of storing, from a position', async () => {
    const one = await aSession()
    const two = await aSession()
    await append(one, notice('a'))
    await append(two, notice('b'))

    const all = await opened.store.readAll()

    expect(all.map(({ event }) => event.sessionId)).toEqual([one, two, one, two])
    const positions = all.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted((first, second) => first - second))
    expect(await opened.store.readAll({ after: all[1]?.position ?? 0 })).toEqual(all.slice(2))
    expect(await opened.store.readAll({ limit: 2 })).toEqual(all.slice(0, 2))
    expect(await opened.store.lastPosition()).toBe(all[3]?.position)
  })

  test('a page ends with the event with which it has enough bytes, and goes on behind it', async () => {
    const id = await aSession()
    const text = 'word '.repeat(200)
    await append(id, ...Array.from({ length: 5 }, () => messageQueued(text)))
    const of = (events: readonly StoredEvent[]) => events.map(({ event }) => event.seq)
    const types = ['message.queued'] as const
    expect(of(await opened.store.readSession(id, { after: 1, maxBytes: 1_500 }))).toEqual([2, 3])
    expect(of(await opened.store.readSession(id, { after: 3, maxBytes: 1 }))).toEqual([4])
    expect(of(await opened.store.readAll({ types, maxBytes: 1_500 }))).toEqual([2, 3])
    expect(of(await opened.store.readAll({ types, maxBytes: 1_000_000 }))).toEqual([2, 3, 4, 5, 6])
    expect(of(await opened.store.search({ text: 'word', maxBytes: 1_500 }))).toEqual([6, 5])
  })

  test('events are read behind a seq, up to a limit, of some types', async () => {
    const id = await aSession()
    await append(id, notice('a'), messageQueued('hello'), notice('b'))

    expect((await opened.store.readSession(id, { after: 2 })).map(({ event }) => event.seq)).toEqual([3, 4])
    expect((await opened.store.readSession(id, { limit: 1 })).map(({ event }) => event.seq)).toEqual([1])
    expect(
      (await opened.store.readSession(id, { types: ['notice.raised'] })).map(({ event }) => event.seq),
    ).toEqual([2, 4])
    expect(await opened.store.readSession(ids.next('ses'))).toEqual([])
  })
}
