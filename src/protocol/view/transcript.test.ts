import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyLog } from '../../../test/support/arbitrary.js'
import {
  ids,
  messageQueued,
  permissionRequested,
  sessionCreated,
  turnEnded,
  turnStarted,
} from '../../../test/support/build.js'
import type { Delta, EventDraft, SessionEvent } from '../event/event.js'
import { emptyTranscript, extendTranscript, itemIdOf } from './transcript.js'

const SESSION = ids.next('ses')
const AT = '2026-11-15T12:00:00.000Z'

function log(...drafts: EventDraft[]): SessionEvent[] {
  return drafts.map((draft, index) => ({
    ...draft,
    seq: index + 1,
    id: ids.next('evt'),
    sessionId: SESSION,
    at: AT,
  }))
}

const delta = (data: { offset: number; text: string }): Delta => ({
  sessionId: SESSION,
  at: AT,
  type: 'text.delta',
  data: { messageId: 'm', index: 0, ...data },
})

test('a conversation as a person reads it', () => {
  const messageId = ids.next('msg')
  const turnId = ids.next('trn')
  const requestId = ids.next('per')
  const { items } = extendTranscript(
    emptyTranscript,
    log(
      sessionCreated(),
      messageQueued('write it', messageId),
      { type: 'message.delivered', data: { messageId, turnId } },
      { type: 'thinking.ended', data: { messageId: 'm', index: 0, text: 'Hm.' } },
      { type: 'text.ended', data: { messageId: 'm', index: 1, text: 'I will.' } },
      { type: 'tool.requested', data: { toolUseId: 'toolu_1', name: 'Write', input: { content: 'a' } } },
      permissionRequested(requestId),
      { type: 'tool.started', data: { toolUseId: 'toolu_1', input: { content: 'b' } } },
      {
        type: 'tool.ended',
        data: { toolUseId: 'toolu_1', name: 'Write', outcome: 'completed', result: 'ok', durationMs: 3 },
      },
      { type: 'notice.raised', data: { level: 'warning', topic: 'retry', text: 'Trying again.' } },
      turnEnded(turnId),
    ),
  )

  expect(items).toMatchObject([
    { kind: 'message', text: 'write it', state: 'delivered' },
    { kind: 'thinking', text: 'Hm.' },
    { kind: 'text', text: 'I will.', isWriting: false },
    { kind: 'tool', name: 'Write', state: 'completed', input: { content: 'b' }, result: 'ok', requestId },
    { kind: 'notice', level: 'warning', text: 'Trying again.' },
    { kind: 'turn', outcome: 'completed' },
  ])
})

test('a text grows with its fragments, whatever comes twice, and is replaced by the whole', () => {
  const writing = extendTranscript(emptyTranscript, [
    delta({ offset: 0, text: 'Hel' }),
    delta({ offset: 3, text: 'lo' }),
    delta({ offset: 0, text: 'Hello' }),
  ])
  expect(writing.items).toEqual([{ kind: 'text', id: 'm/0', at: AT, text: 'Hello', isWriting: true }])

  const whole = extendTranscript(
    writing,
    log({ type: 'text.ended', data: { messageId: 'm', index: 0, text: 'Hello!' } }),
  )
  expect(whole.items).toEqual([{ kind: 'text', id: 'm/0', at: AT, text: 'Hello!', isWriting: false }])
})

test('a subagent is found at the call that started it, until and after its end', () => {
  const { items } = extendTranscript(
    emptyTranscript,
    log(
      sessionCreated(),
      { type: 'tool.requested', data: { toolUseId: 'toolu_1', name: 'Agent', input: {} } },
      {
        type: 'agent.started',
        data: { agentId: 'a1', agentType: 'scout', parentToolUseId: 'toolu_1', isBackground: false },
      },
      {
        type: 'text.ended',
        data: { messageId: 'm', index: 0, text: 'Nothing.', parentToolUseId: 'toolu_1', uuid: 'u' },
      },
      { type: 'agent.ended', data: { agentId: 'a1', outcome: 'completed' } },
      { type: 'context.compacted', data: { trigger: 'auto', preTokens: 9, postTokens: 2, durationMs: null } },
      { type: 'session.ended', data: { outcome: 'completed', reason: 'stopped' } },
    ),
  )

  expect(items).toMatchObject([
    {
      kind: 'tool',
      agent: { id: 'a1', type: 'scout', description: null, isBackground: false, outcome: 'completed' },
    },
    { kind: 'text', text: 'Nothing.', parentToolUseId: 'toolu_1', uuid: 'u' },
    { kind: 'compaction', preTokens: 9, postTokens: 2 },
    { kind: 'end', outcome: 'completed', reason: 'stopped' },
  ])
})

test('in one batch or in many: the conversation is the same, and what was there is left as it was', () => {
  fc.assert(
    fc.property(anyLog, fc.nat(20), (events, size) => {
      const whole = extendTranscript(emptyTranscript, events)
      let parts = emptyTranscript
      for (let start = 0; start < events.length; start += size + 1) {
        const before = [...parts.items]
        const next = extendTranscript(parts, events.slice(start, start + size + 1))
        expect(parts.items).toEqual(before)
        parts = next
      }
      expect(parts.items).toEqual(whole.items)
    }),
  )
})

test('retries of a request are one item that counts, and the error of a turn stands once', () => {
  const turnId = ids.next('trn')
  const retry = (n: number): EventDraft => ({
    type: 'notice.raised',
    data: { level: 'warning', topic: 'retry', text: `trying again, ${n} of 10` },
  })
  const error: EventDraft = {
    type: 'notice.raised',
    data: { level: 'error', topic: 'api', text: 'Overloaded' },
  }
  const end = turnEnded(turnId, { outcome: 'failed', stopReason: 'api_error', errors: ['Overloaded'] })
  const { items } = extendTranscript(
    emptyTranscript,
    log(turnStarted(turnId), retry(1), retry(2), error, end),
  )

  expect(items.map((item) => ('text' in item ? [item.kind, item.text] : item.kind))).toEqual([
    ['notice', 'trying again, 2 of 10'],
    ['notice', 'Overloaded'],
    'turn',
  ])
  expect(items.filter((item) => item.kind === 'notice').map(({ level }) => level)).toEqual([
    'warning',
    'info',
  ])
  expect(items.at(-1)).toMatchObject({ errors: ['Overloaded'] })
})

test('the item that shows the text of an event is in the conversation, in any log', () => {
  fc.assert(
    fc.property(anyLog, (events) => {
      const { places } = extendTranscript(emptyTranscript, events)

      const named = events
        .flatMap((event) => ('seq' in event ? [itemIdOf(event)] : []))
        .filter((id) => id !== null)

      expect(named.filter((id) => !places.has(id))).toEqual([])
    }),
  )
})
