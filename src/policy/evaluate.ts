/** Decides about a tool call: allow, deny or ask, with the deciding step and rule and a reason in words. */

import { BudgetUsedUp } from '../lib/step-budget.js'
import { Policy, type PolicyInput, type Verdict } from '../protocol/policy/policy.js'
import { reason, saying } from '../protocol/reason/reason.js'
import { withBudget } from './budget.js'
import type { EffectivePolicy, PolicyCall } from './call.js'
import { factsOf, NO_ENVIRONMENT } from './facts.js'
import { careful, classic, fromRule } from './preset.js'
import type { Facts } from './rule/match-rule.js'
import { rulesInForce } from './rule/rule-expiry.js'
import { ownFilesRule, reachesOwnFiles } from './source/own-files.js'
import { TOO_MANY_STEPS, usedUp } from './tool/judge-path.js'
import type { ToolFindings } from './tool/tool-findings.js'

export const CAREFUL: Policy = Policy.parse({ preset: 'careful' })
const CLASSIC: Policy = Policy.parse({ preset: 'classic' })

/** Pure and total: it queries only `call.fs`, never throws, and never allows a call that it cannot read. */
export function evaluate(call: PolicyCall, policy: EffectivePolicy = CAREFUL): Verdict {
  let judged: ToolFindings = { findings: [], uses: [], shell: null }
  try {
    return withBudget((budget) => {
      const facts = factsOf(call)
      judged = facts.judged
      budget.openReserve()
      return decide(facts, policy)
    })
  } catch (error) {
    if (error instanceof BudgetUsedUp) return decideOutOfBudget(call, judged, policy)
    return {
      verdict: call.mode === 'dontAsk' ? 'deny' : 'ask',
      step: 'ask',
      rule: 'unreadable',
      ...saying(reason('policy.failed')),
      part: null,
    }
  }
}

/** Denials found before the budget was used up stay in force. Nothing else is allowed, in any mode. */
function decideOutOfBudget(call: PolicyCall, judged: ToolFindings, policy: EffectivePolicy): Verdict {
  const facts = {
    call: { ...call, grants: [] },
    environment: NO_ENVIRONMENT,
    judged: { ...judged, findings: [...judged.findings, TOO_MANY_STEPS] },
  }
  const verdict = (policy.preset === 'classic' ? classic : careful)(facts, { ...policy, rules: [] })
  if (verdict.verdict !== 'allow') return verdict
  const { rule, reason: why } = TOO_MANY_STEPS
  return { verdict: 'ask', step: 'ask', rule, ...saying(why), part: null }
}

function decide(facts: Facts, given: EffectivePolicy): Verdict {
  const policy = { ...given, rules: rulesInForce(given.rules, facts.call.now) }
  const homes = policy.ownHomes ?? []
  const byPreset = () => (policy.preset === 'classic' ? classic(facts, policy) : careful(facts, policy))
  if (homes.length === 0 || !reachesOwnFiles(facts.judged, facts.environment, homes)) return byPreset()
  // The home is denied in every preset. A larger tree around the home keeps the more serious reason of its own denial.
  const verdict = byPreset()
  return verdict.step === 'autoDeny' ? verdict : fromRule('rule', ownFilesRule(homes))
}

/** The findings about a call, independent of any policy. */
export function judgeCall(call: PolicyCall): ToolFindings {
  try {
    return withBudget(() => factsOf(call).judged)
  } catch (error) {
    return { findings: [usedUp(error)], uses: [], shell: null }
  }
}

/** Accepts a preset name or the content of a policy file. */
export function policyFrom(input: 'careful' | 'classic' | PolicyInput): Policy {
  if (input === 'careful') return CAREFUL
  return input === 'classic' ? CLASSIC : Policy.parse(input)
}
