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
      { by: 'day', timeZone },
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
      const { usage, total } = groupUsage(sums, { by: 'day', timeZone: 'UTC' })
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
  const { usage, total } = groupUsage([{ ...aSum(first), model: '' }, aSum(first)], { by: 'model' })
  expect(usage.map(({ key }) => key).toSorted()).toEqual(['', 'opus'])
  expect(total.inputTokens).toBe(2)
})

test('nothing used is a total of nothing', () => {
  expect(groupUsage([], { by: 'day' }).total).toEqual({
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

test('hours have the local time, and end before a time', () => {
  const hours = [first, first + 1, first + 26].map((hour) => aSum(hour))
  const until = new Date((first + 2) * HOUR_MS).toISOString()

  const { usage, total } = groupUsage(hours, { by: 'hour', timeZone: 'Asia/Seoul', until })
  expect(usage.map(({ key }) => key)).toEqual(['2024-01-01T10:00', '2024-01-01T09:00'])
  expect(total.inputTokens).toBe(2)
  expect(groupUsage(hours, { by: 'hour', timeZone: 'Asia/Kolkata' }).usage[0]?.key).toBe('2024-01-02T07:30')
})

test('the shares of a row, and of the total, add up to it, what cost most first', () => {
  const sum = fc.record({
    hour: fc.integer({ min: 0, max: 60 }),
    model: fc.constantFrom('opus', 'sonnet', 'haiku'),
    cost: fc.integer({ min: 0, max: 9 }),
  })
  fc.assert(
    fc.property(fc.array(sum, { maxLength: 40 }), (given) => {
      const sums = given.map(({ hour, model, cost }) => ({ ...aSum(first + hour), model, costUsd: cost }))
      const { usage, total } = groupUsage(sums, { by: 'day', split: 'model', timeZone: 'UTC' })
      for (const row of [...usage, ...(sums.length > 0 ? [total] : [])]) {
        const costs = row.shares?.map(({ costUsd }) => costUsd) ?? []
        expect(costs.reduce((one, two) => one + two, 0)).toBe(row.costUsd)
        expect(costs).toEqual(costs.toSorted((one, two) => two - one))
        expect(row.shares?.reduce((all, { inputTokens }) => all + inputTokens, 0)).toBe(row.inputTokens)
      }
    }),
  )
})
