/** Where a session stands in its tree of calls, read from the log. */

import type { Journal } from '../journal/journal.js'
import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'
import type { Lineage } from '../tool/built-in/agent-call.js'

interface LineageDeps {
  journal: Journal
  store: Store
}

export async function lineageOf(sessionId: string, deps: LineageDeps): Promise<Lineage> {
  const { root, agents } = await pathTo(sessionId, deps)
  return { rootId: root, agents, ...(await sumUp(root, deps)) }
}

async function pathTo(
  sessionId: string,
  { journal }: LineageDeps,
): Promise<{ root: string; agents: string[] }> {
  const agents: string[] = []
  const seen = new Set<string>()
  let root = sessionId
  for (let session = await journal.session(sessionId); session; session = await callerOf(session, journal)) {
    if (seen.has(session.id)) break
    seen.add(session.id)
    root = session.id
    if (session.parentToolUseId !== null) agents.unshift(session.agent ?? '')
  }
  return { root, agents }
}

/** A fork has a parent as well, but no caller that waits for it. */
async function callerOf({ parentId, parentToolUseId }: Session, journal: Journal): Promise<Session | null> {
  return parentToolUseId === null || parentId === null ? null : journal.session(parentId)
}

async function sumUp(
  root: string,
  { journal, store }: LineageDeps,
): Promise<{ calls: number; spentUsd: number }> {
  const seen = new Set<string>([root])
  let spentUsd = 0
  for (const id of seen) {
    for (const child of await calledBy(id, store)) {
      if (seen.has(child)) continue
      // A `for … of` over a set also visits values that are added during the loop.
      seen.add(child)
      spentUsd += (await journal.session(child))?.costUsd ?? 0
    }
  }
  return { calls: seen.size - 1, spentUsd }
}

async function calledBy(sessionId: string, store: Store): Promise<string[]> {
  const started = await store.readSession(sessionId, { types: ['agent.started'] })
  return started.flatMap(({ event }) =>
    event.type === 'agent.started' && event.data.agentId.startsWith('ses_') ? [event.data.agentId] : [],
  )
}
