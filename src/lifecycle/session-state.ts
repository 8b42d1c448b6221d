/** The state machine of terminal sessions: what each event makes of what was known. Pure. */

import { asList, asText } from '../lib/loose.js'
import type {
  LifecycleEvent,
  OtherLifecycleEvent,
  SessionLifecycleEvent,
  SkillLifecycleEvent,
  TurnEvent,
} from './event.js'
import type { AgentRun, SessionSnapshot, SkillRun, TurnRichData } from './session-monitor.js'

const KEPT_SKILLS = 50
const KEPT_AGENTS = 50
const KEPT_CHARACTERS = 10_000
/** A prompt of this form was not written by a person: a background task has ended. */
const NOTIFICATION = '<task-notification'

/** What is known after an event. A session whose start was not seen begins with its first event. */
export function applyEvent(before: SessionSnapshot | null, event: LifecycleEvent): SessionSnapshot {
  const known = withCommon(before ?? newSnapshot(event), event)
  switch (event.eventType) {
    case 'session.lifecycle':
      return applySession(known, event)
    case 'turn.start':
    case 'turn.end':
      return applyTurn(known, event)
    case 'skill.lifecycle':
      return applySkill(known, event)
    case 'other':
      return applyOther(known, event)
  }
}

function newSnapshot({ sessionId, provider, occurredAtIso }: LifecycleEvent): SessionSnapshot {
  return {
    sessionId,
    provider,
    state: 'active',
    activityPhase: 'busy',
    projectPath: null,
    cwd: null,
    title: null,
    permissionMode: null,
    entrypoint: null,
    startedAt: null,
    lastActivityAt: occurredAtIso,
    endedAt: null,
    endReason: null,
    lastUserMessage: null,
    isInTurn: false,
    lastOutcome: null,
    waitingFor: null,
    currentSkill: null,
    skills: [],
    agents: [],
    model: null,
    tokens: null,
    models: null,
    turnCount: 0,
    contextTokens: null,
    gitBranch: null,
    subagents: [],
    transcriptPath: null,
    pid: null,
    pidSpace: null,
    cpuPercent: null,
    memMb: null,
  }
}

/** What any event tells. */
function withCommon(known: SessionSnapshot, event: LifecycleEvent): SessionSnapshot {
  const { projectPath, cwd, occurredAtIso, fields } = event
  const pid = fields['pid']
  const isAlive = isSignOfLife(known, event)
  return {
    ...known,
    state: isAlive ? 'active' : known.state,
    endedAt: isAlive ? null : known.endedAt,
    endReason: isAlive ? null : known.endReason,
    projectPath: projectPath ?? known.projectPath,
    cwd: cwd ?? known.cwd,
    lastActivityAt: occurredAtIso > known.lastActivityAt ? occurredAtIso : known.lastActivityAt,
    permissionMode: asText(fields['permissionMode']) ?? known.permissionMode,
    entrypoint: asText(fields['entrypoint']) ?? known.entrypoint,
    transcriptPath: asText(fields['transcriptPath']) ?? known.transcriptPath,
    pid: typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 ? pid : known.pid,
    pidSpace: asText(fields['pidSpace']) ?? known.pidSpace,
  }
}

/** Hooks run side by side: what is told of an ended session may just be late. A start or a prompt is not. */
function isSignOfLife({ state, endedAt }: SessionSnapshot, event: LifecycleEvent): boolean {
  if (state !== 'completed' || endedAt === null) return true
  return (
    event.eventType === 'turn.start' || (event.eventType === 'session.lifecycle' && event.phase === 'started')
  )
}

function applySession(
  known: SessionSnapshot,
  { phase, occurredAtIso, fields }: SessionLifecycleEvent,
): SessionSnapshot {
  switch (phase) {
    case 'started':
      return {
        ...atRest(known, occurredAtIso),
        activityPhase: 'busy',
        startedAt: occurredAtIso,
        model: asText(fields['model']) ?? known.model,
        title: asText(fields['title']) ?? known.title,
      }
    case 'ended': {
      const reason = asText(fields['reason'])
      return endSession(known, occurredAtIso, reason ?? 'other')
    }
    case 'waiting_permission':
    case 'waiting_question': {
      const toolName = asText(fields['toolName'])
      return {
        ...known,
        activityPhase: phase,
        waitingFor: { toolName, agentId: asText(fields['agentId']), since: occurredAtIso },
      }
    }
  }
}

