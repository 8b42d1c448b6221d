/**
 * Decides whether a call may be allowed: by a proof, or by a rule or grant for some of its commands with a proof of the
 * rest.
 */

import { asRecord, asText } from '../../lib/read-json.js'
import { spend } from '../../lib/step-budget.js'
import type { PolicyRule } from '../../protocol/policy/policy.js'
import { reason } from '../../protocol/reason/reason.js'
import { type Covers, type Proof, prove } from '../proof/prove.js'
import { SHELL_TOOLS } from '../tool/judge-tool.js'
import { type Facts, fitsCall, holds, isForWholeCall, lifts, namesWords } from './match-rule.js'

/** Tools other than shells need no proof. Of the shells, only `Bash` runs its text as the proof reads it. */
export function proofOf({ call, environment }: Facts): Proof {
  if (!SHELL_TOOLS.has(call.tool)) return { isProven: true }
  const command = asText(asRecord(call.input)['command'])
  if (call.tool !== 'Bash' || command === null)
    return { isProven: false, reason: reason('proof.tool', { tool: call.tool }), at: null }
  return prove(command, environment)
}

/**
 * The proof of a text in which rules or grants cover some simple commands. A command with an unknown word is never
 * covered.
 */
export function structureProof({ call, environment }: Facts, isCovered: Covers): Proof {
  const command = asText(asRecord(call.input)['command'])
  if (command === null) return { isProven: false, reason: reason('proof.empty'), at: null }
  return prove(command, environment, { covers: isCovered })
}

/** The rule that allows a call, alone or together with others. */
export function allowingRule(facts: Facts, rules: readonly PolicyRule[]): PolicyRule | null {
  const { call, judged } = facts
  const allowing = rules
    .filter((rule) => rule.verdict === 'allow' && fitsCall(rule, facts))
    .map((rule) => ({ rule, isLifted: lifts(rule, facts) }))
  const isLifted = (finding: (typeof judged.findings)[number]) =>
    allowing.some((entry) => entry.isLifted(finding))
  if (!judged.findings.every(isLifted)) return null
  const used = allowing.filter((entry) =>
    judged.findings.length === 0 ? holds(entry.rule, facts) : judged.findings.some(entry.isLifted),
  )
  const whole = used.find(({ rule }) => !SHELL_TOOLS.has(call.tool) || isForWholeCall(rule))
  const first = used[0]?.rule ?? null
  if (whole !== undefined || first === null) return whole?.rule ?? null
  const proof = structureProof(
    facts,
    (words, { folders }) =>
      allowing.some(({ rule }) => namesWords(rule, words, facts, folders)) ||
      isLiftedCommand(facts, words, isLifted),
  )
  return proof.isProven ? first : null
}

/** Whether rules, for example by paths, have lifted all findings about a command with these words. */
function isLiftedCommand(
  { judged }: Facts,
  words: readonly string[],
  isLifted: (finding: Facts['judged']['findings'][number]) => boolean,
): boolean {
  // An ellipsis marks unknown text.
  if (words.some((word) => word.includes('…'))) return false
  const commands = judged.shell?.commands ?? []
  spend(commands.length)
  return commands.some((command, index) => {
    const isSame =
      command.words.length === words.length && command.words.every((word, at) => word === words[at])
    if (!isSame) return false
    spend(words.length / 4 + judged.findings.length)
    const found = judged.findings.filter((finding) => finding.command === index)
    return found.length > 0 && found.every(isLifted)
  })
}
