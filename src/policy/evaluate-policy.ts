/** The policy as a function for programs: one call, with the real file system. */

import type { Policy, PolicyInput, Verdict } from '../protocol/policy/policy.js'
import { PermissionMode } from '../protocol/value.js'
import { CAREFUL, evaluate, policyFrom } from './evaluate.js'
import { nodeFileSystem } from './file/node-file-system.js'

export interface EvaluatePolicyInput {
  tool: string
  input: unknown
  cwd: string
  home: string
  workspace?: string
  policy?: 'careful' | 'classic' | PolicyInput
  mode?: string
  agent?: string | null
  /** A verified read-only jail is available, so an unproven but harmless command may be allowed inside it. */
  jail?: boolean
}

/** Resolves to a verdict and never rejects. An invalid policy counts as `careful`, an invalid mode as `default`. */
export async function evaluatePolicy(request: EvaluatePolicyInput): Promise<Verdict> {
  const { tool, input, cwd, home, workspace, agent, policy, jail } = { ...request }
  const mode = PermissionMode.safeParse(request?.mode ?? 'default').data ?? 'default'
  const call = {
    tool: textOr(tool, ''),
    input,
    mode,
    cwd: placeOr(cwd),
    home: placeOr(home),
    ...(typeof workspace === 'string' && { workspace }),
    // From an unknown folder every file is outside the workspace.
    ...(placeOr(cwd) === NOWHERE && { workspace: `${NOWHERE}/workspace` }),
    ...(typeof agent === 'string' && { agent }),
    ...(jail === true && { jail }),
    now: new Date().toISOString(),
    fs: nodeFileSystem(),
  }
  return evaluate(call, readPolicy(policy))
}

/** A place that contains no file. */
const NOWHERE = '/nonexistent'

/** A relative path has no meaning here, so it is replaced by a place that contains no file. */
function placeOr(value: unknown): string {
  return typeof value === 'string' && value.startsWith('/') ? value : NOWHERE
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function readPolicy(policy: EvaluatePolicyInput['policy']): Policy {
  try {
    return policyFrom(policy ?? 'careful')
  } catch {
    return CAREFUL
  }
}
