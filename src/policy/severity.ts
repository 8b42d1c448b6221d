/** How serious a finding is: a closed table by rule, and by reason where a rule covers effects of different weight. */

import type { Severity } from '../protocol/policy/policy.js'
import type { Reason } from '../protocol/reason/reason.js'
import type { ReasonCode } from '../protocol/reason/template.js'
import type { FindingRule } from './finding-rule.js'

const BY_RULE: Readonly<Record<FindingRule, Severity>> = {
  'destroy-tree': 'destructive',
  disk: 'destructive',
  power: 'destructive',
  'fork-bomb': 'destructive',
  'reverse-shell': 'serious',
  'unseen-code': 'serious',
  'system-file': 'destructive',
  'protected-copy': 'serious',
  'protected-change': 'serious',
  malformed: 'serious',
  'look-alike': 'serious',
  unreadable: 'serious',
  'too-large': 'serious',
  'protected-read': 'serious',
  'control-file': 'serious',
  privilege: 'serious',
  environment: 'serious',
  'outside-workspace': 'serious',
  'unknown-value': 'serious',
  'secret-variable': 'serious',
  network: 'serious',
  code: 'serious',
  delete: 'destructive',
  write: 'notice',
  option: 'notice',
  program: 'notice',
  tool: 'notice',
  unproven: 'notice',
}

const BY_REASON: Partial<Readonly<Record<ReasonCode, Severity>>> = {
  'file.tree-changed': 'destructive',
  'file.tree-unchecked': 'destructive',
  'git.force-push': 'destructive',
  'git.delete-push': 'destructive',
  'git.reset-hard': 'destructive',
  'git.clean': 'destructive',
  'git.history': 'destructive',
  'git.delete-branch': 'destructive',
  'git.remove': 'destructive',
  'git.amend': 'serious',
  'git.checkout': 'serious',
  'git.config': 'serious',
  'git.network': 'notice',
  'git.fetch': 'notice',
  'git.pull': 'notice',
  'git.clone': 'notice',
  'git.remote': 'notice',
  'network.connects': 'notice',
  'network.uses': 'notice',
  'tool.fetch': 'notice',
  'tool.network': 'notice',
  'program.deletes': 'destructive',
  'program.deletes-all': 'destructive',
  'program.shreds': 'destructive',
  'program.truncates': 'destructive',
  'program.copies-bytes': 'destructive',
  'program.disks': 'destructive',
  'program.changes-accounts': 'serious',
  'program.rights': 'serious',
  'program.containers': 'serious',
  'network.remote-shell': 'serious',
  'find.deletes': 'destructive',
  'file.delete-all': 'destructive',
  'file.move-all': 'destructive',
}

interface Ruled {
  rule: FindingRule
  reason: Reason
}

const DELETES = /^file\.delete(?:-tree)?\./

export function severityOf({ rule, reason: { code } }: Ruled): Severity {
  return DELETES.test(code) ? 'destructive' : (BY_REASON[code] ?? BY_RULE[rule])
}

const RANKS: Readonly<Record<Severity, number>> = { destructive: 0, serious: 1, notice: 2 }

/** Lower is more serious. */
export function severityRank(finding: Ruled): number {
  return RANKS[severityOf(finding)]
}
