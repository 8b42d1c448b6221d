/** What a session's log must say after the process that drove it has vanished without a word. */

import type { EventDraft } from '../protocol/event.js'
import type { Session } from '../protocol/session.js'

/** The ends of everything that had started. Requests are the inbox's to close. */
export function recoveryDrafts({ pendingTools, agents, tasks, turn, process }: Session): EventDraft[] {
  const ends: EventDraft[] = [
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
  if (turn) {
    ends.push({
      type: 'turn.ended',
      data: {
        turnId: turn.id,
        outcome: 'failed',
        stopReason: 'daemon_restarted',
        durationMs: null,
        turns: null,
        usage: null,
        modelUsage: null,
        costUsd: null,
        text: null,
        errors: ['Signalbox was stopped in the middle of this turn. Send a message to go on.'],
      },
    })
  }
  if (process !== 'none') ends.push({ type: 'session.changed', data: { process: 'none' } })
  return ends
}
