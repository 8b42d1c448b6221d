/** Tool calls as the log has them, with what is needed to judge them again. */

import type { PermissionMode } from '../protocol/value.js'
import type { Store } from '../store/port.js'

export interface RecordedCall {
  sessionId: string
  toolUseId: string
  at: string
  tool: string
  input: unknown
  /** The session's mode at that time. */
  mode: PermissionMode
  /** The type of the subagent that called; null for the main agent. */
  agent: string | null
  outcome: string | null
}

const PAGE = 500

/** Calls from a time on, oldest first; the newest `max` of them. */
export async function recordedCalls(
  store: Store,
  since: string,
  max: number,
): Promise<{ calls: RecordedCall[]; isTruncated: boolean }> {
  const calls = new Map<string, RecordedCall>()
  const modes = new Map<string, PermissionMode>()
  const agents = new Map<string, string>()
  let isTruncated = false
  for (let after = await positionBefore(store, since); ; ) {
    const page = await store.readAll({ after, limit: PAGE, types: TYPES })
    const last = page.at(-1)
    if (last === undefined) return { calls: [...calls.values()], isTruncated }
    after = last.position
    for (const { event } of page) {
      const { sessionId } = event
      if (event.type === 'session.created' || event.type === 'session.changed') {
        if (event.data.permissionMode) modes.set(sessionId, event.data.permissionMode)
      } else if (event.type === 'agent.started') {
        agents.set(event.data.agentId, event.data.agentType)
      } else if (event.type === 'tool.ended') {
        const call = calls.get(`${sessionId} ${event.data.toolUseId}`)
        if (call) call.outcome = event.data.outcome
      } else if (event.type === 'tool.requested' && event.at >= since) {
        const { toolUseId, name: tool, input, agentId } = event.data
        const mode = modes.get(sessionId) ?? (await modeBefore(store, sessionId, event.seq))
        modes.set(sessionId, mode)
        const agent = agentId === undefined ? null : (agents.get(agentId) ?? 'unknown')
        calls.set(`${sessionId} ${toolUseId}`, {
          sessionId,
          toolUseId,
          at: event.at,
          tool,
          input,
          mode,
          agent,
          outcome: null,
        })
        const [oldest] = calls.keys()
        if (calls.size > max && oldest !== undefined) {
          calls.delete(oldest)
          isTruncated = true
        }
      }
    }
  }
}

const TYPES = ['session.created', 'session.changed', 'agent.started', 'tool.requested', 'tool.ended'] as const

/** The mode of a session that began before the time in question. */
async function modeBefore(store: Store, sessionId: string, seq: number): Promise<PermissionMode> {
  let mode: PermissionMode = 'default'
  for (let after = 0; ; ) {
    const types = ['session.created', 'session.changed'] as const
    const page = await store.readSession(sessionId, { after, limit: PAGE, types })
    for (const { event } of page) {
      if (event.seq >= seq) return mode
      if ('permissionMode' in event.data) mode = event.data.permissionMode ?? mode
    }
    const last = page.at(-1)
    if (last === undefined) return mode
    after = last.event.seq
  }
}

/** Events are stored in the order of their times: halving finds the place in a few reads. */
async function positionBefore(store: Store, since: string): Promise<number> {
  let low = 0
  let high = await store.lastPosition()
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [next] = await store.readAll({ after: middle, limit: 1 })
    if (next === undefined || next.event.at >= since) high = middle
    else low = next.position
  }
  return low
}
