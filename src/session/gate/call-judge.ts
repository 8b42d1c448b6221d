/** Asks the policy about a call: its verdict, the commands in it, the grant that would cover it, the agent it would start. */

import type { EffectivePolicy, PolicyCall } from '../../policy/call.js'
import { changedPaths } from '../../policy/changed-paths.js'
import { evaluate, judgeCall } from '../../policy/evaluate.js'
import { nodeFileSystem } from '../../policy/file/node-file-system.js'
import { bySeverity } from '../../policy/finding.js'
import { grantFor } from '../../policy/rule/grant.js'
import { serverOf } from '../../policy/rule/match-rule.js'
import { severityOf } from '../../policy/severity.js'
import type { Agents } from '../../protocol/agent.js'
import { HubError } from '../../protocol/error.js'
import type { Grant } from '../../protocol/event/request-event.js'
import type { Severity, Verdict } from '../../protocol/policy/policy.js'
import { reason, saying } from '../../protocol/reason/reason.js'
import type { PermissionMode } from '../../protocol/value.js'
import type { HookedCall } from '../claude/port.js'
import { freerAgentMode } from './called-mode.js'
import type { SessionJail } from './session-jail.js'

export interface CallJudgeDeps {
  cwd: string
  /** The home of the user that the CLI runs as. */
  home: string
  /** Where an MCP server was configured. */
  serverSource(server: string): string
  /** Whether a tool is the program's own, whatever it is called. */
  isProgramTool?(tool: string): boolean
  /** Those of the configuration, which a call may start. */
  agents: Agents
  /** Where commands run that only read. */
  jail: Pick<SessionJail, 'inForce'>
  now(): string
  /** The mode, grants and policy in force for the session now. */
  current(): Promise<{ permissionMode: PermissionMode; grants: readonly Grant[]; policy: EffectivePolicy }>
}

export type Judgeable = Omit<HookedCall, 'event'>

export interface CallJudge {
  /** Never rejects: what cannot be judged does not run. `mayJail`: whether the jail may stand in for a proof. */
  judge(call: Judgeable, mayJail?: boolean): Promise<Verdict>
  /** Absolute paths that the call names to change. */
  changedPaths(call: Judgeable): Promise<readonly string[]>
  /** The commands of a shell call, each as its words. */
  commandsOf(call: Judgeable): Promise<readonly (readonly string[])[]>
  /** Of everything found about the call, also where a rule or a hook asks: a destructive call is shown as one. */
  severityOf(call: Judgeable): Promise<Severity | null>
  /** The grant that "Allow for this session" would give. */
  grantOf(call: Judgeable): Promise<Grant>
  /** The mode of the agent that the call would start, if that agent may do more than this session. */
  freerMode(call: { name: string; input: unknown }): Promise<PermissionMode | null>
}

const NO_JAIL = { isOn: false, unproven: 'ask' } as const

export function createCallJudge(deps: CallJudgeDeps): CallJudge {
  const { cwd, home, jail } = deps

  async function judge(call: Judgeable, mayJail = false): Promise<Verdict> {
    try {
      return await consult(call, mayJail)
    } catch (error) {
      const problem = error instanceof HubError ? error.message : 'It failed.'
      const why = saying(reason('policy.unavailable', { problem }))
      return { verdict: 'deny', step: 'autoDeny', rule: 'policy-failed', ...why, part: null }
    }
  }

  async function consult(call: Judgeable, mayJail: boolean): Promise<Verdict> {
    const { policy, ...facts } = await policyCall(call)
    const { isOn, unproven } = mayJail ? await jail.inForce() : NO_JAIL
    return evaluate({ ...facts, jail: isOn && unproven === 'jail' && call.name === 'Bash' }, policy)
  }

  async function policyCall({
    name: tool,
    input,
    agentId,
    agentType,
    cwd: folder,
  }: Judgeable): Promise<PolicyCall & { policy: EffectivePolicy }> {
    const { permissionMode: mode, grants, policy } = await deps.current()
    const server = serverOf(tool)
    return {
      policy,
      tool,
      input,
      mode,
      grants,
      home,
      cwd: folder ?? cwd,
      workspace: cwd,
      agent: agentId === undefined ? null : (agentType ?? 'unknown'),
      serverSource: server === null ? null : deps.serverSource(server),
      isProgramTool: deps.isProgramTool?.(tool) ?? false,
      now: deps.now(),
      fs: nodeFileSystem(),
    }
  }

  async function commandsOf(call: Judgeable): Promise<readonly (readonly string[])[]> {
    return (judgeCall(await policyCall(call)).shell?.commands ?? []).map(({ words }) => words)
  }

  async function severityOfCall(call: Judgeable): Promise<Severity | null> {
    // A policy that cannot be read is reported by the verdict.
    const facts = await policyCall(call).catch(() => null)
    const [first] = facts === null ? [] : bySeverity(judgeCall(facts).findings)
    return first === undefined ? null : severityOf(first)
  }

  async function grantOf(call: Judgeable): Promise<Grant> {
    const { policy: _, ...facts } = await policyCall(call)
    return grantFor(facts)
  }

  async function freerMode(call: { name: string; input: unknown }): Promise<PermissionMode | null> {
    if (deps.isProgramTool?.(call.name)) return null
    const mode = freerAgentMode(call, 'plan', deps.agents)
    if (mode === null) return null
    const current = await deps.current().catch(() => null)
    return current === null ? mode : freerAgentMode(call, current.permissionMode, deps.agents)
  }

  async function changedPathsOf(call: Judgeable): Promise<readonly string[]> {
    // A policy that cannot be read is reported by the verdict.
    const facts = await policyCall(call).catch(() => null)
    return facts === null ? [] : changedPaths(facts)
  }

  return { judge, changedPaths: changedPathsOf, commandsOf, severityOf: severityOfCall, grantOf, freerMode }
}
