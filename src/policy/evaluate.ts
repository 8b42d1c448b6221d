/** Decides about a tool call: allow, deny or ask, with the step and rule that decided and the reason in words. */

import { BudgetUsedUp } from '../lib/step-budget.js'
import { Policy, type PolicyInput, type Verdict } from '../protocol/policy/policy.js'
import { reason, saying } from '../protocol/reason/reason.js'
import { withBudget } from './budget.js'
import type { EffectivePolicy, PolicyCall } from './call.js'
import { factsOf, NO_WORLD } from './facts.js'
import { careful, classic, fromRule } from './preset.js'
import type { Facts } from './rule/match-rule.js'
import { ownFilesRule, reachesOwnFiles } from './source/own-files.js'
import { TOO_MANY_STEPS, usedUp } from './tool/judge-path.js'
import type { ToolFindings } from './tool/tool-findings.js'

export const CAREFUL: Policy = Policy.parse({ preset: 'careful' })
const CLASSIC: Policy = Policy.parse({ preset: 'classic' })

/** Pure and total: it asks only `call.fs`, never throws, and what it cannot read is never allowed. */
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

/** Denials that were found before the budget was used up hold. Everything else is asked, whatever the mode. */
function decideOutOfBudget(call: PolicyCall, judged: ToolFindings, policy: EffectivePolicy): Verdict {
  const facts = {
    call: { ...call, grants: [] },
    environment: NO_WORLD,
    judged: { ...judged, findings: [...judged.findings, TOO_MANY_STEPS] },
  }
  const verdict = (policy.preset === 'classic' ? classic : careful)(facts, { ...policy, rules: [] })
  if (verdict.verdict !== 'allow') return verdict
  const { rule, reason: why } = TOO_MANY_STEPS
  return { verdict: 'ask', step: 'ask', rule, ...saying(why), part: null }
}

function decide(facts: Facts, policy: EffectivePolicy): Verdict {
  const homes = policy.ownHomes ?? []
  const byPreset = () => (policy.preset === 'classic' ? classic(facts, policy) : careful(facts, policy))
  if (homes.length === 0 || !reachesOwnFiles(facts.judged, facts.environment, homes)) return byPreset()
  // It is denied whatever the preset says; a tree that holds more than the home is denied for a graver reason.
  const verdict = byPreset()
  return verdict.step === 'autoDeny' ? verdict : fromRule('rule', ownFilesRule(homes))
}

/** What is found in a call, whatever the policy makes of it. */
export function judgeCall(call: PolicyCall): ToolFindings {
  try {
    return withBudget(() => factsOf(call).judged)
  } catch (error) {
    return { findings: [usedUp(error)], uses: [], shell: null }
  }
}

/** From a name, or from what a policy file holds. */
export function policyFrom(input: 'careful' | 'classic' | PolicyInput): Policy {
  if (input === 'careful') return CAREFUL
  return input === 'classic' ? CLASSIC : Policy.parse(input)
}
