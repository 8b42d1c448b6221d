/** The effect of a rule on a call and on those near it, judged by the real policy with and without the rule. */

import type { PolicyRule } from '../../protocol/policy/policy.js'
import type { NearbyVerdict } from '../../protocol/policy/policy-body.js'
import type { EffectivePolicy, PolicyCall } from '../call.js'
import { evaluate, judgeCall } from '../evaluate.js'
import { bySeverity } from '../finding.js'
import { severityOf } from '../severity.js'
import { nearbyCalls } from './nearby-call.js'

export interface RulePreview {
  /** The rule allows the call that it was made for. */
  isCovering: boolean
  nearby: NearbyVerdict[]
}

export function previewRule(call: PolicyCall, policy: EffectivePolicy, rule: PolicyRule): RulePreview {
  const others = policy.rules.filter(({ name }) => name !== rule.name)
  const proposed = { ...policy, rules: [...others, rule] }
  // A grant of the session would hide what the rule does.
  const plain = { ...call, grants: [] }
  const verdictOn = (input: unknown, by: EffectivePolicy) => evaluate({ ...plain, input }, by).verdict
  return {
    isCovering: verdictOn(call.input, proposed) === 'allow',
    nearby: nearbyCalls(call).map(({ kind, input, title }) => {
      const [first] = bySeverity(judgeCall({ ...plain, input }).findings)
      return {
        kind,
        title,
        before: verdictOn(input, policy),
        after: verdictOn(input, proposed),
        ...(first && { severity: severityOf(first) }),
      }
    }),
  }
}
