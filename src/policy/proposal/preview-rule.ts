/** The effect of a rule on a call and on those near it, judged by the real policy with and without the rule. */

import type { PolicyRule, Severity } from '../../protocol/policy/policy.js'
import type { NearbyVerdict } from '../../protocol/policy/policy-body.js'
import type { EffectivePolicy, PolicyCall } from '../call.js'
import { evaluate, judgeCall } from '../evaluate.js'
import { bySeverity } from '../finding.js'
import { severityOf } from '../severity.js'
import { nearbyCalls } from './nearby-call.js'

type Answer = NearbyVerdict['before']

export interface JudgedRule {
  /** Verdicts on the call that the rule was made for, without and with the rule. */
  before: Answer
  after: Answer
  severity?: Severity
  nearby: NearbyVerdict[]
}

export function previewRule(call: PolicyCall, policy: EffectivePolicy, rule: PolicyRule): JudgedRule {
  const others = policy.rules.filter(({ name }) => name !== rule.name)
  const proposed = { ...policy, rules: [...others, rule] }
  // A grant of the session would hide what the rule does.
  const plain = { ...call, grants: [] }
  const verdictOn = (input: unknown, by: EffectivePolicy) => evaluate({ ...plain, input }, by).verdict
  const judged = (input: unknown) => {
    const [first] = bySeverity(judgeCall({ ...plain, input }).findings)
    return {
      before: verdictOn(input, { ...policy, rules: others }),
      after: verdictOn(input, proposed),
      ...(first && { severity: severityOf(first) }),
    }
  }
  return {
    ...judged(call.input),
    nearby: nearbyCalls(call).map(({ kind, input, title }) => ({ kind, title, ...judged(input) })),
  }
}
