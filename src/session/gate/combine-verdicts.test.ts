import { expect, test } from 'vitest'
import { type HookVote, weigh } from './combine-verdicts.js'

const policy = (verdict: 'allow' | 'deny' | 'ask') => ({ verdict, reason: 'own', by: 'policy: rule' })
const hook = (decision: HookVote['decision'], reason: string | null = null) => ({
  decision,
  reason,
  by: './x.sh',
})
const write = { name: 'Write', input: {} }
const escape = { name: 'Bash', input: { command: 'ls', dangerouslyDisableSandbox: true } }

test.each([
  ['allow', null, write, 'allow', 'policy: rule'],
  ['ask', null, write, 'ask', 'policy: rule'],
  ['deny', 'allow', write, 'deny', 'policy: rule'],
  ['deny', 'ask', write, 'deny', 'policy: rule'],
  ['allow', 'ask', write, 'ask', 'hook: ./x.sh'],
  ['ask', 'ask', write, 'ask', 'hook: ./x.sh'],
  ['allow', 'allow', write, 'allow', 'policy: rule'],
  ['ask', 'allow', write, 'allow', 'hook: ./x.sh'],
  ['ask', 'allow', { name: 'AskUserQuestion', input: {} }, 'ask', 'policy: rule'],
  ['ask', 'allow', { name: 'ExitPlanMode', input: {} }, 'ask', 'policy: rule'],
  ['ask', 'allow', escape, 'ask', 'policy: rule'],
] as const)('the policy says %s, a hook %s, about %j: %s, by %s', (own, decision, call, verdict, by) => {
  const opinion = decision === null ? null : hook(decision)
  expect(weigh(policy(own), opinion, call)).toMatchObject({ verdict, by })
})

test('the reason comes with the vote that decided', () => {
  expect(weigh(policy('allow'), hook('ask', 'I am not sure.'), write).reason).toBe('I am not sure.')
  expect(weigh(policy('allow'), hook('ask'), write).reason).toBe('A hook wants a user to decide.')
  expect(weigh(policy('deny'), hook('ask', 'I am not sure.'), write).reason).toBe('own')
})
