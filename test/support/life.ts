/** A log as a list of short lines, for tests about what happens around tool calls. */

import type { SessionEvent } from '../../src/protocol/event/event.js'

/** The facts about tools, hooks and requests, in their order, as one line each. */
export function lifeOf(log: readonly SessionEvent[]): string[] {
  const hooks = new Map<string, string>()
  return log.flatMap((event) => {
    switch (event.type) {
      case 'tool.requested':
        return [`${event.type} ${event.data.name}`]
      case 'tool.started':
        return [`${event.type} by ${event.data.by ?? ''}`]
      case 'tool.progressed':
        return [`${event.type}: ${event.data.text ?? ''}`]
      case 'tool.ended': {
        const { outcome, by } = event.data
        return [`${event.type} ${outcome}${by === undefined ? '' : ` by ${by}`}`]
      }
      case 'hook.started':
        hooks.set(event.data.hookId, event.data.event)
        return [`${event.type} ${event.data.event}`]
      case 'hook.ended': {
        const { hookId, outcome, message } = event.data
        return [`${event.type} ${hooks.get(hookId)} ${outcome}${message === undefined ? '' : `: ${message}`}`]
      }
      case 'permission.requested':
      case 'completion.recorded':
        return [event.type]
      case 'permission.resolved':
        return [`${event.type} ${event.data.decision} by ${event.data.by}`]
      default:
        return []
    }
  })
}
