/** The decision of a command hook about a call, and how it is combined with the policy's verdict. */

import { asRecord } from '../../lib/read-json.js'
import type { Verdict } from '../../protocol/policy/policy.js'
import { quoted, type Reason, reason, saying } from '../../protocol/reason/reason.js'

export interface HookVote {
  decision: 'allow' | 'ask'
  reason: string | null
  /** The hook's command. */
  by: string
}

export interface Weighed extends Pick<Verdict, 'reason' | 'reasonParts'> {
  verdict: Verdict['verdict']
  /** The source of the decision, as the log names it. */
  by: string
}

/**
 * The policy's deny always wins. Otherwise a hook can ask where the policy would not, and can answer for the
 * user, except for questions to the user and for commands that leave the sandbox.
 */
export function weigh(
  policy: Weighed,
  opinion: HookVote | null,
  call: { name: string; input: unknown },
): Weighed {
  if (opinion === null || policy.verdict === 'deny') return policy
  const by = `hook: ${opinion.by}`
  if (opinion.decision === 'ask') {
    return { verdict: 'ask', ...saying(hookReason(opinion, 'hook.asks')), by }
  }
  if (policy.verdict === 'allow' || isForPerson(call)) return policy
  return { verdict: 'allow', ...saying(hookReason(opinion, 'hook.allows')), by }
}

/** A hook's own words come before ours. */
export function hookReason(
  vote: { reason: string | null },
  otherwise: 'hook.asks' | 'hook.allows' | 'hook.blocks',
): Reason {
  return vote.reason === null ? reason(otherwise) : quoted('hook.says', vote.reason)
}

function isForPerson({ name, input }: { name: string; input: unknown }): boolean {
  const { dangerouslyDisableSandbox: wish } = asRecord(input)
  return FOR_A_PERSON.has(name) || (wish !== undefined && wish !== null && wish !== false)
}

const FOR_A_PERSON = new Set(['AskUserQuestion', 'ExitPlanMode'])
