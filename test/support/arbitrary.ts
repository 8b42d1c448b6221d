/** Random but possible logs, for property tests. */

import fc from 'fast-check'
import type { Delta, EventDraft, SessionEvent } from '../../src/protocol/event/event.js'
import * as build from './build.js'

const SESSION = build.ids.next('ses')
const turns = [build.ids.next('trn'), build.ids.next('trn')] as const
const requests = [build.ids.next('per'), build.ids.next('que'), build.ids.next('per')] as const
const messages = [build.ids.next('msg'), build.ids.next('msg')] as const

const request = fc.constantFrom(...requests)
const message = fc.constantFrom(...messages)
const turn = fc.constantFrom(...turns)
const tool = fc.constantFrom('toolu_1', 'toolu_2')
const speaker = fc.constantFrom({}, { parentToolUseId: 'toolu_1', agentId: 'a1' })

/** Any draft but the first, in any order: a reader must bear what a writer would never do. */
const anyDraft: fc.Arbitrary<EventDraft> = fc.oneof<fc.Arbitrary<EventDraft>[]>(
  fc.tuple(fc.string(), message).map(([text, id]) => build.messageQueued(text, id)),
  message.map((messageId) => ({ type: 'message.delivered', data: { messageId } })),
  turn.map((id) => build.turnStarted(id, [messages[0]])),
  turn.map((id) =>
    build.turnEnded(id, {
      usage: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 },
      costUsd: 0.5,
    }),
  ),
  fc.tuple(fc.string(), fc.nat(2), speaker).map(([text, index, who]) => ({
    type: 'text.ended',
    data: { messageId: 'msg_1', index, text, ...who },
  })),
  fc.tuple(tool, speaker).map(([toolUseId, who]) => ({
    type: 'tool.requested',
    data: { toolUseId, name: 'Bash', input: {}, ...who },
  })),
  tool.map((toolUseId) => ({
    type: 'tool.ended',
    data: { toolUseId, name: 'Bash', outcome: 'completed', durationMs: 1 },
  })),
  request.map((id) => build.permissionRequested(id)),
  request.map((id) => build.permissionResolved(id, { grant: { tool: 'Write' } })),
  fc.constantFrom<EventDraft>(
    { type: 'session.changed', data: { title: 'A title', activity: 'thinking' } },
    { type: 'session.changed', data: { state: 'idle' } },
    { type: 'session.ended', data: { outcome: 'completed', reason: 'done' } },
    { type: 'sdk.message', data: { message: { type: 'new_thing' } } },
  ),
)

const anyDelta: fc.Arbitrary<Delta> = fc
  .record({
    kind: fc.constantFrom('text', 'thinking', 'tool'),
    offset: fc.nat(5),
    text: fc.string(),
    index: fc.nat(2),
  })
  .map(({ kind, offset, text, index }) => {
    const stamp = { sessionId: SESSION, at: '2026-11-15T12:00:00.000Z' }
    if (kind === 'tool') {
      return {
        ...stamp,
        type: 'tool.input.delta',
        data: { toolUseId: 'toolu_1', name: 'Bash', offset, text },
      }
    }
    const type = kind === 'text' ? 'text.delta' : 'thinking.delta'
    return { ...stamp, type, data: { messageId: 'msg_1', index, offset, text } }
  })

/** A session's log with fragments between its events. */
export const anyLog: fc.Arbitrary<(SessionEvent | Delta)[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: anyDraft }, { weight: 1, arbitrary: anyDelta }), { maxLength: 60 })
  .map((items) => {
    let seq = 0
    return [build.sessionCreated(), ...items].map((item) => {
      if ('sessionId' in item) return item
      seq += 1
      const at = new Date(Date.UTC(2026, 10, 15, 12, 0, seq)).toISOString()
      return { ...item, seq, id: build.ids.next('evt'), sessionId: SESSION, at }
    })
  })
