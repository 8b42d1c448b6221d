/** The state machine of terminal sessions: applies events to the state. Pure. */

import { asList, asText } from '../../lib/read-json.js'
import type {
  LifecycleEvent,
  OtherLifecycleEvent,
  SessionLifecycleEvent,
  SkillLifecycleEvent,
  TurnEvent,
} from '../stream/event.js'
import type { AgentRun, SessionSnapshot, SkillRun, TurnRichData } from './monitor.js'

const KEPT_SKILLS = 50
const KEPT_AGENTS = 50
const KEPT_CHARACTERS = 10_000
/** Start of a prompt that the CLI generates when a background task ends. Not written by the user. */
const NOTIFICATION = '<task-notification'

type TurnOutcome = NonNullable<SessionSnapshot['lastOutcome']>

/** A mutable session. Only its owner has it; others get copies. */
export type SessionDraft = { -readonly [Field in keyof SessionSnapshot]: SessionSnapshot[Field] }

/**
 * Applies an event to a session in place. Performance: a new object per event would cost as much as parsing the line,
 * and a replayed stream may have millions.
 */
export function noteEvent(draft: SessionDraft, event: LifecycleEvent): void {
  noteCommon(draft, event)
  switch (event.eventType) {
    case 'session.lifecycle':
      noteSession(draft, event)
      return
    case 'turn.start':
      noteTurnStart(draft, event)
      return
    case 'turn.end':
      noteTurnEnd(draft, event)
      return
    case 'skill.lifecycle':
      noteSkill(draft, event)
      return
    case 'other':
      noteOther(draft, event)
  }
}

/** A session whose start was not seen begins with its first event. */
export function draftOf(event: LifecycleEvent): SessionDraft {
  const draft = newDraft(event)
  noteEvent(draft, event)
  return draft
}

