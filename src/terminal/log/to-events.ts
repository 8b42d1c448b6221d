/**
 * Translates the lines of a terminal session, and findings without a line, into our events. Pure and idempotent: checks
 * what the log already has, so a repeated line or a finding after a restart adds nothing.
 */

import { asCount, asRecord, asText } from '../../lib/read-json.js'
import type { DataOf, EventDraft } from '../../protocol/event/event.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { PermissionMode } from '../../protocol/value.js'
import type { SessionSnapshot } from '../monitor/monitor.js'
import { isFromPerson } from '../monitor/session-state.js'
import type { LifecycleEvent, OtherLifecycleEvent, TurnEvent } from '../stream/event.js'
import type { HeardLine } from './heard-line.js'
import { askedBy, isAnsweredBy, settle, settleAnswered } from './to-request-events.js'
import { closeSession, closeTurn, endSkills, startTurn } from './to-turn-events.js'
import { usageSince } from './to-usage-events.js'

export interface Transition {
  readonly before: SessionSnapshot | null
  readonly after: SessionSnapshot
}

/** The session as recorded in the log, and its pending requests. */
export interface Logged {
  readonly view: Session
  readonly pending: readonly InboxRequest[]
  /** Facts that the transcript has recorded already. */
  readonly heard: HeardLine
  /** The answer to a request according to the transcript. */
  answerTo(request: InboxRequest): 'allow' | 'deny' | null
}

export type NewId = (prefix: 'msg' | 'trn' | 'per' | 'que') => string

/** The user of a terminal is unknown. */
export const TERMINAL = { who: 'terminal', via: 'terminal' } as const

export function draftsOfLine(
  event: LifecycleEvent,
  change: Transition,
  logged: Logged,
  newId: NewId,
): EventDraft[] {
  // Usage is added here too: the transcript may have been read to its end before this line, and then no finding
  // follows.
  return [...toldBy(event, change, logged, newId), ...figures(change, logged)]
}

/** Where the transcript is recorded itself, its figures are too. */
function figures({ after }: Transition, { view, heard }: Logged): EventDraft[] {
  return heard.hasTranscript ? [] : usageSince(view, after)
}

function toldBy(event: LifecycleEvent, change: Transition, logged: Logged, newId: NewId): EventDraft[] {
  const { after } = change
  const { heard } = logged
  const general = [
    ...(heard.isRevived ? asChange({ isArchived: false }) : []),
    ...reopened(logged.view, after),
    ...changed(logged.view, change, heard),
  ]
  switch (event.eventType) {
    case 'session.lifecycle':
      if (event.phase === 'ended') return [...general, ...closeSession(change, logged, 'completed')]
      if (event.phase === 'started') return [...general, ...rest(change, logged)]
      return [...general, askedBy(event, logged.view, newId)]
    case 'turn.start':
      return [...general, ...settleAll(change, logged, 'deny'), ...begun(event, logged, newId)]
    case 'turn.end':
      return [...general, ...settleAll(change, logged, 'allow'), ...ended(event, change, logged, newId)]
    case 'skill.lifecycle':
      return [...general, ...startedSkills(change), ...endSkills(change, 'completed')]
    case 'other':
      return [...general, ...others(event, logged)]
  }
}

/** Events for findings without a line: from the registry, the transcript or the processes. */
export function draftsOfFinding(change: Transition, logged: Logged, newId: NewId): EventDraft[] {
  const { after } = change
  const { view, heard } = logged
  // The transcript may be completed after the end of the session.
  if (view.endedAt !== null)
    return heard.hasTranscript ? [] : [...asChange(inTranscript(view, after)), ...usageSince(view, after)]
  if (after.state === 'completed') {
    return [
      ...changed(view, change, heard),
      ...closeSession(change, logged, 'interrupted'),
      ...figures(change, logged),
    ]
  }
  return [
    ...changed(view, change, heard),
    ...settleAll(change, logged, after.isInTurn ? 'allow' : 'deny'),
    ...(view.turn && !after.isInTurn ? closeTurn(change, view, after.lastOutcome ?? 'interrupted') : []),
    ...(!view.turn && after.isInTurn ? [startTurn(newId('trn'), 'unknown')] : []),
    ...figures(change, logged),
  ]
}

function reopened({ endedAt }: Session, { state }: SessionSnapshot): EventDraft[] {
  if (endedAt === null || state === 'completed') return []
  return [{ type: 'session.changed', data: { state: 'idle' } }]
}

/** Unknown values are not changes. */
function changed(view: Session, { before, after }: Transition, { hasTranscript }: HeardLine): EventDraft[] {
  const mode = PermissionMode.safeParse(after.permissionMode)
  const data = {
    ...titleIn(view, before, after),
    ...(!hasTranscript && after.model !== null && after.model !== view.model && { model: after.model }),
    ...(!hasTranscript && inTranscript(view, after)),
    ...(mode.success && mode.data !== view.permissionMode && { permissionMode: mode.data }),
    ...(after.state !== 'completed' && view.process !== 'live' && { process: 'live' as const }),
  }
  return asChange(data)
}

