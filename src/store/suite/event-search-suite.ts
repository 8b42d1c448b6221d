/** The full-text search. */

import { expect, test } from 'vitest'
import { ids, messageQueued, sessionCreated } from '../../../test/support/build.js'
import type { SearchFilter } from '../port/filter.js'
import { type OpenedStore } from './opened-store-suite.js'

export function eventSearchSuite(opened: OpenedStore): void {
  const { append, aSession } = opened

  test('a search finds words, their beginnings, phrases and parts of texts without spaces, newest first', async () => {
    const [one, other] = [await aSession(), await aSession()]
    await append(one, messageQueued('Fix the failing parser test'))
    await append(one, messageQueued('세션을 다시 시작해 주세요'))
    await append(other, messageQueued('テストを実行してください'))
    await append(other, messageQueued('The parser is a failing one; see src/lib/parse-line.ts'))
    const found = async (text: string, more = {}) =>
      (await opened.store.search({ text, ...more })).map(({ event }) => [
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
    const [newest] = await opened.store.search({ text: 'parser' })
    expect(await found('parser', { before: newest?.position })).toEqual([[1, 2]])
  })

  test('a search is limited to a folder and what is below it, to types of events, and to a time', async () => {
    const folders = ['/work/app', '/work/app/web', '/work/app2', '/']
    for (const cwd of folders) {
      const sessionId = ids.next('ses')
      await append(sessionId, sessionCreated({ cwd, title: 'lighthouse' }))
    }
    const late = ids.next('ses')
    const drafts = [sessionCreated({ cwd: '/later' }), messageQueued('lighthouse')]
    const at = '2026-11-16T09:00:00.000Z'
    await opened.store.append([
      { sessionId: late, drafts: drafts.map((draft) => ({ ...draft, id: ids.next('evt'), at })) },
    ])
    const found = async (more: Partial<SearchFilter>) => {
      const events = await opened.store.search({ text: 'lighthouse', ...more })
      return Promise.all(events.map(async ({ event }) => (await opened.store.session(event.sessionId))?.cwd))
    }

    expect(await found({ folder: '/work/app' })).toEqual(['/work/app/web', '/work/app'])
    expect(await found({ folder: '/work/app/' })).toEqual(['/work/app/web', '/work/app'])
    expect(await found({ folder: '/work/ap_' })).toEqual([])
    expect(await found({ folder: '/' })).toEqual(['/later', '/', '/work/app2', '/work/app/web', '/work/app'])
    expect(await found({ types: ['message.queued'] })).toEqual(['/later'])
    expect(await found({ types: [] })).toEqual([])
    expect(await found({ since: at })).toEqual(['/later'])
    expect(await found({ until: at })).toEqual(folders.toReversed())
    expect(await found({ since: '2026-11-16T10:00:00+01:00', until: '2026-11-16T09:00:00.001Z' })).toEqual([
      '/later',
    ])
  })
}
