/** Another product's event format, made from our events by a pure step. */

import type { DataOf, Delta, SessionEvent } from '../protocol/event/event.js'

export interface Dialect<State, Theirs> {
  /** Of a session that nothing is known of yet. */
  readonly initial: State
  step(state: State, event: SessionEvent | Delta): readonly [State, readonly Theirs[]]
}

/** Speaks a dialect for one reader, who may see several sessions at once. */
export function speak<State, Theirs>({ initial, step }: Dialect<State, Theirs>) {
  const states = new Map<string, State>()
  return (event: SessionEvent | Delta): readonly Theirs[] => {
    const [state, theirs] = step(states.get(event.sessionId) ?? initial, event)
    if (event.type === 'session.ended') states.delete(event.sessionId)
    else states.set(event.sessionId, state)
    return theirs
  }
}

/** A server that did not start is as good as an error: its tools are missing. */
export function isServerFailure({ level, topic }: DataOf<'notice.raised'>): boolean {
  return level === 'error' && topic === 'mcp'
}

/** Subagents are not part of the conversation that a dialect reports. */
export function isSubagent(speaker: { agentId?: string; parentToolUseId?: string }): boolean {
  return speaker.agentId !== undefined || speaker.parentToolUseId !== undefined
}
