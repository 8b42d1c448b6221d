/** Findings: reasons against allowing a call, and the order that decides between several of them. */

import type { Part } from '../protocol/policy/policy.js'
import type { Reason } from '../protocol/reason/reason.js'
import { type FindingRule, RULE_ORDER } from './finding-rule.js'
import { severityRank } from './severity.js'

export type { FindingRule }

export interface Finding {
  verdict: 'deny' | 'ask'
  rule: FindingRule
  reason: Reason
  part: Part | null
  /** Index of the simple command that the finding is about. */
  command: number | null
  /**
   * The read-only jail contains it: the finding is only about reading (an unknown operand of a listed reader, a
   * protected file met by a recursion, a variable that is not set there). Writing, network access and running unlisted
   * code are never contained.
   */
  isContained?: boolean
  /**
   * The interpreter did not follow something that the proof may follow: a variable set in the same text, names that
   * `find` passes on. It is dropped where the proof accounts for every byte.
   */
  isProvable?: boolean
}

/**
 * Order: deny before ask, then the more serious finding, then the more serious rule, then a reason that names its
 * object, then the earlier finding. Among denials the rule alone decides.
 */
export function worst(findings: readonly Finding[]): Finding | null {
  let found: Finding | null = null
  for (const finding of findings) {
    if (found === null || weight(finding) < weight(found) || isMoreTelling(finding, found)) found = finding
  }
  return found
}

/** Of two findings by the same rule about the same command, prefer the one that names a file or a host. */
function isMoreTelling(one: Finding, other: Finding): boolean {
  const isSame = one.verdict === other.verdict && one.rule === other.rule && one.command === other.command
  return isSame && isGeneral(other) && !isGeneral(one)
}

/** The reason says only what the program does in general, without naming an object. */
function isGeneral({ reason: { code } }: Finding): boolean {
  return code.startsWith('program.') || code === 'network.uses'
}

/** Drops general findings where another one names the file or host. In linear time: there may be thousands. */
function telling(findings: readonly Finding[]): Finding[] {
  const kindOf = ({ verdict, rule, command }: Finding) => `${verdict} ${rule} ${command}`
  const named = new Set(findings.filter((finding) => !isGeneral(finding)).map(kindOf))
  return findings.filter((finding) => !(isGeneral(finding) && named.has(kindOf(finding))))
}

function weight(finding: Finding): number {
  const place = RULE_ORDER.indexOf(finding.rule)
  return finding.verdict === 'deny' ? place : RULE_ORDER.length * (1 + severityRank(finding)) + place
}

/** Most serious first, and each sentence once. */
export function bySeverity(findings: readonly Finding[]): Finding[] {
  const sentences = new Set<string>()
  return telling(findings)
    .toSorted((one, other) => severityRank(one) - severityRank(other) || weight(one) - weight(other))
    .filter(({ reason }) => {
      const sentence = JSON.stringify(reason)
      return !sentences.has(sentence) && sentences.add(sentence)
    })
}

/**
 * Ordinary effects of programs and tools inside the workspace, which a rule for commands may lift. Nothing with a wider
 * effect is listed.
 */
const ORDINARY_RULES: ReadonlySet<FindingRule> = new Set([
  'network',
  'code',
  'delete',
  'write',
  'option',
  'program',
  'tool',
])

/** A connection that the shell opens for a redirection, and code that the words do not show. */
const NEVER_ORDINARY: ReadonlySet<string> = new Set(['file.connection', 'program.runs-input'])

export function isOrdinaryEffect({ rule, reason }: Finding): boolean {
  return ORDINARY_RULES.has(rule) && !NEVER_ORDINARY.has(reason.code)
}
