import { expect, test } from 'vitest'
import type { EventDraft, SessionEvent } from '../../../../src/protocol/index.js'
import {
  ids,
  permissionRequested,
  permissionResolved,
  sessionCreated,
} from '../../../../test/support/build.js'
import { buildTimeline } from './model.js'

const START = Date.parse('2026-11-15T12:00:00.000Z')

function log(...drafts: [number, EventDraft][]): SessionEvent[] {
  return drafts.map(([ms, draft], index) => ({
    ...draft,
    seq: index + 1,
    id: ids.next('evt'),
    sessionId: 'ses_1',
    at: new Date(START + ms).toISOString(),
  }))
}

const requestId = ids.next('per')
const asked: EventDraft = { type: 'tool.requested', data: { toolUseId: 'toolu_1', name: 'Write', input: {} } }

test('a call that a user allowed has the stages policy check, wait and run', () => {
  const events = log(
    [0, sessionCreated()],
    [100, asked],
    [130, permissionRequested(requestId)],
    [1_130, permissionResolved(requestId)],
    [1_140, { type: 'tool.started', data: { toolUseId: 'toolu_1' } }],
    [
      1_240,
      {
        type: 'tool.ended',
        data: { toolUseId: 'toolu_1', name: 'Write', outcome: 'completed', durationMs: 100 },
      },
    ],
  )

  const { bars, span } = buildTimeline(events, START + 9_000)

  expect(span).toBe(1_240)
  expect(bars).toMatchObject([
    {
      name: 'Write',
      start: 100,
      end: 1_240,
      outcome: 'completed',
      decidedBy: 'person: kim',
      stages: [
        { name: 'judge', start: 100, end: 130 },
        { name: 'wait', start: 130, end: 1_130 },
        { name: 'run', start: 1_140, end: 1_240 },
      ],
    },
  ])
})

test('the bar of a waiting call grows with the clock', () => {
  const events = log([0, sessionCreated()], [100, asked], [130, permissionRequested(requestId)])

  const { bars, span } = buildTimeline(events, START + 5_000)

  expect(span).toBe(5_000)
  expect(bars[0]?.stages.at(-1)).toEqual({ name: 'wait', start: 130, end: 5_000 })
})