function applyTurn(known: SessionSnapshot, event: TurnEvent): SessionSnapshot {
  const { fields, occurredAtIso } = event
  if (event.eventType === 'turn.start') {
    const prompt = asText(fields['prompt'])
    const isPerson = prompt !== null && isFromPerson(prompt)
    return {
      ...known,
      activityPhase: 'busy',
      isInTurn: true,
      waitingFor: null,
      turnCount: known.turnCount + 1,
      lastUserMessage: isPerson ? shorten(prompt) : known.lastUserMessage,
    }
  }
  const rested = endTurn(known, occurredAtIso, fields['outcome'] === 'failed' ? 'failed' : 'completed')
  // A subagent in the background may still wait for somebody.
  if (known.waitingFor?.agentId && asList(fields['backgroundTasks']).length > 0) {
    return { ...rested, activityPhase: known.activityPhase, waitingFor: known.waitingFor }
  }
  return rested
}

export function isFromPerson(prompt: string): boolean {
  return !prompt.startsWith(NOTIFICATION)
}

/** Written anew: a piece of a text would keep all of it in memory. */
function shorten(text: string): string {
  return text.length <= KEPT_CHARACTERS ? text : Buffer.from(text.slice(0, KEPT_CHARACTERS)).toString()
}

function applySkill(known: SessionSnapshot, event: SkillLifecycleEvent): SessionSnapshot {
  const { phase, skillName, triggerCommand, targetDocPath, occurredAtIso, fields } = event
  const startedBy = fields['startedBy']
  if (phase === 'in_progress') {
    const run: SkillRun = {
      skillName,
      triggerCommand,
      targetDocPath,
      startedBy: startedBy === 'model' || startedBy === 'person' ? startedBy : null,
      state: 'in_progress',
      startedAt: occurredAtIso,
      completedAt: null,
      outcome: null,
    }
    return withSkills(known, [...known.skills, run].slice(-KEPT_SKILLS))
  }
  const outcome = fields['outcome'] === 'failed' ? 'failed' : 'completed'
  const index = known.skills.findLastIndex(
    (run) => run.skillName === skillName && run.state === 'in_progress',
  )
  return withSkills(
    known,
    known.skills.map((run, at) => (at === index ? completed(run, occurredAtIso, outcome) : run)),
  )
}

function applyOther(known: SessionSnapshot, { kind, phase, fields }: OtherLifecycleEvent): SessionSnapshot {
  if (kind === 'request.lifecycle') {
    return { ...known, activityPhase: 'busy', waitingFor: null }
  }
  if (kind === 'context.lifecycle') {
    return { ...known, activityPhase: phase === 'compacting' || known.isInTurn ? 'busy' : 'interactable' }
  }
  const agentId = asText(fields['agentId'])
  if (kind !== 'agent.lifecycle' || agentId === null) return known
  const run: AgentRun = {
    agentId,
    agentType: asText(fields['agentType']),
    state: phase === 'ended' ? 'ended' : 'running',
  }
  const others = known.agents.filter((agent) => agent.agentId !== agentId)
  return { ...known, agents: [...others, run].slice(-KEPT_AGENTS) }
}

/** The turn is over, however that was found out. */
export function endTurn(
  known: SessionSnapshot,
  at: string,
  outcome: NonNullable<SessionSnapshot['lastOutcome']>,
): SessionSnapshot {
  return { ...atRest(known, at), activityPhase: 'interactable', lastOutcome: outcome }
}

export function endSession(known: SessionSnapshot, at: string | null, reason: string): SessionSnapshot {
  return {
    ...atRest(known, at ?? known.lastActivityAt),
    state: 'completed',
    endedAt: at,
    endReason: reason,
    agents: known.agents.map((agent) => ({ ...agent, state: 'ended' })),
    cpuPercent: null,
    memMb: null,
  }
}

/** Nothing is under way. A skill that a person typed has no end of its own: it ends with its turn. */
function atRest(known: SessionSnapshot, at: string): SessionSnapshot {
  const skills = known.skills.map((run) =>
    run.state === 'in_progress' ? completed(run, at, 'unknown') : run,
  )
  return { ...withSkills(known, skills), isInTurn: false, waitingFor: null }
}

function completed(run: SkillRun, at: string, outcome: NonNullable<SkillRun['outcome']>): SkillRun {
  return { ...run, state: 'completed', completedAt: at, outcome }
}

function withSkills(known: SessionSnapshot, skills: readonly SkillRun[]): SessionSnapshot {
  return { ...known, skills, currentSkill: skills.findLast((run) => run.state === 'in_progress') ?? null }
}

/** What the transcript adds. */
export function enrich(known: SessionSnapshot, rich: TurnRichData): SessionSnapshot {
  return {
    ...known,
    model: rich.model ?? known.model,
    tokens: rich.tokens,
    models: rich.models,
    turnCount: rich.turnCount > 0 ? rich.turnCount : known.turnCount,
    contextTokens: rich.contextTokens,
    gitBranch: rich.gitBranch,
    title: rich.title ?? known.title,
    subagents: rich.subagents,
  }
}
