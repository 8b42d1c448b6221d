/**
 * Decides which requests can be allowed together. A whitelist: a request qualifies only if every finding of the policy in its
 * call is known to be harmless in the workspace and easy to undo. All others must be looked at one at a time.
 */

import type { Explanation, InboxRequest, ReasonCode, Severity } from '../../../../src/protocol/index.js'

const HARMLESS: ReadonlySet<string> = new Set<ReasonCode>([
  'file.look.plain',
  'file.read.plain',
  'file.write.plain',
  'file.make.plain',
  'git.stage',
  'git.commit',
  'git.fetch',
  'tool.fetch',
  'tool.network',
])

export function canBeAllowedTogether(
  request: InboxRequest,
  { verdict, findings }: Pick<Explanation, 'verdict' | 'findings'>,
): boolean {
  const { kind, state, plan, form, freerMode, isOnlyInTerminal } = request
  if (kind !== 'permission' || state !== 'pending' || isOnlyInTerminal) return false
  if (plan !== null || form !== null || freerMode !== undefined || !isOrdinary(request)) return false
  if (verdict.verdict === 'deny' || findings.length === 0) return false
  return findings.every(
    (finding) =>
      finding.verdict === 'ask' &&
      isOrdinary(finding) &&
      finding.reasonParts !== undefined &&
      finding.reasonParts.length > 0 &&
      finding.reasonParts.every(({ code }) => HARMLESS.has(code)),
  )
}

/** A finding of an older version has no severity; its code decides. */
function isOrdinary({ severity }: { severity?: Severity | undefined }): boolean {
  return severity === undefined || severity === 'notice'
}
