/** The gate: evaluates every tool call of every agent, and asks the user where the policy requires it. */

import type { Asker } from '../../inbox/asker.js'
import type { PermissionResolution } from '../../inbox/resolution.js'
import { asList, asText } from '../../lib/read-json.js'
import type { Verdict } from '../../protocol/policy/policy.js'
import { quoted, reason, saying } from '../../protocol/reason/reason.js'
import { type Actor, isAnswered, type PermissionMode, Question } from '../../protocol/value.js'
import { describeCall } from '../../protocol/view/describe.js'
import type { AskedPermission, GateDecision, HookedCall, PermissionReply } from '../claude/port.js'
import type { Judgement } from '../translate/tool.js'
import { answeredInput } from './answered-input.js'
import { type CallChangesDeps, createCallChanges } from './call-changes.js'
import { type CallJudgeDeps, createCallJudge } from './call-judge.js'
import { type HookVote, type Weighed, weigh } from './combine-verdicts.js'
import { createJailVerdict, isProvenRead, type JailVerdictDeps } from './jail-verdict.js'
import type { SessionJail } from './session-jail.js'

export interface GateDeps extends CallJudgeDeps, Omit<JailVerdictDeps, 'judge'> {
  sessionId: string
  asker: Asker
  /** Where commands run that only read. */
  jail: Pick<SessionJail, 'inForce' | 'wrap' | 'drop' | 'asked'>
  /** The user has chosen the mode in which the session continues. */
  modeChosen(mode: PermissionMode, by: Actor | null): void
  /** Records a decision, in order with the messages of the CLI. */
  judged(judgement: Judgement): void
  /** Records the files before a call that can write; null if nothing is recorded. */
  changes: CallChangesDeps['changes']
}

const MAX_REMEMBERED = 100

interface Remembered {
  verdict: Weighed
  place: Pick<HookedCall, 'cwd' | 'agentType'>
}

export interface Gate {
  /** `opinion` is what command hooks think of it. */
  preToolUse(call: HookedCall, opinion?: HookVote | null): Promise<GateDecision>
  canUseTool(call: AskedPermission): Promise<PermissionReply>
  /** Whether the agent could read this file now without asking. */
  mayRead(path: string): Promise<boolean>
}

