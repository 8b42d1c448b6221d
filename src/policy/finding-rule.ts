/** The rules by which findings are named. */

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

export const RULE_ORDER: readonly FindingRule[] = [...DENY_RULES, ...ASK_RULES]