function newDraft({ sessionId, provider, occurredAtIso }: LifecycleEvent): SessionDraft {
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

/** Performance: in Node 20, spreading an object with this many fields is ten times slower. */
export function copyOf(known: SessionSnapshot): SessionDraft {
  return {
    sessionId: known.sessionId,
    provider: known.provider,
    state: known.state,
    activityPhase: known.activityPhase,
    projectPath: known.projectPath,
    cwd: known.cwd,
    title: known.title,
    permissionMode: known.permissionMode,
    entrypoint: known.entrypoint,
    startedAt: known.startedAt,
    lastActivityAt: known.lastActivityAt,
    endedAt: known.endedAt,
    endReason: known.endReason,
    lastUserMessage: known.lastUserMessage,
    isInTurn: known.isInTurn,
    lastOutcome: known.lastOutcome,
    waitingFor: known.waitingFor,
    currentSkill: known.currentSkill,
    skills: known.skills,
    agents: known.agents,
    model: known.model,
    tokens: known.tokens,
    models: known.models,
    turnCount: known.turnCount,
    gitBranch: known.gitBranch,
    contextTokens: known.contextTokens,
    subagents: known.subagents,
    transcriptPath: known.transcriptPath,
    pid: known.pid,
    pidSpace: known.pidSpace,
    cpuPercent: known.cpuPercent,
    memMb: known.memMb,
  }
}

/** Applies the fields that all events have. */
function noteCommon(draft: SessionDraft, event: LifecycleEvent): void {
  const { projectPath, cwd, occurredAtIso, fields } = event
  const pid = fields['pid']
  if (isSignOfLife(draft, event)) {
    draft.state = 'active'
    draft.endedAt = null
    draft.endReason = null
  }
  draft.projectPath = newest(draft.projectPath, projectPath)
  draft.cwd = newest(draft.cwd, cwd)
  if (occurredAtIso > draft.lastActivityAt) draft.lastActivityAt = occurredAtIso
  draft.permissionMode = newest(draft.permissionMode, fields['permissionMode'])
  draft.entrypoint = newest(draft.entrypoint, fields['entrypoint'])
  draft.transcriptPath = newest(draft.transcriptPath, fields['transcriptPath'])
  if (typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0) draft.pid = pid
  draft.pidSpace = newest(draft.pidSpace, fields['pidSpace'])
}

/** Memory: lines repeat the same values, so the known string is kept and the new copy can be garbage-collected. */
function newest(known: string | null, told: unknown): string | null {
  return typeof told === 'string' && told !== known ? told : known
}

/** Race: hooks run concurrently, so an event of an ended session may just be late. A start or a prompt is not. */
function isSignOfLife({ state, endedAt }: SessionSnapshot, event: LifecycleEvent): boolean {
  if (state !== 'completed' || endedAt === null) return true
  return (
    event.eventType === 'turn.start' || (event.eventType === 'session.lifecycle' && event.phase === 'started')
  )
}

function noteSession(draft: SessionDraft, { phase, occurredAtIso, fields }: SessionLifecycleEvent): void {
  switch (phase) {
    case 'started':
      noteRest(draft, occurredAtIso)
      draft.activityPhase = 'busy'
      draft.startedAt = occurredAtIso
      draft.model = asText(fields['model']) ?? draft.model
      draft.title = asText(fields['title']) ?? draft.title
      return
    case 'ended':
      noteSessionEnd(draft, occurredAtIso, asText(fields['reason']) ?? 'other')
      return
    case 'waiting_permission':
    case 'waiting_question': {
      const [toolName, agentId] = [asText(fields['toolName']), asText(fields['agentId'])]
      draft.activityPhase = phase
      draft.waitingFor = { toolName, agentId, since: occurredAtIso }
    }
  }
}

function noteTurnStart(draft: SessionDraft, { fields }: TurnEvent): void {
  const prompt = asText(fields['prompt'])
  draft.activityPhase = 'busy'
  draft.isInTurn = true
  draft.waitingFor = null
  draft.turnCount += 1
  if (prompt !== null && isFromPerson(prompt)) draft.lastUserMessage = shorten(prompt)
}

function noteTurnEnd(draft: SessionDraft, { fields, occurredAtIso }: TurnEvent): void {
  const { waitingFor, activityPhase } = draft
  noteEndOfTurn(draft, occurredAtIso, fields['outcome'] === 'failed' ? 'failed' : 'completed')
  // A background subagent may still wait for an answer.
  if (waitingFor?.agentId && asList(fields['backgroundTasks']).length > 0) {
    draft.activityPhase = activityPhase
    draft.waitingFor = waitingFor
  }
}

export function isFromPerson(prompt: string): boolean {
  return !prompt.startsWith(NOTIFICATION)
}

/** Memory: copies the text, because a slice would keep the whole string alive. */
function shorten(text: string): string {
  return text.length <= KEPT_CHARACTERS ? text : Buffer.from(text.slice(0, KEPT_CHARACTERS)).toString()
}

function noteSkill(draft: SessionDraft, event: SkillLifecycleEvent): void {
  const { phase, skillName, triggerCommand, targetDocPath, occurredAtIso, fields } = event
  const startedBy = fields['startedBy']
  if (phase === 'in_progress') {
    const started: SkillRun = {
      skillName,
      triggerCommand,
      targetDocPath,
      startedBy: startedBy === 'model' || startedBy === 'person' ? startedBy : null,
      state: 'in_progress',
      startedAt: occurredAtIso,
      completedAt: null,
      outcome: null,
    }
    noteSkills(draft, [...draft.skills.slice(1 - KEPT_SKILLS), started])
    return
  }
  const outcome = fields['outcome'] === 'failed' ? 'failed' : 'completed'
  const index = draft.skills.findLastIndex(
    (run) => run.skillName === skillName && run.state === 'in_progress',
  )
  const run = draft.skills[index]
  if (run) noteSkills(draft, draft.skills.with(index, completed(run, occurredAtIso, outcome)))
}

function noteOther(draft: SessionDraft, { kind, phase, fields }: OtherLifecycleEvent): void {
  if (kind === 'request.lifecycle') {
    draft.activityPhase = 'busy'
    draft.waitingFor = null
  }
  if (kind === 'context.lifecycle') {
    draft.activityPhase = phase === 'compacting' || draft.isInTurn ? 'busy' : 'interactable'
  }
  const agentId = asText(fields['agentId'])
  if (kind !== 'agent.lifecycle' || agentId === null) return
  const run: AgentRun = {
    agentId,
    agentType: asText(fields['agentType']),
    state: phase === 'ended' ? 'ended' : 'running',
  }
  const others = draft.agents.filter((agent) => agent.agentId !== agentId)
  draft.agents = [...others, run].slice(-KEPT_AGENTS)
}

/** Ends the turn, whether reported or inferred. */
export function endTurn(known: SessionSnapshot, at: string, outcome: TurnOutcome): SessionSnapshot {
  const draft = copyOf(known)
  noteEndOfTurn(draft, at, outcome)
  return draft
}

function noteEndOfTurn(draft: SessionDraft, at: string, outcome: TurnOutcome): void {
  noteRest(draft, at)
  draft.activityPhase = 'interactable'
  draft.lastOutcome = outcome
}

export function endSession(known: SessionSnapshot, at: string | null, reason: string): SessionSnapshot {
  const draft = copyOf(known)
  noteSessionEnd(draft, at, reason)
  return draft
}

function noteSessionEnd(draft: SessionDraft, at: string | null, reason: string): void {
  noteRest(draft, at ?? draft.lastActivityAt)
  draft.state = 'completed'
  draft.endedAt = at
  draft.endReason = reason
  draft.agents = draft.agents.map((agent) => ({ ...agent, state: 'ended' }))
  draft.cpuPercent = null
  draft.memMb = null
}

/** Nothing is running. A skill that the user typed has no end of its own, so it ends with its turn. */
function noteRest(draft: SessionDraft, at: string): void {
  draft.isInTurn = false
  draft.waitingFor = null
  if (draft.currentSkill === null) return
  noteSkills(
    draft,
    draft.skills.map((run) => (run.state === 'in_progress' ? completed(run, at, 'unknown') : run)),
  )
}

function completed(run: SkillRun, at: string, outcome: NonNullable<SkillRun['outcome']>): SkillRun {
  return { ...run, state: 'completed', completedAt: at, outcome }
}

function noteSkills(draft: SessionDraft, skills: readonly SkillRun[]): void {
  draft.skills = skills
  draft.currentSkill = skills.findLast((run) => run.state === 'in_progress') ?? null
}

/** Merges the data of the transcript. */
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
