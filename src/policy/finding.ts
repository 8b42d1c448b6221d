/** What is found in a call that speaks against allowing it, and which of several findings decides. */

import type { Part } from '../protocol/policy/policy.js'
import type { Reason } from '../protocol/reason/reason.js'

export interface Finding {
  verdict: 'deny' | 'ask'
  rule: FindingRule
  reason: Reason
  part: Part | null
  /** Which of the call's simple commands it is about. */
  command: number | null
  /**
   * The read-only jail contains it: the finding is only about what would be read (an unknown operand of a listed
   * reader, a protected file met by a recursion, a variable that is not set there). Writing, network and running
   * code that is not listed are never contained.
   */
  isContained?: boolean
  /**
   * It says only that the reading does not follow something that the proof may: a variable that the text itself sets,
   * names that `find` hands on. Where every byte is proven it does not speak against a command.
   */
  isProvable?: boolean
}

/** In the order in which they are told: the first that is found is the reason that people read. */
const DENY_RULES = [
  'destroy-tree',
  'disk',
  'power',
  'fork-bomb',
  'reverse-shell',
  'unseen-code',
  'system-file',
  'protected-copy',
  'protected-change',
] as const

const ASK_RULES = [
  'malformed',
  'look-alike',
  'unreadable',
  'too-large',
  'protected-read',
  'control-file',
  'privilege',
  'environment',
  'outside-workspace',
  'unknown-value',
  'secret-variable',
  'network',
  'code',
  'delete',
  'write',
  'option',
  'program',
  'tool',
  'unproven',
] as const

export type FindingRule = (typeof DENY_RULES)[number] | (typeof ASK_RULES)[number]

const ORDER: readonly FindingRule[] = [...DENY_RULES, ...ASK_RULES]

/** Deny beats ask; then the more telling rule; then a reason that names its object; then what stands first. */
export function worst(findings: readonly Finding[]): Finding | null {
  let found: Finding | null = null
  for (const finding of findings) {
    if (found === null || weight(finding) < weight(found) || isMoreTelling(finding, found)) found = finding
  }
  return found
}

/** Of two findings by the same rule about the same command, the one that names a file or a host says more. */
function isMoreTelling(one: Finding, other: Finding): boolean {
  const isSame = one.verdict === other.verdict && one.rule === other.rule && one.command === other.command
  return isSame && isGeneral(other) && !isGeneral(one)
}

/** Says only what a program does in general. */
function isGeneral({ reason: { code } }: Finding): boolean {
  return code.startsWith('program.') || code === 'network.uses'
}

/** Without those that say in general what another one says about a certain file or host. */
export function telling(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => !findings.some((other) => isMoreTelling(other, finding)))
}

function weight({ verdict, rule }: Finding): number {
  return (verdict === 'deny' ? 0 : ORDER.length) + ORDER.indexOf(rule)
}

/**
 * What a program or a tool ordinarily does in the workspace: a rule for commands lifts these. Nothing that reaches further is
 * among them.
 */
export const ORDINARY_RULES: ReadonlySet<FindingRule> = new Set([
  'network',
  'code',
  'delete',
  'write',
  'option',
  'program',
  'tool',
])
