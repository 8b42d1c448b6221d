import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import type { PolicyFile } from '../../protocol/policy/policy-body.js'
import { changePolicyText } from './policy-text.js'

const rule = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  verdict: fc.constantFrom('deny', 'ask', 'allow'),
  when: fc.record({ tools: fc.array(fc.constantFrom('Bash', 'Write')) }),
})
const policy = fc.record(
  {
    preset: fc.constantFrom('careful', 'classic'),
    denyFirst: fc.boolean(),
    rules: fc.uniqueArray(rule, { selector: ({ name }) => name }),
  },
  { requiredKeys: ['rules'] },
) as fc.Arbitrary<PolicyFile>

test('whatever the text was, it says what the policy says, and what stands before it stays', () => {
  fc.assert(
    fc.property(policy, policy, (before, after) => {
      const text = `// Mine.\n${JSON.stringify(before, null, 2).replaceAll('{\n', '{ // here\n')}\n`
      const changed = changePolicyText(text, after)
      expect(parse(changed)).toEqual(after)
      expect(changed).toMatch(/^\/\/ Mine\.\n/)
      expect(changePolicyText(changed, after)).toBe(changed)
    }),
  )
})

test.each([null, '', '{ broken', '[]', '7'])('from scratch where there is nothing to change: %j', (text) => {
  expect(changePolicyText(text, { rules: [] })).toBe('{\n  "rules": []\n}\n')
})
