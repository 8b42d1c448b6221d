/** The gate: every tool call of every agent is judged here, and asked of a person where the policy says so. */

import type { Inbox, PermissionResolution } from '../inbox/inbox.js'
import { asList, asText } from '../lib/loose.js'
import type { PolicyAtWork } from '../policy/call.js'
import { evaluate } from '../policy/evaluate.js'
import { nodeFileSystem } from '../policy/file-system.js'
import { serverOf } from '../policy/match-rule.js'
import type { Agents } from '../protocol/agent.js'
import { describeCall } from '../protocol/describe.js'
import { HubError } from '../protocol/error.js'
import type { Verdict } from '../protocol/policy.js'
import type { Grant } from '../protocol/request-event.js'
import { type Actor, type PermissionMode, Question } from '../protocol/value.js'
import { answeredInput } from './answered-input.js'
import { freerAgentMode } from './called-mode.js'
import type { AskedPermission, GateDecision, HookedCall, PermissionReply } from './claude-port.js'
import { type Opinion, type Weighed, weigh } from './opinion.js'
import type { Judgement } from './translate-tool.js'

export interface GateDeps {
  sessionId: string
  cwd: string
  /** The home of whoever the CLI runs as. */
  home: string
  /** Where an MCP server was configured. */
  serverSource(server: string): string
  inbox: Inbox
  /** Those of the configuration, which a call may start. */
  agents: Agents
  now(): string
  /** What holds for the session now. */
  current(): Promise<{ permissionMode: PermissionMode; grants: readonly Grant[]; policy: PolicyAtWork }>
  /** A person has chosen the mode in which the session goes on. */
  modeChosen(mode: PermissionMode, by: Actor | null): void
  /** Writes a decision down, in its place among what the CLI tells. */
  judged(judgement: Judgement): void
}

const MAX_REMEMBERED = 100

interface Remembered {
  verdict: Weighed
  place: Pick<HookedCall, 'cwd' | 'agentType'>
}

type Judgeable = Omit<HookedCall, 'event'>

export interface Gate {
  /** `opinion` is what command hooks think of it. */
  preToolUse(call: HookedCall, opinion?: Opinion | null): Promise<GateDecision>
  canUseTool(call: AskedPermission): Promise<PermissionReply>
  /** Whether the agent could read this file now without asking. */
  mayRead(path: string): Promise<boolean>
}

