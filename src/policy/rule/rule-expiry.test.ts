import { expect, test } from 'vitest'
import type { PolicyRule } from '../../protocol/policy/policy.js'
import { rulesInForce } from './rule-expiry.js'

const until = '2026-11-20T12:00:00Z'
const rules: PolicyRule[] = [
  { name: 'stays', verdict: 'allow', when: {} },
  { name: 'allows', verdict: 'allow', when: {}, until },
  { name: 'denies', verdict: 'deny', when: {}, until },
  { name: 'asks', verdict: 'ask', when: {}, until },
]

test.each([
  ['2026-11-20T11:59:59.999Z', ['stays', 'allows', 'denies', 'asks']],
  ['2026-11-20T12:00:00.000Z', ['stays']],
  // Fail closed: without a time nothing more is allowed, and nothing less is denied.
  [undefined, ['stays', 'denies', 'asks']],
  ['not a time', ['stays', 'denies', 'asks']],
])('at %j the rules in force are %j', (now, names) => {
  expect(rulesInForce(rules, now).map(({ name }) => name)).toEqual(names)
})
