import { expect, test } from 'vitest'
import type { PolicyRule, RuleConditions } from '../../protocol/policy/policy.js'
import { escapePattern } from '../rule/suggest-rule.js'
import { sampleCall } from './sample-call.js'

const sampleOf = (when: RuleConditions) => {
  const rule: PolicyRule = { name: 'x', verdict: 'allow', when }
  return sampleCall(rule, '/work')
}

test.each<[RuleConditions, string, string]>([
  [{ commands: ['npm run *'] }, 'Bash', 'npm run example'],
  [{ tools: ['Bash'], commands: ['rm -rf [!-]*'] }, 'Bash', 'rm -rf example'],
  [{ commands: ['git push ** --force **'] }, 'Bash', 'git push --force'],
  [{ commands: [`echo ${escapePattern("it's *")}`] }, 'Bash', `echo 'it'\\''s *'`],
  [{ commands: ['make {test,lint}'] }, 'Bash', 'make test'],
  [{ tools: ['Bash'] }, 'Bash', 'example'],
])('the example for %j is %s %s', (when, tool, command) => {
  expect(sampleOf(when)).toEqual({ tool, input: { command } })
})

test.each<[RuleConditions, string, string]>([
  [{ tools: ['Edit'], paths: ['src/**'] }, 'Edit', '/work/src/example'],
  [{ paths: ['*.ts'], access: ['read'] }, 'Read', '/work/example.ts'],
  [{ paths: ['/etc/**'] }, 'Write', '/etc/example'],
  [{ tools: ['Write'] }, 'Write', '/work/example'],
])('the example for %j is %s %s', (when, tool, path) => {
  expect(sampleOf(when)).toEqual({ tool, input: { file_path: path } })
})

test('a rule about every call, or about a pattern of tools, has no example', () => {
  expect(sampleOf({})).toBeNull()
  expect(sampleOf({ tools: ['mcp__*'] })).toBeNull()
  expect(sampleOf({ tools: ['mcp__a__b'] })).toEqual({ tool: 'mcp__a__b', input: {} })
})
