import { beforeEach, expect, test } from 'vitest'
import { forgetPrompts, promptHistory, rememberPrompt } from './prompt-history.js'

const A = { who: 'kim', sessionId: 'a' }
const B = { who: 'kim', sessionId: 'b' }
const NEW = { who: 'kim', sessionId: '' }

beforeEach(() => {
  const kept = new Map<string, string>()
  globalThis.localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage
})

test('prompts of the session come first, then those of others, the newest first and each once', () => {
  rememberPrompt(A, 'one')
  rememberPrompt(B, 'two')
  rememberPrompt(A, 'three')
  rememberPrompt(A, 'one')

  expect(promptHistory(A, [])).toEqual(['one', 'three', 'two'])
  expect(promptHistory(B, ['zero', 'from elsewhere'])).toEqual([
    'from elsewhere',
    'zero',
    'two',
    'one',
    'three',
  ])
  expect(promptHistory(NEW, [])).toEqual(['one', 'three', 'two'])
  expect(promptHistory({ ...A, who: 'lee' }, [])).toEqual([])
})

test('the newest hundred are kept, empty and very long ones are not, and logging out forgets them', () => {
  for (let count = 0; count < 150; count += 1) rememberPrompt(A, `prompt ${count}`)
  rememberPrompt(A, '  ')
  rememberPrompt(A, 'x'.repeat(6_000))

  expect(promptHistory(A, [])).toHaveLength(100)
  expect(promptHistory(A, [])[0]).toBe('prompt 149')
  forgetPrompts()
  expect(promptHistory(A, [])).toEqual([])
})

test('a damaged store counts as none', () => {
  localStorage.setItem('signalbox.prompts', '{"')
  expect(promptHistory(A, [])).toEqual([])
  localStorage.setItem(
    'signalbox.prompts',
    '[1, null, {"text": 5}, {"who": "kim", "sessionId": "a", "text": "kept"}]',
  )
  expect(promptHistory(A, [])).toEqual(['kept'])
})
