/** Explains a verdict to users: everything that it was derived from. */

import type { Explanation } from '../protocol/policy/policy-body.js'
import { saying } from '../protocol/reason/reason.js'
import type { EffectivePolicy, PolicyCall } from './call.js'
import { evaluate, judgeCall } from './evaluate.js'
import { bySeverity } from './finding.js'
import { grantFor } from './rule/grant.js'
import { severityOf } from './severity.js'

const MAX_LISTED = 200

export function explain(call: PolicyCall, policy: EffectivePolicy): Explanation {
  const { findings, uses, shell } = judgeCall(call)
  const files = new Map(
    uses
      .filter(({ target }) => target.isKnown)
      .map(({ access, target }) => ({ access, path: target.real ?? target.path }))
      .map((file) => [`${file.access} ${file.path}`, file]),
  )
  return {
    verdict: evaluate(call, policy),
    findings: bySeverity(findings)
      .slice(0, MAX_LISTED)
      .map(({ verdict, rule, reason, part }) => ({
        verdict,
        rule,
        ...saying(reason),
        part,
        severity: severityOf({ rule, reason }),
      })),
    commands: (shell?.commands ?? []).slice(0, MAX_LISTED).map(({ words }) => [...words]),
    files: [...files.values()].slice(0, MAX_LISTED),
    grant: grantFor(call),
  }
}
