import { expect, test } from 'vitest'
import { sessionCreated } from '../../test/support/build.js'
import type { SessionEvent } from '../protocol/event/event.js'
import { applyEvents, nothingHappened } from '../protocol/view/view.js'
import { readSnapshot, rebuildSnapshot } from './snapshot.js'

const created: SessionEvent = {
  ...sessionCreated(),
  seq: 1,
  id: 'evt_01m7hd48bae009anc5wwsvs8qy',
  sessionId: 'ses_01m7hd48bae009anc5wwsvs8qy',
  at: '2026-11-15T12:00:00.000Z',
}
const session = applyEvents(null, [created])

test('one that fits is read as it is', () => {
  const text = JSON.stringify(session)
  expect(readSnapshot(text, true)).toEqual(session)
})

test.each(Object.keys(nothingHappened))(
  'one from before there was a %s is made whole, its log gone or not',
  (field) => {
    const text = JSON.stringify({ ...session, [field]: undefined })
    expect(readSnapshot(text, false)).toBeNull()
    expect(rebuildSnapshot(text, [])).toEqual(session)
    expect(rebuildSnapshot(text, [created])).toEqual(session)
  },
)

test('one without a name, its log gone, is called after what was last asked of it', () => {
  const { name: _, ...old } = { ...session, lastPrompt: '# Fix login' }
  expect(rebuildSnapshot(JSON.stringify(old), [])?.name).toBe('Fix login')
  expect(rebuildSnapshot(JSON.stringify({ ...old, title: 'Mine' }), [])?.name).toBe('Mine')
})

test('what a session is is not made up', () => {
  expect(rebuildSnapshot(JSON.stringify({ ...session, cwd: undefined }), [])).toBeNull()
})

test('a field that may be missing does not make a snapshot one of an older version', () => {
  expect(readSnapshot(JSON.stringify(session), false)).toEqual(JSON.parse(JSON.stringify(session)))
})
