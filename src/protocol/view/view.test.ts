import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLog } from '../../../test/support/arbitrary.js'
import * as build from '../../../test/support/build.js'
import { type Delta, EventDraft, type SessionEvent } from '../event/event.js'
import type { Grant } from '../event/request-event.js'
import { Session } from '../session.js'
import { applyEvent, applyEvents } from './view.js'

const SESSION = build.ids.next('ses')

function log(...drafts: EventDraft[]): SessionEvent[] {
  return [build.sessionCreated(), ...drafts].map((draft, index) => ({
    ...draft,
    seq: index + 1,
    id: build.ids.next('evt'),
    sessionId: SESSION,
    at: new Date(Date.UTC(2026, 10, 15, 12, 0, index)).toISOString(),
  }))
}

function textDelta(text: string, offset: number, index = 0): Delta {
  return {
    sessionId: SESSION,
    at: '2026-11-15T12:00:00.000Z',
    type: 'text.delta',
    data: { messageId: 'msg_1', index, offset, text },
  }
}

describe('usage', () => {
  const usage = (outputTokens: number) => ({
    inputTokens: 100,
    outputTokens,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
  })
  const soFar = (outputTokens: number): EventDraft => ({
    type: 'session.changed',
    data: { turnUsage: usage(outputTokens) },
  })
  const shown = (...drafts: EventDraft[]) => applyEvents(null, log(...drafts))?.usage.outputTokens
  const [first, second] = [build.ids.next('trn'), build.ids.next('trn')]
  const ended = (turnId: string, tokens: number | null): EventDraft =>
    build.turnEnded(turnId, { usage: tokens === null ? null : usage(tokens) })

  test('grows while a turn runs, and is the final figure at its end', () => {
    const before = [build.turnStarted(first), ended(first, 50), build.turnStarted(second)]
    expect(shown(...before, soFar(10))).toBe(60)
    expect(shown(...before, soFar(10), soFar(25))).toBe(75)
    expect(shown(...before, soFar(10), soFar(25), ended(second, 30))).toBe(80)
    expect(shown(...before, ended(second, 30))).toBe(80)
  })

  test('of a turn that never said its end is what was known of it', () => {
    expect(shown(build.turnStarted(first), soFar(10), ended(first, null), build.turnStarted(second))).toBe(10)
    expect(shown(soFar(10))).toBe(0)
  })
})

test('what is granted again is one grant, and what has run out is forgotten with the next', () => {
  const granted = (grant: Grant): EventDraft[] => {
    const requestId = build.ids.next('per')
    const resolved = build.permissionResolved(requestId)
    return [
      build.permissionRequested(requestId),
      { ...resolved, data: { ...resolved.data, grant } } as EventDraft, // Cast: a permission may have one.
    ]
  }
  const short = { tool: 'Bash', command: 'npm test', until: '2026-11-15T12:00:03.000Z' }
  const long = { tool: 'Bash', command: 'npm test', until: '2026-11-15T18:00:00.000Z' }

  const after = (...grants: Grant[]) => applyEvents(null, log(...grants.flatMap(granted)))?.grants

  expect(after({ tool: 'Read' }, { tool: 'Write' }, { tool: 'Read' })).toEqual([
    { tool: 'Write' },
    { tool: 'Read' },
  ])
  expect(after(long, short, { tool: 'Read' })).toEqual([long, { tool: 'Read' }])
})

test('one by one, in batches or from a stored snapshot: the view is the same', () => {
  fc.assert(
    fc.property(anyLog, fc.array(fc.nat(10), { minLength: 1, maxLength: 10 }), (events, sizes) => {
      const whole = applyEvents(null, events)

      let stored: Session | null = null
      for (let start = 0, turn = 0; start < events.length; turn += 1) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0)
        stored = applyEvents(stored && JSON.parse(JSON.stringify(stored)), events.slice(start, start + size))
        start += size
      }
      const single = events.reduce<Session | null>(applyEvent, null)

      expect(stored).toEqual(whole)
      expect(single).toEqual(whole)
    }),
  )
})

test('every view is a valid snapshot, and its input is left as it was', () => {
  fc.assert(
    fc.property(anyLog, (events) => {
      const before = JSON.stringify(events)

      const view = applyEvents(null, events)

      expect(Session.safeParse(view).error?.issues ?? []).toEqual([])
      expect(JSON.stringify(events)).toBe(before)
    }),
  )
})

test('there is no view before the session is created', () => {
  expect(applyEvents(null, log().slice(1))).toBeNull()
  expect(applyEvent(null, textDelta('a', 0))).toBeNull()
})

test('an event of a newer version changes nothing but the place in the log', () => {
  const view = applyEvents(null, log())
  const event = { ...log(build.notice('x'))[1], type: 'weather.changed' } as unknown as SessionEvent

  expect(applyEvent(view, event)).toEqual({ ...view, lastSeq: 2, updatedAt: event.at })
})

