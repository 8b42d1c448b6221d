import fc from 'fast-check'
import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import { REQUEST, SESSION } from '../../protocol/example/value-example.js'
import type { InboxRequest } from '../../protocol/request.js'
import { widthOf } from '../output/width.js'
import { KeyReader } from './key.js'
import { press } from './press.js'
import type { Pressed } from './press-step.js'
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

const FORM = {
  server: 'kit',
  message: 'Who are you?',
  schema: {
    properties: {
      name: { type: 'string', title: 'Your name', minLength: 2 },
      colour: { type: 'string', enum: ['red', 'blue'] },
      news: { type: 'boolean', default: false },
      size: { type: 'integer' },
    },
    required: ['name', 'colour'],
  },
}

const aForm = (form: InboxRequest['form'] = FORM) =>
  aRequest({ kind: 'question', form, title: 'Who are you?', questions: [] })

test('a form is filled in field by field, sent with the last one, and nothing wrong is sent', () => {
  const request = aForm()
  const state = aState([request])

  const wrong = pressAll(state, 'aK\r')
  expect([wrong.effects, wrong.state.message]).toEqual([[], 'name must have at least 2 characters.'])
  const { effects } = pressAll(state, 'aKim\r2\r\r7\r')
  expect(effects).toEqual([
    {
      kind: 'answer',
      requestId: request.id,
      body: { action: 'accept', content: { name: 'Kim', colour: 'blue', news: false, size: 7 } },
    },
  ])
  // Back to a field, and over an optional one.
  const changed = pressAll(state, 'aKim\rred\u001b[A\u001b[A\u007fn\r\r\r\r').effects
  expect(changed).toMatchObject([{ body: { content: { name: 'Kin', colour: 'red', news: false } } }])
  expect(pressAll(state, 'aKim\r\u001b').effects).toEqual([])
  expect(pressAll({ ...pressAll(state, 'aKim\r1\r\r').state, link: 'lost' }, '\r').effects).toEqual([])
  const shown = viewOf(pressAll(state, 'aKim\r1').state, SIZE, NOW, PLAIN).join('\n')
  expect(shown).toMatch(/ {2}Your name: Kim\n\n> colour \(1 to 2\): 1\n {4}1 {2}red\n {4}2 {2}blue/)
})

test('a form is declined after a confirmation, and a page to visit is confirmed', () => {
  const request = aForm()
  const declined = { kind: 'answer', requestId: request.id, body: { action: 'decline' } }
  expect(pressAll(aState([request]), 'dy').effects).toEqual([declined])
  expect(pressAll(aState([request]), 'dn').effects).toEqual([])

  const visit = aState([aForm({ server: 'kit', message: 'Log in.', url: 'https://example.com/login' })])
  expect(viewOf(pressAll(visit, 'a').state, SIZE, NOW, PLAIN).join('\n')).toContain(
    'https://example.com/login',
  )
  expect(pressAll(visit, 'ay').effects).toMatchObject([{ body: { action: 'accept' } }])
  expect(pressAll(visit, 'ady').effects).toMatchObject([{ body: { action: 'decline' } }])
})

test('similar calls are allowed for the session, and edits after a plan, only from the page that shows all', () => {
  const request = aRequest({ grant: { tool: 'Bash', command: 'npm test' } })
  expect(pressAll(aState([request]), 's').effects).toEqual([])
  expect(pressAll(aState([request]), 'ss').effects).toMatchObject([{ body: { decision: 'allowAll' } }])
  const { grant: _, ...without } = request
  expect(pressAll(aState([without]), 'ss').effects).toEqual([])

  const plan = aState([aRequest({ plan: 'First this.' })])
  expect(pressAll(plan, 'ae').effects).toMatchObject([{ body: { decision: 'allow', mode: 'acceptEdits' } }])
})

test('the way to another input works as it is shown', () => {
  const { message } = pressAll(aState([aRequest()]), 'e').state
  expect(message).toMatch(/^Allow another input with: .* allow per_\w+ --input JSON/)
})

test('requests that can be answered only in a terminal name the way', () => {
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
  const keys = fc.constantFrom('', 'a', 'a한', 'a1\r', 'd', 'd한', '/a', '?', 'j', 'j\r', 'jj')
  fc.assert(
    fc.property(text, text, size, keys, fc.boolean(), (title, command, { columns, rows }, typed, isForm) => {
      const sessions = [{ ...SESSION, title, name: title, cwd: `/${command}` }]
      const enumerated = { type: 'string', enum: [title, command], description: command, title }
      const schema = { properties: { [title]: enumerated, [command]: { type: 'integer', title: command } } }
      const form = isForm ? { server: title, message: title, schema } : null
      const request = aRequest({ title, reason: title, input: { command }, plan: null, form })
      const requests = [isForm ? { ...request, kind: 'question' as const } : request]
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
