import { expect, test } from 'vitest'
import type { PolicyRule } from '../../../src/protocol/index.js'
import { hasTool, rulesForTool } from './tool-use.js'

const tool = { id: 'datetime', agentName: 'mcp__signalbox__datetime' }

test('a session has a tool unless its options exclude it', () => {
  expect(hasTool({ options: {} }, tool)).toBe(true)
  expect(hasTool({ options: { tools: ['Read', 'datetime'] } }, tool)).toBe(true)
  expect(hasTool({ options: { tools: ['mcp__signalbox__datetime'] } }, tool)).toBe(true)
  expect(hasTool({ options: { tools: ['Read'] } }, tool)).toBe(false)
  expect(hasTool({ options: { disallowedTools: ['mcp__signalbox__datetime'] } }, tool)).toBe(false)
})

test('rules are found by the name of a tool or by a pattern', () => {
  const rule = (name: string, ...tools: string[]): PolicyRule => ({
    name,
    verdict: 'allow',
    when: tools.length > 0 ? { tools } : {},
  })
  const rules = [
    rule('whole', 'mcp__signalbox__datetime'),
    rule('pattern', 'mcp__signalbox__*'),
    rule('other', 'mcp__github__*', 'Write'),
    rule('all', '*'),
    rule('any'),
    rule('odd', 'mcp__signalbox__(datetime'),
    rule('many', 'mcp__*__date*e'),
    rule('too much', 'mcp__*signalbox__datetime*signalbox__datetime'),
    rule('stars', '*'.repeat(500), `${'*a'.repeat(200)}*`),
  ]

  expect(rulesForTool(rules, tool).map(({ name }) => name)).toEqual(['whole', 'pattern', 'many', 'stars'])
})
