import { afterEach, expect, test, vi } from 'vitest'
import { ageText, clockText, timeText } from './time.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

const AT = '2026-11-17T19:04:33.512Z'

test('times are local ones, in the zone of the user', () => {
  vi.stubEnv('TZ', 'Asia/Seoul')
  expect(timeText(AT, {})).toBe('2026-11-18 04:04:33')
  expect(timeText(AT, {}, 'day')).toBe('2026-11-18')
  expect(clockText(AT, {}, 'millisecond')).toBe('04:04:33.512')
})

test('in UTC they say so', () => {
  vi.stubEnv('TZ', 'Asia/Seoul')
  expect(timeText(AT, { utc: true })).toBe('2026-11-17 19:04:33Z')
  expect(clockText(AT, { utc: true })).toBe('19:04:33Z')
})

test.each([
  [5_000, '5s'],
  [185_000, '3m'],
  [7_300_000, '2h'],
  [200_000_000, '2d'],
  [-5_000, '0s'],
])('%i milliseconds ago is %s', (ms, text) => {
  expect(ageText(AT, Date.parse(AT) + ms)).toBe(text)
})
