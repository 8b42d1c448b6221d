/** External ids: unique among sessions that have not ended. */

import { describe, expect, test } from 'vitest'
import { ids, sessionCreated } from '../../../test/support/build.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { ENDED, type OpenedStore } from './opened-store-suite.js'

export function externalIdSuite(opened: OpenedStore): void {
  const { append, group } = opened

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
      const results = await opened.store.append(contenders.map((id) => group(id, [named('chat-1')])))
      expect(results.map(({ kind }) => kind)).toEqual(['stored', ...contenders.slice(1).map(() => 'refused')])
      expect(results[1]).toEqual(taken(contenders[0] ?? ''))
      expect((await opened.store.sessions({ externalId: 'chat-1' })).map(({ id }) => id)).toEqual([
        contenders[0],
      ])
    })

    test('a session that has ended keeps its own, and others may have the same', async () => {
      const [first, second] = [ids.next('ses'), ids.next('ses')]
      await append(first, named('chat-1'))
      // Also within one commit.
      const results = await opened.store.append([group(first, [ENDED]), group(second, [named('chat-1')])])
      expect(results.map(({ kind }) => kind)).toEqual(['stored', 'stored'])
      expect((await opened.store.sessions({ externalId: 'chat-1' })).map(({ id }) => id)).toEqual([
        second,
        first,
      ])
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
      expect(await opened.store.externalIds()).toEqual(
        new Map([
          [first, 'chat-1'],
          [third, 'chat-3'],
        ]),
      )
    })

    test('one that is reopened in the same commit wins over a new one', async () => {
      const [first, second] = [ids.next('ses'), ids.next('ses')]
      await append(first, named('chat-1'), ENDED)
      const results = await opened.store.append([group(first, [reopened]), group(second, [named('chat-1')])])
      expect(results[1]).toEqual(taken(first))
    })

    test('it can be removed, given again, and is lost with a deleted session', async () => {
      const [first, second] = [ids.next('ses'), ids.next('ses')]
      await append(first, named('chat-1'))
      await append(first, renamed('chat-1'))
      await append(first, renamed(null))
      expect((await opened.store.session(first))?.externalId).toBeNull()
      expect(await append(second, named('chat-1'))).toMatchObject({ kind: 'stored' })
      await opened.store.deleteSession(second)
      expect(await append(first, renamed('chat-1'))).toMatchObject({ kind: 'stored' })
    })

    test('ids are compared whole and exactly', async () => {
      for (const externalId of ['chat', 'Chat', 'chat ', 'chat%', 'chat-대화'])
        expect(await append(ids.next('ses'), named(externalId))).toMatchObject({ kind: 'stored' })
      expect(await opened.store.sessions({ externalId: 'chat' })).toHaveLength(1)
    })
  })
}
