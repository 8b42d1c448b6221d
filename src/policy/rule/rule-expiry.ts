/** Rules that end at a time. Enforced whenever a call is judged, so that a rule ends without anything having to run. */

import type { PolicyRule } from '../../protocol/policy/policy.js'

/**
 * The rules in force at `now`. Without a time, or with one that cannot be read, a rule that allows counts as ended, and
 * one that denies or asks as in force.
 */
export function rulesInForce(rules: readonly PolicyRule[], now: string | undefined): PolicyRule[] {
  const time = now === undefined ? Number.NaN : Date.parse(now)
  return rules.filter(({ until, verdict }) => {
    if (until === undefined) return true
    const left = Date.parse(until) - time
    return Number.isNaN(left) ? verdict !== 'allow' : left > 0
  })
}
