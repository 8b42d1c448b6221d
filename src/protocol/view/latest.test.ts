import { expect, test } from 'vitest'
import * as build from '../../../test/support/build.js'
import type { EventDraft } from '../event/event.js'
import { applyEvents } from './view.js'

function latestAfter(...drafts: EventDraft[]) {
  const sessionId = build.ids.next('ses')
  const events = [build.sessionCreated(), ...drafts].map((draft, index) => ({
    ...draft,
    seq: index + 1,
    id: build.ids.next('evt'),
    sessionId,
    at: '2026-11-15T12:00:00.000Z',
  }))
  return applyEvents(null, events)?.latest
}

const said = (text: string, parentToolUseId?: string): EventDraft => ({
  type: 'text.ended',
  data: { messageId: 'm', index: 0, text, ...(parentToolUseId !== undefined && { parentToolUseId }) },
})
const called = (input: unknown): EventDraft => ({
  type: 'tool.requested',
  data: { toolUseId: 'toolu_1', name: 'Edit', input },
})

test('the newest step is the last sentence, or the call with its target', () => {
  const text = said('# Plan\n\nI read **it**. Now I change `login.ts`.')
  expect(latestAfter(text)).toEqual({ kind: 'text', text: 'Now I change login.ts.' })
  expect(latestAfter(text, called({ file_path: '/home/dev/project/login.ts' }))).toEqual({
    kind: 'tool',
    name: 'Edit',
    title: 'Edit: login.ts',
  })
})

test('steps of subagents and empty texts do not count', () => {
  expect(latestAfter(said('Mine.'), said('Theirs.', 'toolu_2'), said(' \n'))).toEqual({
    kind: 'text',
    text: 'Mine.',
  })
})

test('a word that was cut is left out of a long text', () => {
  const latest = latestAfter(said(`sk-secret${'x'.repeat(2_500)} end`))
  expect(latest).toEqual({ kind: 'text', text: 'end' })
})
