import { describe, expect, test } from 'vitest'
import * as build from '../../../test/support/build.js'
import type { DataOf, EventDraft } from '../event/event.js'
import { applyEvents } from './view.js'

const SESSION = build.ids.next('ses')
const TURN = build.ids.next('trn')

function after(...drafts: EventDraft[]) {
  const events = [build.sessionCreated(), ...drafts].map((draft, index) => ({
    ...draft,
    seq: index + 1,
    id: build.ids.next('evt'),
    sessionId: SESSION,
    at: new Date(Date.UTC(2026, 10, 15, 12, 0, index)).toISOString(),
  }))
  const { condition, conditionDetail } = applyEvents(null, events) ?? {}
  return [condition, conditionDetail]
}

const changed = (data: DataOf<'session.changed'>): EventDraft => ({ type: 'session.changed', data })
const started = build.turnStarted(TURN)
const failed = build.turnEnded(TURN, {
  outcome: 'failed',
  stopReason: 'api_error',
  errors: ['Prompt is too long'],
})
const retrying = changed({ condition: 'retrying', conditionDetail: { attempt: 7, maxAttempts: 10 } })
const limited = changed({
  condition: 'rate_limited',
  conditionDetail: { until: '2026-11-15T14:00:00.000Z' },
})
const NONE = [null, null]

describe('a session is', () => {
  test('failed after a failed turn, until the next message', () => {
    const reason = { reason: 'Prompt is too long' }
    expect(after(started, failed)).toEqual(['failed', reason])
    expect(after(started, failed, changed({ process: 'parked' }))).toEqual(['failed', reason])
    expect(after(started, failed, build.messageQueued('again'))).toEqual(NONE)
    expect(after(started, failed, build.turnStarted(build.ids.next('trn')))).toEqual(NONE)
    expect(after(started, build.turnEnded(TURN))).toEqual(NONE)
  })

  test('failed where no process could start, also after its message is cancelled', () => {
    const messageId = build.ids.next('msg')
    const error: EventDraft = { type: 'error.raised', data: { code: 'claude_failed', message: 'No room.' } }
    const cancelled: EventDraft = { type: 'message.cancelled', data: { messageId, reason: 'Not started.' } }
    expect(after(build.messageQueued('go', messageId), error, cancelled)).toEqual([
      'failed',
      { reason: 'No room.' },
    ])
    expect(after(started, error, build.turnEnded(TURN))).toEqual(NONE)
  })

  test('interrupted after a restart, not failed, unless a request waits', () => {
    const cut = build.turnEnded(TURN, { outcome: 'failed', stopReason: 'daemon_restarted' })
    expect(after(started, cut)).toEqual(['interrupted', null])
    expect(after(started, build.permissionRequested(build.ids.next('per')), cut)).toEqual(NONE)
  })

  test('retrying with the attempt, until the model answers or the turn ends', () => {
    expect(after(started, retrying)).toEqual(['retrying', { attempt: 7, maxAttempts: 10 }])
    expect(after(started, retrying, changed({ condition: null }))).toEqual(NONE)
    expect(after(started, retrying, failed)).toEqual(['failed', { reason: 'Prompt is too long' }])
  })

  test('rate limited also after the turn that the limit has ended', () => {
    const until = { until: '2026-11-15T14:00:00.000Z' }
    expect(after(started, limited, failed)).toEqual(['rate_limited', until])
    expect(after(started, limited, build.turnEnded(TURN))).toEqual(NONE)
    expect(after(started, limited, failed, build.turnStarted(build.ids.next('trn')))).toEqual(NONE)
  })

  test('in the background while a task outlives the turn', () => {
    const data = { taskId: 'b1', kind: 'shell', description: 'npm run dev', isBackground: true }
    const task: EventDraft = { type: 'task.started', data }
    const end: EventDraft = { type: 'task.ended', data: { taskId: 'b1', outcome: 'completed' } }
    expect(after(started, task)).toEqual(NONE)
    expect(after(started, task, build.turnEnded(TURN))).toEqual(['background', { reason: 'npm run dev' }])
    expect(after(started, task, build.turnEnded(TURN), end)).toEqual(NONE)
  })

  test('no longer starting or silent once its process is gone, and nothing once it has ended', () => {
    const live = changed({ process: 'live' })
    const gone = changed({ process: 'none' })
    expect(after(live, changed({ condition: 'not_responding' }))).toEqual(['not_responding', null])
    expect(after(live, changed({ condition: 'not_responding' }), gone)).toEqual(NONE)
    const end: EventDraft = { type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } }
    expect(after(started, failed, end)).toEqual(NONE)
  })
})
