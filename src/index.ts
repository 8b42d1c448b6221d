/** The library. */

export { type EvaluatePolicyInput, evaluatePolicy } from './policy/evaluate-policy.js'
export type { Policy, PolicyRule, Verdict } from './protocol/policy.js'