export function createGate(deps: GateDeps): Gate {
  const { sessionId, cwd, home, inbox, judged } = deps
  /** Why a call is asked, and where it is made, from its verdict to the question. */
  const verdicts = new Map<string, Remembered>()

  /** A call that is interrupted before the question is never asked about; the oldest are forgotten. */
  function remember({ toolUseId, cwd: folder, agentType }: HookedCall, verdict: Weighed): void {
    const place = {
      ...(folder !== undefined && { cwd: folder }),
      ...(agentType !== undefined && { agentType }),
    }
    verdicts.set(toolUseId, { verdict, place })
    const [oldest] = verdicts.keys()
    if (verdicts.size > MAX_REMEMBERED && oldest !== undefined) verdicts.delete(oldest)
  }

  /** Never rejects: what can not be judged does not run. */
  async function judge(call: Judgeable): Promise<Verdict> {
    try {
      return await consult(call)
    } catch (error) {
      const problem = error instanceof HubError ? error.message : 'It failed.'
      const reason = `The policy could not be consulted, so the call does not run. ${problem}`
      return { verdict: 'deny', step: 'autoDeny', rule: 'policy-failed', reason, part: null }
    }
  }

  async function consult({
    name: tool,
    input,
    agentId,
    agentType,
    cwd: folder,
  }: Judgeable): Promise<Verdict> {
    const { permissionMode: mode, grants, policy } = await deps.current()
    const server = serverOf(tool)
    return evaluate(
      {
        tool,
        input,
        mode,
        grants,
        home,
        cwd: folder ?? cwd,
        workspace: cwd,
        agent: agentId === undefined ? null : (agentType ?? 'unknown'),
        serverSource: server === null ? null : deps.serverSource(server),
        now: deps.now(),
        fs: nodeFileSystem(),
      },
      policy,
    )
  }

  async function preToolUse(call: HookedCall, opinion: Opinion | null = null): Promise<GateDecision> {
    const own = await judge(call)
    const verdict = askForFreer(
      weigh({ ...own, by: decidedBy(own) }, opinion, call),
      await freerMode(call),
      own.step === 'dontAsk',
    )
    if (verdict.verdict === 'ask') {
      remember(call, verdict)
      return { decision: 'ask' }
    }
    const { by, reason } = verdict
    judged({ ...callOf(call), decision: verdict.verdict, by, reason })
    return verdict.verdict === 'allow' ? { decision: 'allow' } : { decision: 'deny', reason: verdict.reason }
  }

  async function canUseTool(call: AskedPermission): Promise<PermissionReply> {
    const { verdict, place = {} } = verdicts.get(call.toolUseId) ?? {}
    verdicts.delete(call.toolUseId)
    if (!verdict && (await isUnasked(call))) return { allow: true, input: call.input }
    const asked = { ...callOf(call), sessionId, toolName: call.name, signal: call.signal }
    if (call.name === 'AskUserQuestion') return answerQuestion(asked, call)
    const reason = verdict?.reason ?? call.reason ?? 'Claude Code asks for it.'
    const title = describeCall(call.name, call.input, cwd)
    const plan = call.name === 'ExitPlanMode' ? (asText(call.input['plan']) ?? '') : null
    const freer = await freerMode(call)
    const why = {
      title: freer === null ? title : `${title} (${freer})`,
      reason,
      suggestions: call.suggestions,
      ...(plan !== null && { plan }),
      ...(freer !== null && { freerMode: freer }),
    }
    const resolution = await inbox.askPermission(asked, why)
    const by = resolution.by === 'person' ? `person: ${resolution.who}` : resolution.by
    if (resolution.decision === 'deny') {
      if (resolution.by !== 'shutdown') judged({ ...callOf(call), decision: 'deny', by })
      const { message, interrupt } = resolution
      return { allow: false, message: message || 'User denied', ...(interrupt && { interrupt }) }
    }
    const { updatedInput, mode } = resolution
    // Time of check, time of use: since the question a link may have been swapped or the policy changed, and the user
    // may have edited the call. What nobody may do is denied; what is only asked has been answered.
    const renewed = await judge({ ...call, ...place, input: updatedInput ?? call.input })
    if (renewed.verdict === 'deny' && renewed.step !== 'dontAsk') {
      judged({ ...callOf(call), decision: 'deny', by: decidedBy(renewed), reason: renewed.reason })
      return { allow: false, message: renewed.reason }
    }
    const freerNow = await freerMode({ name: call.name, input: updatedInput ?? call.input })
    if (freerNow !== null && freerNow !== freer) {
      judged({ ...callOf(call), decision: 'deny', by: 'policy: ask freer-agent', reason: NOT_ASKED })
      return { allow: false, message: NOT_ASKED }
    }
    if (mode !== undefined) deps.modeChosen(mode, actorOf(resolution))
    judged({ ...callOf(call), decision: 'allow', by, ...(updatedInput && { startedInput: updatedInput }) })
    return { allow: true, input: updatedInput ?? call.input, ...(mode !== undefined && { mode }) }
  }

  async function freerMode(call: { name: string; input: unknown }): Promise<PermissionMode | null> {
    const mode = freerAgentMode(call, 'plan', deps.agents)
    if (mode === null) return null
    const current = await deps.current().catch(() => null)
    return current === null ? mode : freerAgentMode(call, current.permissionMode, deps.agents)
  }

  /** In a session that runs without asking, a rule of the CLI's own settings does not ask either. */
  async function isUnasked(call: AskedPermission): Promise<boolean> {
    const { permissionMode } = await deps.current()
    return permissionMode === 'bypassPermissions' && (await judge(call)).verdict === 'allow'
  }

  async function answerQuestion(
    asked: Parameters<Inbox['askQuestion']>[0],
    call: AskedPermission,
  ): Promise<PermissionReply> {
    const questions = asList(call.input['questions']).flatMap((item) => Question.safeParse(item).data ?? [])
    const { answers, notes = {}, message, reason } = await inbox.askQuestion(asked, questions)
    if (answers === null)
      return { allow: false, message: message || (reason ?? 'The person did not answer.') }
    const input = { ...call.input, ...answeredInput(questions, answers, notes) }
    judged({ ...callOf(call), decision: 'allow', by: 'person' })
    return { allow: true, input }
  }

  async function mayRead(path: string): Promise<boolean> {
    const { verdict } = await judge({ toolUseId: '', name: 'Read', input: { file_path: path } })
    return verdict === 'allow'
  }

  return { preToolUse, canUseTool, mayRead }
}

const NOT_ASKED = 'The call starts an agent in a freer mode than the one that was asked about. Call it again.'

/** Neither a grant nor a rule nor a hook allows an agent to start a freer one: an admin is asked each time. */
function askForFreer(verdict: Weighed, freer: PermissionMode | null, mayNotAsk: boolean): Weighed {
  if (freer === null || verdict.verdict === 'deny') return verdict
  const reason = `It starts an agent in mode ${freer}, which is freer than this session. Only an admin can allow it.`
  return { ...verdict, verdict: mayNotAsk ? 'deny' : 'ask', by: 'policy: ask freer-agent', reason }
}

function actorOf({ who, via }: PermissionResolution): Actor | null {
  return who !== null && via !== null ? { who, via } : null
}

function decidedBy({ step, rule }: Verdict): string {
  return `policy: ${step} ${rule}`
}

function callOf({ toolUseId, name, input, agentId }: HookedCall | AskedPermission) {
  return { toolUseId, name, input, ...(agentId !== undefined && { agentId }) }
}
