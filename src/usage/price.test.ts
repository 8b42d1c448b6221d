import { expect, test } from 'vitest'
import { costOf } from './price.js'

const MILLION = 1_000_000
const NOTHING = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
}

test('each kind of token has its price', () => {
  const cost = (spent: object) => costOf('claude-opus-5', { ...NOTHING, ...spent }, '2026-11-01')
  expect(cost({ inputTokens: MILLION })).toBe(5)
  expect(cost({ outputTokens: MILLION })).toBe(25)
  expect(cost({ cacheReadInputTokens: MILLION })).toBe(0.5)
  expect(cost({ cacheCreationInputTokens: MILLION })).toBe(6.25)
  expect(cost({ cacheCreationInputTokens: MILLION, cacheHourInputTokens: MILLION })).toBe(10)
})

test.each([
  'claude-sonnet-4-5',
  'claude-sonnet-4-5-20250929',
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'claude-sonnet-4-5@20250929',
])('a model is known under every name: %s', (model) => {
  expect(costOf(model, { ...NOTHING, outputTokens: MILLION }, '2026-11-01')).toBe(15)
})

test('a version is not taken for another one', () => {
  const output = (model: string) => costOf(model, { ...NOTHING, outputTokens: MILLION }, '2026-11-01')
  expect(output('claude-sonnet-4-20250514')).toBe(15)
  expect(output('claude-opus-4-1-20250805')).toBe(75)
  expect(output('claude-opus-5-5')).toBe(20)
})

test('the price of the day holds', () => {
  const read = { ...NOTHING, cacheReadInputTokens: MILLION }
  expect(costOf('claude-sonnet-5-5', read, '2026-10-06')).toBe(0.2)
  expect(costOf('claude-sonnet-5-5', read, '2026-10-07')).toBe(0.1)
})

test('a long prompt may cost more', () => {
  expect(costOf('claude-haiku-5-5', { ...NOTHING, inputTokens: 100_000 }, '2026-11-01')).toBeCloseTo(0.01)
  expect(costOf('claude-haiku-5-5', { ...NOTHING, inputTokens: 200_000 }, '2026-11-01')).toBeCloseTo(0.1)
})

test.each(['claude-opus-9', 'gpt-5', '', '<synthetic>', 'constructor-1'])('%j has no price', (model) => {
  expect(costOf(model, { ...NOTHING, inputTokens: MILLION }, '2026-11-01')).toBeNull()
})
