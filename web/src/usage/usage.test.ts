import { expect, test } from 'vitest'
import type { UsageRow, UsageShare } from '../../../src/protocol/index.js'
import { costOf, slotsOf, startOf } from './period.js'
import { measureOf, partsOf, seriesOf } from './series.js'

const NO_TOKENS = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
const aShare = (key: string, costUsd: number): UsageShare => ({ key, ...NO_TOKENS, costUsd })
const aRow = (key: string, shares: UsageShare[]): UsageRow => ({
  ...aShare(
    key,
    shares.reduce((sum, { costUsd }) => sum + costUsd, 0),
  ),
  sessions: 1,
  sources: ['sdk'],
  unpriced: [],
  shares,
})

// A Wednesday.
const NOW = new Date(2026, 10, 18, 15, 30).getTime()

test('a week begins on Monday and has seven columns, a day has 24', () => {
  expect(startOf('today', NOW)).toEqual(new Date(2026, 10, 18))
  expect(startOf('week', NOW)).toEqual(new Date(2026, 10, 16))
  expect(startOf('week', new Date(2026, 10, 22, 23).getTime())).toEqual(new Date(2026, 10, 16))
  expect(startOf('week', new Date(2026, 10, 16).getTime())).toEqual(new Date(2026, 10, 16))
  expect(slotsOf('week', NOW)).toEqual([16, 17, 18, 19, 20, 21, 22].map((day) => `2026-11-${day}`))
  expect(slotsOf('today', NOW).slice(13, 15)).toEqual(['2026-11-18T13:00', '2026-11-18T14:00'])
  expect(slotsOf('month', NOW)).toHaveLength(30)
  expect(slotsOf('month', NOW).at(-1)).toBe('2026-11-18')
})

test('the cost of a period is that of its days', () => {
  const rows = [
    { key: '2026-11-18', costUsd: 1 },
    { key: '2026-11-16', costUsd: 2 },
    { key: '2026-11-15', costUsd: 4 },
  ]
  expect([costOf(rows, 'today', NOW), costOf(rows, 'week', NOW), costOf(rows, 'month', NOW)]).toEqual([
    1, 3, 7,
  ])
})

test('few series are named, the others are one, and every column adds up', () => {
  const shares = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key, index) => aShare(key, 10 - index))
  const series = seriesOf(shares, 'cost')

  expect(series.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e', null])
  expect(series.at(-1)?.value).toBe(5 + 4 + 3)
  expect(partsOf(aRow('x', [aShare('b', 2), aShare('h', 1), aShare('g', 1)]), series, 'cost')).toEqual([
    0, 2, 0, 0, 0, 2,
  ])
  expect(partsOf(undefined, series, 'cost')).toEqual([0, 0, 0, 0, 0, 0])
  expect(seriesOf(shares.slice(0, 6), 'cost')).toHaveLength(6)
})

test('where nothing was spent, tokens are shown', () => {
  const free = { ...aRow('total', [{ ...aShare('opus', 0), inputTokens: 7 }]), inputTokens: 7 }
  expect(measureOf(free)).toBe('tokens')
  expect(seriesOf(free.shares ?? [], 'tokens')).toEqual([{ key: 'opus', value: 7 }])
  expect(measureOf(aRow('total', [aShare('opus', 1)]))).toBe('cost')
})
