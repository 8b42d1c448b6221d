/** Request bodies and replies of the policy routes: evaluate a call, explain the verdict, backtest a policy. */

import { z } from 'zod'
import { Grant } from '../event/request-event.js'
import { RequestId, SessionId } from '../id.js'
import { PermissionMode, Timestamp } from '../value.js'
import { Policy, PolicyRule, Preset, Severity, Verdict } from './policy.js'

/** The content of a policy file. Fields may be missing: settings override them, and defaults fill in the rest. */
export const PolicyFile = z.strictObject({
  preset: Preset.optional(),
  denyFirst: z.boolean().optional(),
  autoAllowTools: Policy.shape.autoAllowTools,
  rules: Policy.shape.rules,
})
export type PolicyFile = z.infer<typeof PolicyFile>

export const PolicyInForce = z.strictObject({
  policy: Policy,
  /** Path of the policy file. */
  path: z.string(),
  /** Rules in force besides the policy file. */
  always: z.array(PolicyRule),
})
export type PolicyInForce = z.infer<typeof PolicyInForce>

/** A call to evaluate: in a folder, or as if a session had made it. */
export const EvaluateCall = z.strictObject({
  tool: z.string().max(500),
  input: z.unknown(),
  cwd: z.string().min(1).max(4_096).optional(),
  sessionId: SessionId.optional(),
  mode: PermissionMode.optional(),
  agent: z.string().max(200).optional(),
  /** Evaluate as if a verified read-only jail were available. */
  jail: z.boolean().optional(),
  /** Evaluate with this policy instead of the one in force. */
  policy: z.union([Preset, PolicyFile]).optional(),
})
export type EvaluateCall = z.infer<typeof EvaluateCall>

/** A finding that argues against allowing a call. */
const Finding = z.strictObject({
  verdict: z.enum(['deny', 'ask']),
  rule: z.string(),
  reason: z.string(),
  reasonParts: Verdict.shape.reasonParts,
  part: Verdict.shape.part,
  /** Findings are listed by it, the most serious first. Older versions send none. */
  severity: Severity.optional(),
})

export const Explanation = z.strictObject({
  verdict: Verdict,
  findings: z.array(Finding),
  /** Every simple command in it, word by word as the program would get it. */
  commands: z.array(z.array(z.string())),
  /** Files that it would touch, as far as known, with symlinks resolved. */
  files: z.array(z.strictObject({ access: z.string(), path: z.string() })),
  /** The scope of "Allow for this session". */
  grant: Grant,
})
export type Explanation = z.infer<typeof Explanation>

export const BacktestPolicy = z.strictObject({
  policy: z.union([Preset, PolicyFile]),
  /** Start of the period; default: seven days ago. */
  since: Timestamp.optional(),
})
export type BacktestPolicy = z.infer<typeof BacktestPolicy>

const Counts = z.strictObject({ allow: z.int(), deny: z.int(), ask: z.int() })

export const Backtest = z.strictObject({
  since: Timestamp,
  /** Number of recorded calls that were evaluated. */
  calls: z.int(),
  /** The oldest calls were left out, because there were too many. */
  isTruncated: z.boolean(),
  /** With the policy in force. */
  before: Counts,
  /** With the other policy. */
  after: Counts,
  /** Calls whose verdict differs, newest last. */
  changes: z.array(
    z.strictObject({
      sessionId: SessionId,
      toolUseId: z.string(),
      at: Timestamp,
      tool: z.string(),
      title: z.string(),
      before: Verdict,
      after: Verdict,
      /** Outcome of the call; null while it runs. */
      outcome: z.string().nullable(),
    }),
  ),
})
export type Backtest = z.infer<typeof Backtest>

/** A rule that would have allowed a request, with a backtest of its effect on other calls. */
export const SuggestedRule = z.strictObject({ requestId: RequestId, rule: PolicyRule, preview: Backtest })
export type SuggestedRule = z.infer<typeof SuggestedRule>

/** How wide a proposed rule is: this exact call, the same program and flags with other operands, or a pattern. */
export const RuleScope = z.enum(['exact', 'flags', 'pattern'])
export type RuleScope = z.infer<typeof RuleScope>

/** The choices of a user who makes a rule from a request. */
export const ProposeRule = z.strictObject({
  /** Default: the narrowest that there is. */
  scope: RuleScope.optional(),
  /** Where the rule applies. Default: only in the workspace of the request. */
  place: z.enum(['folder', 'everywhere']).optional(),
  until: Timestamp.optional(),
  /** A rule that the user has edited, to be previewed instead of a proposed one. */
  rule: PolicyRule.optional(),
})
export type ProposeRule = z.infer<typeof ProposeRule>

/** How a call differs from the one that a rule was made for. */
export const NearbyKind = z.enum([
  'part',
  'operand',
  'more',
  'less',
  'flag',
  'recursive',
  'force',
  'outside',
  'protected',
  'beside',
  'folder',
  'input',
])
export type NearbyKind = z.infer<typeof NearbyKind>

/** A call close to the requested one, and the verdicts on it without and with the rule. */
export const NearbyVerdict = z.strictObject({
  kind: NearbyKind,
  title: z.string(),
  before: Verdict.shape.verdict,
  after: Verdict.shape.verdict,
  severity: Severity.optional(),
})
export type NearbyVerdict = z.infer<typeof NearbyVerdict>

export const RuleProposal = z.strictObject({
  requestId: RequestId,
  /** The scopes to choose from, narrowest first. Empty: no rule can name this call. */
  scopes: z.array(RuleScope),
  /** Of the proposed rule; null if the rule was edited, or if there is none. */
  scope: RuleScope.nullable(),
  rule: PolicyRule.nullable(),
  /** Whether the rule would allow the request. Some effects no rule lifts. */
  isCovering: z.boolean(),
  nearby: z.array(NearbyVerdict),
})
export type RuleProposal = z.infer<typeof RuleProposal>

/** A rule to preview that no request has led to, as in the editor of the policy. */
export const PreviewRule = z.strictObject({
  rule: PolicyRule,
  /** The folder of the example. Default: the first folder that the rule names. */
  cwd: z.string().min(1).max(4_096).optional(),
  /** The example call. Default: one that the rule's own patterns describe. */
  call: z.strictObject({ tool: z.string().max(500), input: z.unknown() }).optional(),
  /** The policy around the rule. Default: the one in force. */
  policy: PolicyFile.optional(),
})
export type PreviewRule = z.infer<typeof PreviewRule>

/** The effect of a rule on an example and on the calls close to it: verdicts without and with the rule. */
export const RulePreview = z.strictObject({
  call: z.strictObject({ tool: z.string(), input: z.unknown(), title: z.string() }),
  before: Verdict.shape.verdict,
  after: Verdict.shape.verdict,
  severity: Severity.optional(),
  nearby: z.array(NearbyVerdict),
})
export type RulePreview = z.infer<typeof RulePreview>

export const RevokeGrant = z.strictObject({ tool: z.string(), command: z.string().optional() })
export type RevokeGrant = z.infer<typeof RevokeGrant>
