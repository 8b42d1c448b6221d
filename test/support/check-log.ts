/** Invariants of every log: numbers without a gap, and an end for everything that began, exactly once. */

import type { SessionEvent } from '../../src/protocol/event/event.js'

/** In words, what is wrong with a session's log once nothing is under way; empty if nothing is. */
export function problemsOf(events: readonly SessionEvent[]): string[] {
  const problems: string[] = []
  const open = new Map<string, number>()
  const ended = new Set<string>()
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1) problems.push(`event ${index + 1} has the number ${event.seq}`)
    const [begins, ends] = pairOf(event)
    for (const key of begins) {
      if (open.has(key) || ended.has(key)) problems.push(`${key} began twice`)
      open.set(key, event.seq)
    }
    for (const key of ends) {
      if (!open.delete(key))
        problems.push(`${key} ended ${ended.has(key) ? 'twice' : 'without beginning'} (${event.seq})`)
      ended.add(key)
    }
  }
  return [...problems, ...[...open].map(([key, seq]) => `${key} never ended (${seq})`)]
}

function pairOf(event: SessionEvent): [begins: string[], ends: string[]] {
  switch (event.type) {
    case 'turn.started':
      return [[`turn ${event.data.turnId}`], []]
    case 'turn.ended':
      return [[], [`turn ${event.data.turnId}`]]
    case 'message.queued':
      return [[`message ${event.data.messageId}`], []]
    case 'message.delivered':
    case 'message.cancelled':
      return [[], [`message ${event.data.messageId}`]]
    case 'tool.requested':
      return [[`tool ${event.data.toolUseId}`], []]
    case 'tool.ended':
      return [[], [`tool ${event.data.toolUseId}`]]
    case 'permission.requested':
    case 'question.requested':
      return [[`request ${event.data.requestId}`], []]
    case 'permission.resolved':
    case 'question.resolved':
      return [[], [`request ${event.data.requestId}`]]
    case 'hook.started':
      return [[`hook ${event.data.hookId}`], []]
    case 'hook.ended':
      return [[], [`hook ${event.data.hookId}`]]
    case 'skill.started':
      return [event.data.toolUseId === undefined ? [] : [`skill of ${event.data.toolUseId}`], []]
    case 'skill.ended':
      return [[], event.data.toolUseId === undefined ? [] : [`skill of ${event.data.toolUseId}`]]
    case 'agent.started':
      return [[`agent ${event.data.agentId}`], []]
    case 'agent.ended':
      return [[], [`agent ${event.data.agentId}`]]
    case 'task.started':
      return [[`task ${event.data.taskId}`], []]
    case 'task.ended':
      return [[], [`task ${event.data.taskId}`]]
    default:
      return [[], []]
  }
}