describe('state', () => {
  const turn = build.ids.next('trn')
  const permission = build.ids.next('per')
  const question = build.ids.next('que')
  const asked = build.permissionRequested(question)

  test.each([
    ['idle', []],
    ['working', [build.turnStarted(turn)]],
    ['permission', [build.turnStarted(turn), build.permissionRequested(permission)]],
    ['question', [build.turnStarted(turn), asked, build.permissionRequested(permission)]],
    [
      'working',
      [build.turnStarted(turn), build.permissionRequested(permission), build.permissionResolved(permission)],
    ],
    ['idle', [build.turnStarted(turn), build.turnEnded(turn)]],
    [
      'ended',
      [build.turnStarted(turn), { type: 'session.ended', data: { outcome: 'completed', reason: 'done' } }],
    ],
  ] as [string, EventDraft[]][])('%s after %#', (state, drafts) => {
    expect(applyEvents(null, log(...drafts))?.state).toBe(state)
  })

  test('an ended session can be taken up again', () => {
    const view = applyEvents(
      null,
      log(
        { type: 'session.ended', data: { outcome: 'interrupted', reason: 'stopped' } },
        { type: 'session.changed', data: { state: 'idle' } },
      ),
    )

    expect(view).toMatchObject({ state: 'idle', endedAt: null, outcome: null, reason: null })
  })
})

test('the branch and the size of the context are as last told; a compacted context is smaller, or unknown', () => {
  const compacted = (postTokens: number | null): EventDraft => ({
    type: 'context.compacted',
    data: { trigger: 'auto', preTokens: 9_000, postTokens, durationMs: null },
  })
  const told: EventDraft = { type: 'session.changed', data: { branch: 'main', contextTokens: 9_000 } }

  expect(applyEvents(null, log())).toMatchObject({ branch: null, contextTokens: null })
  expect(applyEvents(null, log(told))).toMatchObject({ branch: 'main', contextTokens: 9_000 })
  expect(applyEvents(null, log(told, compacted(700)))?.contextTokens).toBe(700)
  expect(applyEvents(null, log(told, compacted(null)))?.contextTokens).toBe(null)
})

describe('the block being written', () => {
  test('fragments add up, and a fragment that comes twice changes nothing', () => {
    const view = applyEvents(null, [...log(), textDelta('Hel', 0), textDelta('lo', 3), textDelta('lo', 3)])

    expect(view?.partial).toEqual({ kind: 'text', messageId: 'msg_1', index: 0, text: 'Hello' })
  })

  test('a fragment of another block starts anew', () => {
    const view = applyEvents(null, [...log(), textDelta('Hello', 0), textDelta('Next', 0, 1)])

    expect(view?.partial).toEqual({ kind: 'text', messageId: 'msg_1', index: 1, text: 'Next' })
  })

  test('it is gone when the whole text is there, but not when a subagent has said something', () => {
    const before = applyEvents(null, [...log(), textDelta('Hello', 0)])
    const [, whole, ofAgent] = log(build.textEnded('Hello'), {
      type: 'text.ended',
      data: { messageId: 'msg_9', index: 0, text: 'Found.', parentToolUseId: 'toolu_1' },
    })

    expect(applyEvents(before, whole ? [whole] : [])?.partial).toBeNull()
    expect(applyEvents(before, ofAgent ? [ofAgent] : [])?.partial).toEqual(before?.partial)
  })
})

test('every draft of the test builders is a valid event', () => {
  fc.assert(
    fc.property(anyLog, (events) => {
      for (const event of events) {
        if (!('seq' in event)) continue
        expect(EventDraft.safeParse({ type: event.type, data: event.data }).error?.issues ?? []).toEqual([])
      }
    }),
  )
})

describe('the name of a session', () => {
  const nameAfter = (...drafts: EventDraft[]) => applyEvents(null, log(...drafts))?.name
  const changed = (data: { title?: string; summary?: string }): EventDraft => ({
    type: 'session.changed',
    data,
  })

  test('is its first prompt, whatever is sent later', () => {
    expect(nameAfter()).toBeNull()
    expect(
      nameAfter(
        build.messageQueued('Fix **login**'),
        build.messageQueued('yes'),
        build.messageQueued('/compact'),
      ),
    ).toBe('Fix login')
  })

  test('is the next prompt where the first message is only a command', () => {
    expect(nameAfter(build.messageQueued('/init'))).toBeNull()
    expect(nameAfter(build.messageQueued('/init'), build.messageQueued('Fix login'))).toBe('Fix login')
  })

  test('changes with a rename, and once with the title that Claude gives', () => {
    const prompt = build.messageQueued('Fix login')
    expect(nameAfter(prompt, changed({ summary: 'Login on Safari' }))).toBe('Login on Safari')
    expect(nameAfter(prompt, changed({ summary: 'One' }), changed({ summary: 'Two' }))).toBe('One')
    expect(nameAfter(prompt, changed({ title: 'Mine' }), changed({ summary: 'Two' }))).toBe('Mine')
    expect(nameAfter(prompt, changed({ summary: 'One' }), changed({ title: 'Mine' }))).toBe('Mine')
  })
})
