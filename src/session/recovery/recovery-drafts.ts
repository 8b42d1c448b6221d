/** Events to append to a session's log after the process that drove it has crashed. */

import type { EventDraft } from '../../protocol/event/event.js'
import { reason, reasonText } from '../../protocol/reason/reason.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'

/** The ends of everything that had started. Requests are the inbox's to close. */
export function recoveryDrafts(session: Session): EventDraft[] {
  const { pendingTools, agents, tasks, turn, process } = session
  const ends: EventDraft[] = [
    ...hookEnds(session, 'Signalbox was stopped while it ran.'),
    ...Object.entries(pendingTools).map(
      ([toolUseId, name]): EventDraft => ({
        type: 'tool.ended',
        data: { toolUseId, name, outcome: 'cancelled', durationMs: null, by: 'shutdown' },
      }),
    ),
    ...Object.keys(agents).map(
      (agentId): EventDraft => ({ type: 'agent.ended', data: { agentId, outcome: 'interrupted' } }),
    ),
    ...Object.keys(tasks).map(
      (taskId): EventDraft => ({ type: 'task.ended', data: { taskId, outcome: 'interrupted' } }),
    ),
  ]
  if (session.worktree?.setup === 'running')
    ends.push({
      type: 'setup.ended',
      data: {
        outcome: 'interrupted',
        exitCode: null,
        output: 'Signalbox was stopped while it ran.',
        durationMs: null,
      },
    })
  if (turn) ends.push(cutOffTurn(turn.id))
  if (process !== 'none') ends.push({ type: 'session.changed', data: { process: 'none' } })
  return ends
}

const CUT_OFF = reason('end.cut-off')

/** The end of a turn that the end of the daemon has cut off. */
export function cutOffTurn(turnId: string): EventDraft {
  return {
    type: 'turn.ended',
    data: {
      turnId,
      outcome: 'failed',
      stopReason: 'daemon_restarted',
      durationMs: null,
      turns: null,
      usage: null,
      modelUsage: null,
      costUsd: null,
      text: null,
      errors: [reasonText([CUT_OFF])],
      errorParts: [CUT_OFF],
    },
  }
}

/** The end events of hooks that no process can report any more. */
export function hookEnds({ pendingHooks }: Session, message: string): EventDraft[] {
  return Object.keys(pendingHooks).map((hookId) => ({
    type: 'hook.ended',
    data: { hookId, exitCode: null, outcome: 'broken', message, durationMs: null },
  }))
}

/** The calls of the main agent that wait for the user: its own, those of its subagents, those of MCP servers. */
export function waitingCalls({ pendingTools }: Session, pending: readonly InboxRequest[]): Set<string> {
  const isWaited = (toolUseId: string, name: string) =>
    pending.some(({ toolUseId: own, form, agentId }) => {
      if (own === toolUseId) return true
      if (agentId !== null) return name === 'Agent' || name === 'Task'
      return form !== null && name.startsWith(`mcp__${form.server}__`)
    })
  const open = Object.entries(pendingTools).filter(([toolUseId, name]) => isWaited(toolUseId, name))
  return new Set(open.map(([toolUseId]) => toolUseId))
}
