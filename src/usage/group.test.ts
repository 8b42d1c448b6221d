import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupUsage } from './group.js'

const HOUR_MS = 3_600_000
const first = Date.parse('2024-01-01T00:00:00Z') / HOUR_MS

const figures = { outputTokens: 1, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUsd: 1 }
const aSum = (hour: number, sessionId = 'ses_1', inputTokens = 1) => ({
  ...figures,
  hour,
  sessionId,
  inputTokens,
  cwd: '/a',
  model: 'opus',
  source: 'sdk' as const,
  isPriced: true,
})

const zones = [
  'UTC',
  'Asia/Seoul',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'America/Los_Angeles',
  'America/St_Johns',
  'Europe/Berlin',
  'Australia/Lord_Howe',
]

test('every hour of a year is in the day that the time zone says, changes of the clock included', () => {
  const hours = Array.from({ length: 366 * 24 }, (_, index) => first + index)
  for (const timeZone of zones) {
    const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone })
    const expected = new Map<string, number>()
    for (const hour of hours) {
      const day = format.format(hour * HOUR_MS)
      expected.set(day, (expected.get(day) ?? 0) + 1)
    }

    const { usage: rows } = groupUsage(
      hours.map((hour) => aSum(hour)),
      'day',
      timeZone,
    )

    expect(rows.map(({ key, inputTokens }): [string, number] => [key, inputTokens])).toEqual(
      [...expected].toReversed(),
    )
  }
})

test('a session counts once in a day, wherever its sums stand', () => {
  const sum = fc.record({ hour: fc.integer({ min: 0, max: 60 }), session: fc.integer({ min: 1, max: 4 }) })
  fc.assert(
    fc.property(fc.array(sum, { maxLength: 40 }), (given) => {
      const sums = given.map(({ hour, session }) => aSum(first + hour, `ses_${session}`))
      const { usage, total } = groupUsage(sums, 'day', 'UTC')
      for (const { key, sessions } of usage) {
        const ofDay = sums.filter(({ hour }) => new Date(hour * HOUR_MS).toISOString().startsWith(key))
        expect(sessions).toBe(new Set(ofDay.map(({ sessionId }) => sessionId)).size)
      }
      expect(total.inputTokens).toBe(sums.length)
      expect(total.sessions).toBe(new Set(sums.map(({ sessionId }) => sessionId)).size)
    }),
  )
})

test('what has no name is a group like any other', () => {
  const { usage, total } = groupUsage([{ ...aSum(first), model: '' }, aSum(first)], 'model', 'UTC')
  expect(usage.map(({ key }) => key).toSorted()).toEqual(['', 'opus'])
  expect(total.inputTokens).toBe(2)
})

test('nothing used is a total of nothing', () => {
  expect(groupUsage([], 'day', 'UTC').total).toEqual({
    key: 'total',
    inputTokens: 0,
    outputTokens: 0,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    costUsd: 0,
    sessions: 0,
    sources: [],
    unpriced: [],
  })
})
