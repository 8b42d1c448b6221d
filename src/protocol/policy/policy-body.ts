/** What people ask of the policy: to judge a call, to explain itself, to be tried on what has happened. */

import { z } from 'zod'
import { Grant } from '../event/request-event.js'
import { RequestId, SessionId } from '../id.js'
import { PermissionMode, Timestamp } from '../value.js'
import { Policy, PolicyRule, Preset, Verdict } from './policy.js'

/** A policy as a person keeps it. What it leaves open, the settings decide. */
export const PolicyFile = z.strictObject({
  preset: Preset.optional(),
  denyFirst: z.boolean().optional(),
  autoAllowTools: Policy.shape.autoAllowTools,
  rules: Policy.shape.rules,
})
export type PolicyFile = z.infer<typeof PolicyFile>

export const PolicyInForce = z.strictObject({
  policy: Policy,
  /** Where it is kept. */
  path: z.string(),
  /** Rules that hold besides it. */
  always: z.array(PolicyRule),
})
export type PolicyInForce = z.infer<typeof PolicyInForce>

/** A call to judge: in a folder, or as if a session had made it. */
export const EvaluateCall = z.strictObject({
  tool: z.string().max(500),
  input: z.unknown(),
  cwd: z.string().min(1).max(4_096).optional(),
  sessionId: SessionId.optional(),
  mode: PermissionMode.optional(),
  agent: z.string().max(200).optional(),
  /** Judge as if a verified read-only jail were available. */
  jail: z.boolean().optional(),
  /** Instead of the one in force. */
  policy: z.union([Preset, PolicyFile]).optional(),
})
export type EvaluateCall = z.infer<typeof EvaluateCall>

/** What was found in a call that speaks against allowing it. */
const Finding = z.strictObject({
  verdict: z.enum(['deny', 'ask']),
  rule: z.string(),
  reason: z.string(),
  reasonParts: Verdict.shape.reasonParts,
  part: Verdict.shape.part,
})

export const Explanation = z.strictObject({
  verdict: Verdict,
  findings: z.array(Finding),
  /** Every simple command in it, as the program would see it. */
  commands: z.array(z.array(z.string())),
  /** The files that it would touch, links followed, as far as they are known. */
  files: z.array(z.strictObject({ access: z.string(), path: z.string() })),
  /** What "allow for this session" would cover. */
  grant: Grant,
})
export type Explanation = z.infer<typeof Explanation>

export const BacktestPolicy = z.strictObject({
  policy: z.union([Preset, PolicyFile]),
  /** Calls from then on; the last seven days if not said. */
  since: Timestamp.optional(),
})
export type BacktestPolicy = z.infer<typeof BacktestPolicy>

const Counts = z.strictObject({ allow: z.int(), deny: z.int(), ask: z.int() })

export const Backtest = z.strictObject({
  since: Timestamp,
  /** How many recorded calls were judged. */
  calls: z.int(),
  /** Older ones were left out, because there were too many. */
  isTruncated: z.boolean(),
  /** Under the policy that holds. */
  before: Counts,
  /** Under the other one. */
  after: Counts,
  /** Calls with another verdict, newest last. */
  changes: z.array(
    z.strictObject({
      sessionId: SessionId,
      toolUseId: z.string(),
      at: Timestamp,
      tool: z.string(),
      title: z.string(),
      before: Verdict,
      after: Verdict,
      /** What became of the call; null while it runs. */
      outcome: z.string().nullable(),
    }),
  ),
})
export type Backtest = z.infer<typeof Backtest>

/** A rule that would have allowed what a request asks for, and what else it would have changed. */
export const SuggestedRule = z.strictObject({ requestId: RequestId, rule: PolicyRule, preview: Backtest })
export type SuggestedRule = z.infer<typeof SuggestedRule>

export const RevokeGrant = z.strictObject({ tool: z.string(), command: z.string().optional() })
export type RevokeGrant = z.infer<typeof RevokeGrant>
