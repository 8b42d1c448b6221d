/** Decides about a tool call: allow, deny or ask, with the step and rule that decided and the reason in words. */

import { Policy, type PolicyInput, type Verdict } from '../protocol/policy.js'
import type { PolicyAtWork, PolicyCall } from './call.js'
import type { Finding } from './finding.js'
import { judgeForeignTool } from './foreign-tool.js'
import { ask } from './judge-path.js'
import { type Judged, judgeTool } from './judge-tool.js'
import type { Facts } from './match-rule.js'
import { ownFilesRule, reachesOwnFiles } from './own-files.js'
import { careful, classic, fromRule } from './preset.js'
import { createWorld } from './world.js'

export const CAREFUL: Policy = Policy.parse({ preset: 'careful' })
const CLASSIC: Policy = Policy.parse({ preset: 'classic' })

/** Pure and total: it asks only `call.fs`, never throws, and what it cannot read is never allowed. */
export function evaluate(call: PolicyCall, policy: PolicyAtWork = CAREFUL): Verdict {
  try {
    return decide(factsOf(call), policy)
  } catch {
    const reason = 'The call could not be judged.'
    return {
      verdict: call.mode === 'dontAsk' ? 'deny' : 'ask',
      step: 'ask',
      rule: 'unreadable',
      reason,
      part: null,
    }
  }
}

function decide(facts: Facts, policy: PolicyAtWork): Verdict {
  const homes = policy.ownHomes ?? []
  const byPreset = () => (policy.preset === 'classic' ? classic(facts, policy) : careful(facts, policy))
  if (homes.length === 0 || !reachesOwnFiles(facts.judged, facts.world, homes)) return byPreset()
  // It is denied whatever the preset says; a tree that holds more than the home is denied for a graver reason.
  const verdict = byPreset()
  return verdict.step === 'autoDeny' ? verdict : fromRule('rule', ownFilesRule(homes))
}

function factsOf(call: PolicyCall): Facts {
  const world = worldOf(call)
  return { call, world, judged: judgeSafely(call, world) }
}

export function worldOf({ cwd, home, workspace, fs }: PolicyCall): Facts['world'] {
  return createWorld({ cwd, home, workspace, fs })
}

/** What is found in a call, whatever the policy makes of it. */
export function judgeCall(call: PolicyCall): Judged {
  return judgeSafely(call, worldOf(call))
}

function judgeSafely({ tool, input, isProgramTool }: PolicyCall, world: Facts['world']): Judged {
  try {
    const judged = isProgramTool ? judgeForeignTool(tool, input, world) : judgeTool(tool, input, world)
    const unseen = unseenIn(world)
    return unseen === null ? judged : { ...judged, findings: [...judged.findings, unseen] }
  } catch {
    return { findings: [ask('unreadable', 'The call cannot be read.')], uses: [], shell: null }
  }
}

/** What the file system could not answer is asked. Where only a right is missing, no command of the user sees more. */
function unseenIn({ fs }: Facts['world']): Finding | null {
  const unseen = fs.unseen()
  if (unseen === null) return null
  const finding = ask('unknown-value', `What is at ${unseen.path} cannot be known.`)
  return { ...finding, isContained: unseen.isForbidden }
}

/** From a name, or from what a policy file holds. */
export function policyFrom(input: 'careful' | 'classic' | PolicyInput): Policy {
  if (input === 'careful') return CAREFUL
  return input === 'classic' ? CLASSIC : Policy.parse(input)
}
