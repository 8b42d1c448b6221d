import { expect, test } from 'vitest'
import { oldestFirst } from './all-requests.js'

test('requests of all kinds are in the order in which they came', () => {
  const permission = { id: 'per_1', requestedAt: '2026-11-18T12:00:02.000Z' }
  const question = { id: 'que_1', requestedAt: '2026-11-18T12:00:01.000Z' }
  expect(oldestFirst([permission, question])).toEqual([question, permission])
})
