import { expect, test } from 'vitest'
import { readDate } from './command-date.js'

test('a date is a local day, a time, or how far back', () => {
  const now = Date.parse('2026-11-17T12:00:00Z')

  expect(readDate('--since', '7d', now)).toBe('2026-11-10T12:00:00.000Z')
  expect(readDate('--since', '12h', now)).toBe('2026-11-17T00:00:00.000Z')
  expect(readDate('--since', '30m', now)).toBe('2026-11-17T11:30:00.000Z')
  expect(readDate('--since', '2026-11-01')).toBe(new Date(2026, 10, 1).toISOString())
  expect(readDate('--since', '2026-11-01T10:00:00Z')).toBe('2026-11-01T10:00:00.000Z')
  expect(() => readDate('--until', 'soon')).toThrow(
    'Invalid --until "soon". Use 7d, 12h, 30m, 2026-11-01 or 2026-11-01T18:00.',
  )
})
