import { expect, test } from 'vitest'
import type { EventDraft } from '../protocol/event/event.js'
import { mustReachDisk } from './durability.js'

const group = (...drafts: EventDraft[]) => ({
  sessionId: 'ses_1',
  drafts: drafts.map((draft) => ({ ...draft, id: 'evt_1', at: '2026-01-01T00:00:00.000Z' })),
})

const text: EventDraft = { type: 'text.ended', data: { messageId: 'm', index: 0, text: 'hello' } }
const end: EventDraft = {
  type: 'session.ended',
  data: { outcome: 'completed', reason: 'done' },
}

test('the progress of a turn does not wait for the disk', () => {
  expect(mustReachDisk([group(text), group(text, text)])).toBe(false)
  expect(mustReachDisk([group({ type: 'session.changed', data: { activity: 'responding' } })])).toBe(false)
})

test('what was promised, asked or decided does, with everything beside it', () => {
  expect(mustReachDisk([group(text), group(text, end)])).toBe(true)
  expect(mustReachDisk([group({ type: 'session.changed', data: { permissionMode: 'plan' } })])).toBe(true)
  expect(mustReachDisk([{ ...group(text), once: { scope: 's', key: 'k', value: 'v' } }])).toBe(true)
})

test('a type that nobody has thought about waits', () => {
  // An event type of a newer version.
  const unknown = { type: 'session.moved', data: {} } as unknown as EventDraft
  expect(mustReachDisk([group(unknown)])).toBe(true)
})
