import { expect, test } from 'vitest'
import { commonTools, SessionOptions } from './option.js'

const preset = { type: 'preset', preset: 'claude_code' } as const

test.each([
  { systemPrompt: preset },
  { systemPrompt: { ...preset, append: 'Be brief.' } },
  { systemPrompt: { append: 'Be brief.' } },
  { tools: preset },
  { maxThinkingTokens: 0 },
  { maxThinkingTokens: 4_000 },
])('options in a shape of the SDK are taken as they are: %j', (options) => {
  expect(SessionOptions.parse(options)).toEqual(options)
})

test.each([
  { systemPrompt: { type: 'preset', preset: 'another' } },
  { tools: { ...preset, append: 'Read' } },
  { maxThinkingTokens: -1 },
])('other shapes are refused: %j', (options) => {
  expect(SessionOptions.safeParse(options).success).toBe(false)
})

test('the preset never gives more tools than a list leaves', () => {
  expect(commonTools(preset, ['Read'])).toEqual(['Read'])
  expect(commonTools(['Read'], preset)).toEqual(['Read'])
  expect(commonTools(['Read', 'Bash'], ['Read', 'Write'])).toEqual(['Read'])
  expect(commonTools(preset, preset)).toEqual(preset)
})