export function createGate(deps: GateDeps): Gate {
  const { sessionId, cwd, asker, jail, judged } = deps
  const callJudge = createCallJudge(deps)
  const { judge, severityOf, grantOf, freerMode } = callJudge
  const judgeAndWrap = createJailVerdict({ ...deps, judge: callJudge })
  const changes = createCallChanges({ ...deps, workspace: cwd, changedPaths: callJudge.changedPaths })
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

  async function preToolUse(call: HookedCall, opinion: HookVote | null = null): Promise<GateDecision> {
    const { own, jailed } = await judgeAndWrap(call)
    const verdict = askForFreer(
      weigh({ ...own, by: decidedBy(own) }, opinion, call),
      await freerMode(call),
      own.step === 'dontAsk',
    )
    // A call that the user allows runs outside the jail, unchanged.
    if (verdict.verdict !== 'allow') jail.drop(call.toolUseId)
    if (verdict.verdict === 'ask') {
      remember(call, verdict)
      await changes.foresee(call)
      return { decision: 'ask' }
    }
    const why = reasonOfVerdict(verdict)
    const by = jailed === null ? verdict.by : `${verdict.by} in the jail`
    const isAllowed = verdict.verdict === 'allow'
    const snapshot = isAllowed ? await changes.before(call, jailed !== null || isProvenRead(own)) : null
    judged({
      ...callOf(call),
      decision: verdict.verdict,
      by,
      ...why,
      ...(jailed && { jail: true }),
      ...(snapshot && { snapshot }),
    })
    if (verdict.verdict === 'deny') return { decision: 'deny', reason: why.reason }
    return { decision: 'allow', ...(jailed && { updatedInput: jailed }) }
  }

  async function canUseTool(call: AskedPermission): Promise<PermissionReply> {
    const jailed = jail.asked(call.toolUseId, call.input)
    // The CLI (2.1.325) does not know our wrapper as a command that only reads, and asks in the mode `plan`. The call
    // was allowed to run in the jail, so it runs there: never as the agent gave it.
    if (jailed === 'wrapped') return { allow: true, input: call.input }
    if (jailed === 'changed') {
      judged({ ...callOf(call), decision: 'deny', by: 'policy: ask jail', ...REPLACED })
      return { allow: false, message: REPLACED.reason }
    }
    const { verdict, place = {} } = verdicts.get(call.toolUseId) ?? (await verdictAgain(call))
    verdicts.delete(call.toolUseId)
    if (!verdict && (await isUnasked(call))) return { allow: true, input: call.input }
    const { isRepeated } = call
    const asked = {
      ...callOf(call),
      sessionId,
      toolName: call.name,
      signal: call.signal,
      ...(isRepeated && { isRepeated }),
    }
    if (call.name === 'AskUserQuestion') return answerQuestion(asked, call)
    const title = describeCall(call.name, call.input, cwd)
    const plan = call.name === 'ExitPlanMode' ? (asText(call.input['plan']) ?? '') : null
    const freer = await freerMode(call)
    const severity = await severityOf({ ...call, ...place })
    const why = {
      title: freer === null ? title : `${title} (${freer})`,
      ...reasonOfRequest(verdict ?? null, call.reason),
      ...(severity !== null && { severity }),
      suggestions: call.suggestions,
      ...(plan !== null && { plan }),
      ...(freer !== null && { freerMode: freer }),
      ...(plan === null && freer === null && { grant: await grantOf({ ...call, ...place }) }),
    }
    const resolution = await asker.askPermission(asked, why)
    const by = isAnswered(resolution.by) ? `${resolution.by}: ${resolution.who}` : resolution.by
    if (resolution.decision === 'deny') {
      const { message: given, interrupt } = resolution
      const message = given || 'User denied'
      if (resolution.by !== 'shutdown') judged({ ...callOf(call), decision: 'deny', by, reason: message })
      return { allow: false, message, ...(interrupt && { interrupt }) }
    }
    const { updatedInput, mode } = resolution
    // Time of check, time of use: since the question a symlink may have been swapped or the policy changed,
    // and the user may have edited the call. A call that the policy denies now is denied; one that it asks
    // about has its answer.
    const renewed = await judge({ ...call, ...place, input: updatedInput ?? call.input })
    if (renewed.verdict === 'deny' && renewed.step !== 'dontAsk') {
      judged({ ...callOf(call), decision: 'deny', by: decidedBy(renewed), ...reasonOfVerdict(renewed) })
      return { allow: false, message: renewed.reason }
    }
    const freerNow = await freerMode({ name: call.name, input: updatedInput ?? call.input })
    if (freerNow !== null && freerNow !== freer) {
      judged({ ...callOf(call), decision: 'deny', by: 'policy: ask freer-agent', ...NOT_ASKED })
      return { allow: false, message: NOT_ASKED.reason }
    }
    if (mode !== undefined) deps.modeChosen(mode, actorOf(resolution))
    const snapshot = await changes.before({ ...call, ...place, input: updatedInput ?? call.input }, false)
    judged({
      ...callOf(call),
      decision: 'allow',
      by,
      ...(updatedInput && { startedInput: updatedInput }),
      ...(snapshot && { snapshot }),
    })
    return { allow: true, input: updatedInput ?? call.input, ...(mode !== undefined && { mode }) }
  }

  /** A previous run of the daemon had judged it, and its verdict is lost: so the policy is asked why it is asked. */
  async function verdictAgain(call: AskedPermission): Promise<Partial<Remembered>> {
    if (!call.isRepeated) return {}
    const own = await judge(call)
    return own.verdict === 'ask' ? { verdict: weigh({ ...own, by: decidedBy(own) }, null, call) } : {}
  }

  /** In a session that runs without asking, a rule of the CLI's own settings does not ask either. */
  async function isUnasked(call: AskedPermission): Promise<boolean> {
    const { permissionMode } = await deps.current()
    return permissionMode === 'bypassPermissions' && (await judge(call)).verdict === 'allow'
  }

  async function answerQuestion(
    asked: Parameters<Asker['askQuestion']>[0],
    call: AskedPermission,
  ): Promise<PermissionReply> {
    const questions = asList(call.input['questions']).flatMap((item) => Question.safeParse(item).data ?? [])
    const { answers, notes = {}, message, reason: why, by } = await asker.askQuestion(asked, questions)
    if (answers === null) return { allow: false, message: message || (why ?? 'The user did not answer.') }
    const input = { ...call.input, ...answeredInput(questions, answers, notes) }
    judged({ ...callOf(call), decision: 'allow', by })
    return { allow: true, input }
  }

  async function mayRead(path: string): Promise<boolean> {
    const { verdict } = await judge({ toolUseId: '', name: 'Read', input: { file_path: path } })
    return verdict === 'allow'
  }

  return { preToolUse, canUseTool, mayRead }
}

const REPLACED = saying(reason('jail.replaced'))
const NOT_ASKED = saying(reason('agent.not-asked'))

type Explained = Pick<Verdict, 'reason' | 'reasonParts'>

function reasonOfVerdict({ reason: text, reasonParts }: Explained): Explained {
  return { reason: text, ...(reasonParts && { reasonParts }) }
}

/** Why a user is asked: by the policy, or because Claude Code asks of its own accord. */
function reasonOfRequest(verdict: Explained | null, words: string | null): Explained {
  if (verdict !== null) return reasonOfVerdict(verdict)
  return saying(words === null ? reason('claude.asks') : quoted('claude.says', words))
}

/** Neither a grant nor a rule nor a hook allows an agent to start a freer one: an admin is asked each time. */
function askForFreer(verdict: Weighed, freer: PermissionMode | null, mayNotAsk: boolean): Weighed {
  if (freer === null || verdict.verdict === 'deny') return verdict
  const why = saying(reason('agent.freer', { mode: freer }))
  return { ...verdict, verdict: mayNotAsk ? 'deny' : 'ask', by: 'policy: ask freer-agent', ...why }
}

function actorOf({ who, via, role, credentialId }: PermissionResolution): Actor | null {
  if (who === null || via === null) return null
  return { who, via, ...(role && { role }), ...(credentialId !== undefined && { credentialId }) }
}

function decidedBy({ step, rule }: Verdict): string {
  return `policy: ${step} ${rule}`
}

function callOf({ toolUseId, name, input, agentId }: HookedCall | AskedPermission) {
  return { toolUseId, name, input, ...(agentId !== undefined && { agentId }) }
}
