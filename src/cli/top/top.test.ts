import fc from 'fast-check'
import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import { REQUEST, SESSION } from '../../protocol/example/value-example.js'
import type { InboxRequest } from '../../protocol/request.js'
import { widthOf } from '../output/width.js'
import { KeyReader } from './key.js'
import { type Pressed, press } from './press.js'
import { openScreen } from './screen.js'
import { START, type TopState, withLists } from './state.js'
import { pageOf, viewOf } from './view.js'

const SIZE = { columns: 80, rows: 24 }
const PLAIN = createColors(false)
const NOW = Date.parse('2026-11-17T12:00:00.000Z')

function aRequest(changes: Partial<InboxRequest> = {}): InboxRequest {
  return { ...REQUEST, reasonParts: [{ code: 'file.write.plain', params: { path: 'a' } }], ...changes }
}

function aState(requests: readonly InboxRequest[], changes: Partial<TopState> = {}): TopState {
  return { ...withLists(START, { sessions: [SESSION], requests }), link: 'live', ...changes }
}

/** Presses keys one after the other, and collects what they cause. */
function pressAll(
  state: TopState,
  keys: string,
  size = SIZE,
): { state: TopState; effects: Pressed['effect'][] } {
  const effects: Pressed['effect'][] = []
  let now = state
  for (const key of new KeyReader().push(keys)) {
    const pressed = press(now, key, pageOf(size))
    now = pressed.state
    if (pressed.effect) effects.push(pressed.effect)
  }
  return { state: now, effects }
}

const allowed = (requestId: string) => ({ kind: 'answer', requestId, body: { decision: 'allow' } })

test('one key allows what is known to be mild, once', () => {
  const request = aRequest()

  expect(pressAll(aState([request]), 'aa').effects).toEqual([allowed(request.id)])
})

test.each([
  ['a deletion', { reasonParts: [{ code: 'file.delete-tree.plain', params: {} }] }],
  [
    'a mild effect beside a serious one',
    { reasonParts: ['git.commit', 'git.force-push'].map((code) => ({ code, params: {} })) },
  ],
  ['a reason that this version does not know', { reasonParts: [{ code: 'later.version', params: {} }] }],
  ['a request without reasons', { reasonParts: [] }],
  ['a plan', { plan: 'First this.' }],
  ['a freer agent', { freerMode: 'bypassPermissions' as const }],
])('%s needs a confirmation', (_, changes) => {
  const request = aRequest(changes)

  expect(pressAll(aState([request]), 'aaa').effects).toEqual([])
  expect(pressAll(aState([request]), 'an').effects).toEqual([])
  expect(pressAll(aState([request]), 'ay').effects).toEqual([allowed(request.id)])
})

test('a call that does not fit the screen is allowed only after its end was shown', () => {
  const request = aRequest({ input: { command: `echo ${'x'.repeat(5_000)}; the-end` } })
  const state = aState([request])

  const early = pressAll(state, 'ay')
  expect([early.effects, early.state.message]).toEqual([[], 'Read it to its end first (space).'])
  const { state: read } = pressAll(state, `a${' '.repeat(10)}`)
  expect(viewOf(read, SIZE, NOW, PLAIN).join('\n')).toContain('the-end')
  expect(pressAll(read, 'y').effects).toEqual([allowed(request.id)])
})

test('the selection never moves to another request on its own', () => {
  const [first, second] = [aRequest(), aRequest({ id: 'per_01m7h4000000000000000000zz' })]
  const before = pressAll(aState([first, second]), 'd').state

  const after = withLists(before, { requests: [second] })

  expect(after).toMatchObject({ mode: { kind: 'list' }, message: 'The request is no longer pending.' })
  expect(pressAll(after, 'a\r').effects).toEqual([])
  expect(pressAll(after, 'ja').effects).toEqual([allowed(second.id)])
})

test('without a connection nothing is answered, also not from a dialog that was open', () => {
  const request = aRequest()
  const lost = { link: 'lost' } as const
  expect(pressAll(aState([request], lost), 'a').effects).toEqual([])

  const open = pressAll(aState([aRequest({ plan: 'Do it.' })]), 'a').state
  expect(pressAll({ ...open, ...lost }, 'y').effects).toEqual([])
  const reason = pressAll(aState([request]), 'dno').state
  expect(pressAll({ ...reason, ...lost }, '\r').effects).toEqual([])
})

test('pasted text never acts as keys, and can be a reason', () => {
  const paste = '\u001b[200~a\ryes\r\u001b[201~'
  const request = aRequest()

  expect(pressAll(aState([request]), paste).effects).toEqual([])
  expect(pressAll(aState([request]), `d${paste}\r`).effects).toEqual([
    { kind: 'answer', requestId: request.id, body: { decision: 'deny', message: 'a yes' } },
  ])
})

test('keys and pastes that arrive in parts are read, and unknown sequences do nothing', () => {
  const reader = new KeyReader()
  const names = (chunk: string) => reader.push(chunk).map(({ name, text }) => text ?? name)
  expect(names('j\u001b[A\u001b[1;5C\u001bOB\r')).toEqual(['j', 'up', 'unknown', 'down', 'enter'])
  expect([...names('\u001b[200~one '), ...names('a two'), ...names('\u001b[201~k')]).toEqual([
    'one a two',
    'k',
  ])
  expect(names('\u001b')).toEqual(['escape'])
  expect(names('한')).toEqual(['한'])
})

test('requests that can be answered only in a terminal or as a form name the way', () => {
  const inTerminal = pressAll(aState([aRequest({ isOnlyInTerminal: true })]), 'a')
  expect([inTerminal.effects, inTerminal.state.message]).toEqual([
    [],
    'Can be answered only in its terminal.',
  ])
})

test('whatever others write, each line fits and has no control characters', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '\u001b[2J', '\r', '\n', '\t', '\u009b', '\u202e', '한', '👍', 'e\u0301'),
  })
  const size = fc.record({
    columns: fc.integer({ min: 20, max: 130 }),
    rows: fc.integer({ min: 6, max: 50 }),
  })
  const keys = fc.constantFrom('', 'a', 'd', 'd한', '/a', '?', 'j', 'j\r', 'jj')
  fc.assert(
    fc.property(text, text, size, keys, (title, command, { columns, rows }, typed) => {
      const sessions = [{ ...SESSION, title, name: title, cwd: `/${command}` }]
      const requests = [aRequest({ title, reason: title, input: { command }, plan: null })]
      const lists = withLists(START, { sessions, requests })
      const state = { ...lists, link: 'live', tail: { sessionId: SESSION.id, text: command } } as const
      const shown = viewOf(pressAll(state, typed, { columns, rows }).state, { columns, rows }, NOW, PLAIN)

      expect(shown).toHaveLength(rows)
      // oxlint-disable-next-line no-control-regex -- they are what must not be there.
      for (const line of shown) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
      for (const line of shown) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    }),
    { numRuns: 300 },
  )
})

test('only lines that have changed are written, and the terminal is given back once', () => {
  const written: string[] = []
  const screen = openScreen((text) => written.push(text))
  screen.draw(['one', 'two'])
  written.length = 0

  screen.draw(['one', 'TWO'])
  screen.draw(['one', 'TWO'])
  expect(written).toEqual(['\u001b[2;1H\u001b[0m\u001b[KTWO\u001b[0m'])

  screen.forget()
  screen.draw(['one', 'TWO'])
  expect(written[1]).toContain('one')
  screen.leave()
  screen.leave()
  screen.draw(['late'])
  expect(written).toHaveLength(3)
  expect(written[2]).toContain('\u001b[?1049l')
})
