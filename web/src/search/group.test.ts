import { expect, test } from 'vitest'
import type { SearchResult } from '../../../src/protocol/index.js'
import { groupResults } from './group.js'

const hit = (sessionId: string, seq: number): SearchResult => ({
  sessionId,
  title: null,
  name: `Name of ${sessionId}`,
  cwd: '/work',
  seq,
  at: '2026-11-17T12:00:00.000Z',
  type: 'text.ended',
  snippet: 'a',
})

test('hits are grouped by session, in the order of the newest hit', () => {
  const groups = groupResults([hit('b', 9), hit('a', 3), hit('b', 2)])

  expect(groups).toEqual([
    { sessionId: 'b', name: 'Name of b', cwd: '/work', hits: [hit('b', 9), hit('b', 2)] },
    { sessionId: 'a', name: 'Name of a', cwd: '/work', hits: [hit('a', 3)] },
  ])
})
