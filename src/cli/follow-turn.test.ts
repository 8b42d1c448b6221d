import { expect, test } from 'vitest'
import { noteOutage } from './follow-turn.js'
import type { Terminal } from './output/terminal.js'

test('a daemon that does not answer is reported once for each outage, not for a connection that is resumed at once', () => {
  const notes: string[] = []
  const color = { dim: (text: string) => text } as Terminal['color'] // Nothing else of it is used.
  const onState = noteOutage({ note: (text) => notes.push(text), color })

  for (const state of ['connecting', 'live', 'waiting', 'connecting', 'live'] as const) onState(state)
  expect(notes).toEqual([])
  for (const state of ['waiting', 'connecting', 'waiting', 'connecting', 'waiting', 'live'] as const)
    onState(state)

  expect(notes).toEqual(['The daemon is not responding. Retrying.'])
})
