import { expect, test } from 'vitest'
import { matchScore } from './match.js'

test('all words must match; a part is better than letters in order, the start of a word better still', () => {
  expect(matchScore('Fix the login page', 'zebra')).toBeNull()
  expect(matchScore('Fix the login page', 'login zebra')).toBeNull()
  expect(matchScore('Fix the login page', '')).toBe(0)
  const [start, part, letters] = ['log', 'ogin', 'ftlp'].map((text) => matchScore('Fix the login page', text))
  expect(start).toBeGreaterThan(part ?? 0)
  expect(part).toBeGreaterThan(letters ?? 0)
  expect(letters).toBeGreaterThan(0)
  expect(matchScore('로그인 페이지', '페이')).toBeGreaterThan(0)
})
