/** Finds the session of a command: by our id or by Claude's, and only once it is recovered. */

import type { Bus } from '../bus/port.js'
import type { Journal } from '../journal/journal.js'
import { HubError } from '../protocol/error.js'
import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'
import type { Hub } from './port.js'
import { unlessNoRunner } from './stop-session.js'
import { listVisible } from './visible-search.js'

export interface SessionLookup {
  session(id: string): Promise<Session>
  /** A session that we control. A session of a terminal is controlled there. */
  managed(id: string): Promise<Session>
  byConversation(claudeSessionId: string): Promise<Session | null>
  list: Hub['sessions']
}

export function createSessionLookup(deps: { journal: Journal; store: Store; bus: Bus }): SessionLookup {
  const { journal, store, bus } = deps

  async function session(id: string): Promise<Session> {
    const found = isUuid(id) ? await byConversation(id) : await inOrder(id)
    if (found) return found
    throw new HubError(
      'session_not_found',
      `No session ${id}. List sessions with "signalbox sessions --all".`,
      {
        sessionId: id,
      },
    )
  }

  async function byConversation(claudeSessionId: string): Promise<Session | null> {
    const ours = await store.sessions({ claudeSessionId, kind: 'managed', limit: 1 })
    const [found] = ours.length > 0 ? ours : await store.sessions({ claudeSessionId, limit: 1 })
    return found ? inOrder(found.id) : null
  }

  /** After a start: as it is when it is recovered, or as the previous run has left it while nothing can be stored. */
  async function inOrder(id: string): Promise<Session | null> {
    await bus.call({ type: 'session.recovered', sessionId: id }).catch(() => {})
    return journal.session(id)
  }

  /** A list shows no session as the previous run has left it: after a start those in it are recovered first. */
  const list: Hub['sessions'] = async (filter, redact) => {
    const find = () => (redact ? listVisible(store, filter, redact) : store.sessions(filter))
    let found = await find()
    // Their states may have changed, and with them what the filter finds.
    while (await areRecovered(found.map(({ id }) => id))) found = await find()
    return found
  }

  /** Without a runner nothing is being recovered. */
  async function areRecovered(sessionIds: string[]): Promise<boolean> {
    return bus.call({ type: 'sessions.recovered', sessionIds }).catch(unlessNoRunner)
  }

  async function managed(id: string): Promise<Session> {
    const found = await session(id)
    if (found.kind === 'managed') return found
    throw new HubError(
      'session_observed',
      `Session ${found.id} runs in a terminal and is read-only here. Do this in the terminal, or run "signalbox resume" after it has ended there.`,
      { sessionId: found.id },
    )
  }

  return { session, managed, byConversation, list }
}

export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id)
}
