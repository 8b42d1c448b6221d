/** Starts and ends of turns, skills and sessions of terminals, as events. Pure. */

import type { EventDraft } from '../../protocol/event/event.js'
import { type Reason, reason, saying } from '../../protocol/reason/reason.js'
import type { Session } from '../../protocol/session.js'
import type { Outcome, TurnOrigin } from '../../protocol/value.js'
import type { SkillRun } from '../monitor/monitor.js'
import type { Logged, Transition } from './to-events.js'
import { settle } from './to-request-events.js'

export function startTurn(turnId: string, kind: TurnOrigin['kind'], messageIds: string[] = []): EventDraft {
  return { type: 'turn.started', data: { turnId, messageIds, origin: { kind } } }
}

interface Told {
  readonly text: string | null
  readonly errors: string[]
  readonly at: string
}

type WithTurn = { readonly turn: { readonly id: string; readonly startedAt: string | null } | null }

/** Ends the turn, and the skills that end with it. Tokens and cost follow later, from the transcript. */
export function closeTurn(
  change: Transition,
  { turn }: WithTurn,
  outcome: Outcome,
  told?: Told,
): EventDraft[] {
  if (!turn) return []
  const at = told?.at ?? change.after.lastActivityAt
  const durationMs = turn.startedAt === null ? null : Math.max(0, Date.parse(at) - Date.parse(turn.startedAt))
  return [
    ...endSkills(change, outcome),
    {
      type: 'turn.ended',
      data: {
        turnId: turn.id,
        outcome,
        stopReason: outcome === 'completed' ? 'finished' : outcome === 'failed' ? 'api_error' : 'interrupted',
        durationMs,
        turns: null,
        usage: null,
        modelUsage: null,
        costUsd: null,
        text: told?.text ?? null,
        errors: told?.errors ?? [],
      },
    },
  ]
}

/** A skill without a reported end ends with its turn or session. */
export function endSkills({ before, after }: Transition, outcome: Outcome): EventDraft[] {
  const open = (before?.skills ?? []).filter((run) => run.state === 'in_progress')
  return after.skills.flatMap((run) => {
    if (run.state !== 'completed' || !open.some((other) => isSame(other, run))) return []
    const { skillName, triggerCommand, targetDocPath, startedBy } = run
    const durationMs = Math.max(0, Date.parse(run.completedAt ?? '') - Date.parse(run.startedAt))
    return [
      {
        type: 'skill.ended',
        data: {
          skillName,
          triggerCommand,
          turnSeq: after.turnCount || null,
          targetDocPath,
          ...(startedBy && { startedBy }),
          outcome: run.outcome === 'failed' ? 'failed' : run.outcome === 'completed' ? 'completed' : outcome,
          durationMs: Number.isNaN(durationMs) ? null : durationMs,
        },
      } satisfies EventDraft,
    ]
  })
}

function isSame(one: SkillRun, other: SkillRun): boolean {
  return one.skillName === other.skillName && one.startedAt === other.startedAt
}

const REASONS: Readonly<Record<string, Reason>> = {
  clear: reason('end.cleared'),
  resume: reason('end.resumed-other'),
  logout: reason('end.logged-out'),
  prompt_input_exit: reason('end.left'),
  other: reason('end.process'),
  process_gone: reason('end.process-gone'),
  superseded: reason('end.superseded'),
}

/** Ends everything that is open in the session. */
export function closeSession(change: Transition, { view, pending }: Logged, outcome: Outcome): EventDraft[] {
  if (view.endedAt !== null) return []
  const endReason = change.after.endReason ?? 'other'
  const known = REASONS[endReason]
  return [
    ...pending.map((request) => settle(request, 'deny', reason('request.session-ended'))),
    ...(view.turn ? closeTurn(change, view, 'interrupted') : endSkills(change, outcome)),
    ...openCalls(view),
    ...openAgents(view),
    { type: 'session.ended', data: { outcome, ...(known ? saying(known) : { reason: endReason }) } },
  ]
}

function openCalls({ pendingTools }: Session): EventDraft[] {
  return Object.entries(pendingTools).map(([toolUseId, name]) => ({
    type: 'tool.ended',
    data: { toolUseId, name, outcome: 'cancelled', durationMs: null },
  }))
}

function openAgents({ agents }: Session): EventDraft[] {
  return Object.keys(agents).map((agentId) => ({
    type: 'agent.ended',
    data: { agentId, outcome: 'interrupted' },
  }))
}
