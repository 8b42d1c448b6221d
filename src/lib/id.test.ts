import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageId, SessionId } from '../protocol/id.js'
import { createIdSource, idOfUuid, uuidOf } from './id.js'

test('ids sort in the order in which they were made, also within a millisecond and when the clock goes back', () => {
  const times = [5, 5, 5, 4, 3, 6, 6]
  let next = 0
  const ids = createIdSource(() => times[next++ % times.length] ?? 0)

  const made = Array.from({ length: 10_000 }, () => ids.next('ses'))

  expect(made.toSorted()).toEqual(made)
  expect(new Set(made).size).toBe(made.length)
  expect(made.every((id) => SessionId.safeParse(id).success)).toBe(true)
})

test('an id carries a UUID of version 7 and is found again from it', () => {
  const id = createIdSource().next('msg')

  const uuid = uuidOf(id)

  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(idOfUuid('msg', uuid)).toBe(id)
})

test('every UUID has an id, and what is no UUID has none', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const id = idOfUuid('msg', uuid) ?? ''
      expect(MessageId.safeParse(id).success).toBe(true)
      expect(uuidOf(id)).toBe(uuid)
    }),
  )
  expect(
    ['', 'x', '123', 'zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz'].map((text) => idOfUuid('msg', text)),
  ).toEqual([null, null, null, null])
})

test('ids continue behind those of a run whose clock was ahead', () => {
  const ahead = createIdSource(() => Date.UTC(2026, 10, 16)).next('ses')
  const ids = createIdSource(() => Date.UTC(2026, 10, 15))

  ids.continueAfter(ahead)

  const next = [ids.next('ses'), ids.next('ses')]
  expect([ahead, ...next].toSorted()).toEqual([ahead, ...next])
})
