/** Findings: reasons against allowing a call, and the order that decides between several of them. */

import type { Part } from '../protocol/policy/policy.js'
import type { Reason } from '../protocol/reason/reason.js'

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

/** In order of priority: the first rule with a finding becomes the reason that the user reads. */
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

/**
 * Order: deny before ask, then the more serious rule, then a reason that names its object, then the earlier finding.
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

/** Drops general findings where another one names the file or host. */
export function telling(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => !findings.some((other) => isMoreTelling(other, finding)))
}

function weight({ verdict, rule }: Finding): number {
  return (verdict === 'deny' ? 0 : ORDER.length) + ORDER.indexOf(rule)
}

/**
 * Ordinary effects of programs and tools inside the workspace, which a rule for commands may lift. Nothing with a wider
 * effect is listed.
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