/** A title that the terminal has not changed does not undo a rename here. */
function titleIn(
  view: Session,
  before: SessionSnapshot | null,
  { title }: SessionSnapshot,
): { title?: string } {
  if (title === null || title === view.title) return {}
  return view.title === null || (before !== null && before.title !== title) ? { title } : {}
}

function inTranscript(
  view: Session,
  { gitBranch, contextTokens }: SessionSnapshot,
): Pick<DataOf<'session.changed'>, 'branch' | 'contextTokens'> {
  return {
    ...(gitBranch !== null && gitBranch !== view.branch && { branch: gitBranch }),
    ...(contextTokens !== null && contextTokens !== view.contextTokens && { contextTokens }),
  }
}

function asChange(data: DataOf<'session.changed'>): EventDraft[] {
  return Object.keys(data).length > 0 ? [{ type: 'session.changed', data }] : []
}

/** A restarted session: everything that was open is interrupted. */
function rest(change: Transition, logged: Logged): EventDraft[] {
  const { view } = logged
  return [...settleAll(change, logged, 'deny'), ...(view.turn ? closeTurn(change, view, 'interrupted') : [])]
}

/**
 * Resolves the requests that no longer wait. If the turn continues, they were allowed, otherwise denied, unless the
 * transcript shows the answer.
 */
function settleAll(
  { after }: Transition,
  { pending, answerTo }: Logged,
  decision: 'allow' | 'deny',
): EventDraft[] {
  return pending.flatMap((request) => {
    const known = answerTo(request)
    return known !== null || after.waitingFor === null ? [settle(request, known ?? decision)] : []
  })
}

function begun({ fields }: TurnEvent, { view: { turn }, heard }: Logged, newId: NewId): EventDraft[] {
  if (heard.prompt !== 'new') return []
  const prompt = asText(fields['prompt'])
  const turnId = turn?.id ?? newId('trn')
  if (prompt === null || !isFromPerson(prompt)) {
    return turn ? [] : [startTurn(turnId, prompt === null ? 'unknown' : 'task')]
  }
  const messageId = newId('msg')
  return [
    { type: 'message.queued', data: { messageId, text: prompt, whenBusy: 'inject', from: TERMINAL } },
    ...(turn ? [] : [startTurn(turnId, 'person', [messageId])]),
    { type: 'message.delivered', data: { messageId, turnId } },
  ]
}

function ended(event: TurnEvent, change: Transition, { view, heard }: Logged, newId: NewId): EventDraft[] {
  if (heard.isOver) return []
  const { fields, id } = event
  const text = asText(fields['lastAssistantMessage'])
  const error = asText(fields['error'])
  const turnId = view.turn?.id ?? newId('trn')
  const outcome = fields['outcome'] === 'failed' ? 'failed' : 'completed'
  // The text of a failure is not an answer. The transcript has it as a notice.
  const isFailure = heard.hasTranscript && outcome === 'failed'
  const said: EventDraft[] =
    text === null || text === '' || heard.isTextKnown || isFailure
      ? []
      : [{ type: 'text.ended', data: { messageId: id, index: 0, text } }]
  return [
    // Its start was not seen: a queued message, or a lost line.
    ...(view.turn ? [] : [startTurn(turnId, 'unknown')]),
    ...said,
    ...closeTurn(change, { ...view, turn: view.turn ?? { id: turnId, startedAt: null } }, outcome, {
      text,
      errors: error === null ? [] : [isFailure && text !== null && text !== '' ? text : error],
      at: event.occurredAtIso,
    }),
  ]
}

function startedSkills({ before, after }: Transition): EventDraft[] {
  const run = after.skills.at(-1)
  const isNew = run?.state === 'in_progress' && !before?.skills.includes(run)
  if (!run || !isNew) return []
  const { skillName, triggerCommand, targetDocPath, startedBy } = run
  return [
    {
      type: 'skill.started',
      data: {
        skillName,
        triggerCommand,
        turnSeq: after.turnCount || null,
        targetDocPath,
        ...(startedBy && { startedBy }),
      },
    },
  ]
}

function others(
  { kind, phase, fields }: OtherLifecycleEvent,
  { view, pending, heard }: Logged,
): EventDraft[] {
  if (heard.hasTranscript && kind !== 'request.lifecycle') return []
  if (kind === 'context.lifecycle' && phase === 'compacted') {
    const trigger = asText(fields['trigger']) ?? 'unknown'
    const [preTokens, postTokens] = [asCount(fields['preTokens']), asCount(fields['postTokens'])]
    return [{ type: 'context.compacted', data: { trigger, preTokens, postTokens, durationMs: null } }]
  }
  if (kind === 'request.lifecycle') {
    const request = pending.find((candidate) => isAnsweredBy(candidate, fields))
    return request ? [settleAnswered(request, asRecord(fields['toolResponse']))] : []
  }
  const agentId = asText(fields['agentId'])
  if (kind !== 'agent.lifecycle' || agentId === null) return []
  const isKnown = view.agents[agentId] !== undefined
  if (phase === 'ended') {
    return isKnown ? [{ type: 'agent.ended', data: { agentId, outcome: 'completed' } }] : []
  }
  const agentType = asText(fields['agentType']) ?? 'unknown'
  return isKnown ? [] : [{ type: 'agent.started', data: { agentId, agentType, isBackground: false } }]
}
