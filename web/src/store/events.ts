/** Follows the events of all sessions and keeps the lists of sessions and requests up to date. */

import type { StreamState } from '../../../src/client/index.js'
import {
  applyEvent,
  type InboxRequest,
  type Session,
  type SessionEvent,
} from '../../../src/protocol/index.js'
import { refetch } from './refetch.js'
import { lastSeen, loadRequest, noteSeen, resetSeen } from './request.js'
import { sendUnsent } from './send.js'
import { client, getState, setState } from './state.js'

/** Throttle: events that arrive within this time are applied in one batch. */
const FLUSH_MS = 50
const MAX_SESSIONS = 5_000

interface Lists {
  sessions: Session[]
  requests: InboxRequest[]
}

export async function fetchLists(): Promise<Lists> {
  const [sessions, requests] = await Promise.all([fetchSessions(), fetchRequests()])
  return { sessions, requests }
}

/** The lists are shown before the stream is there: on a slow network that is a round trip earlier. */
export async function followEvents(lists: Promise<Lists>): Promise<void> {
  const early = showLists(lists)
  const onState = (connection: StreamState) => {
    setState({ connection })
    // Catches up with events missed while disconnected. Race: an older answer must not arrive after a newer one.
    if (connection === 'live') void early.then(() => showLists(fetchLists())).then(sendUnsent)
  }
  let pending: SessionEvent[] = []
  const flush = () => {
    const events = pending
    pending = []
    handleEvents(events)
  }
  try {
    for await (const { event } of client.events({ deltas: false, onState })) {
      if ('seq' in event && pending.push(event) === 1) setTimeout(flush, FLUSH_MS)
    }
  } catch {
    setState({ isLoggedIn: false })
  }
}

async function showLists(lists: Promise<Lists>): Promise<void> {
  resetSeen()
  try {
    const { sessions, requests } = await lists
    const { requests: knownRequests, sessions: knownSessions } = getState()
    const listed = requests.filter((request) => lastSeen(request.id) === undefined)
    const since = [...knownRequests.values()].filter((request) => lastSeen(request.id) === 'requested')
    const pending = indexById([...listed, ...since])
    for (const id of knownRequests.keys())
      if (!pending.has(id) && lastSeen(id) === undefined) void refetch(() => loadRequest(id))
    setState({ sessions: mergeSessions(sessions, knownSessions.values()), requests: pending, isLoaded: true })
  } catch {
    // The stream reports the lost connection, and the lists are loaded again when it is live.
  }
}

async function fetchSessions(): Promise<Session[]> {
  const all: Session[] = []
  let cursor: string | null = null
  do {
    const { sessions, nextCursor } = await client.listSessions({
      query: { limit: 1_000, ...(cursor !== null && { cursor }) },
    })
    all.push(...sessions)
    cursor = nextCursor
  } while (cursor !== null && all.length < MAX_SESSIONS)
  return all
}

async function fetchRequests(): Promise<InboxRequest[]> {
  const all: InboxRequest[] = []
  let cursor: string | null = null
  do {
    const page: { requests: InboxRequest[]; nextCursor: string | null } = await client.listRequests({
      query: { state: 'pending', limit: 1_000, ...(cursor !== null && { cursor }) },
    })
    all.push(...page.requests)
    cursor = page.nextCursor
  } while (cursor !== null)
  return all
}

function indexById<Thing extends { id: string }>(things: readonly Thing[]): Map<string, Thing> {
  return new Map(things.map((thing) => [thing.id, thing]))
}

/** Keeps the newer snapshot of each session: events may be ahead of the list. */
function mergeSessions(listed: readonly Session[], known: Iterable<Session>): Map<string, Session> {
  const merged = indexById(listed)
  for (const session of known) {
    const other = merged.get(session.id)
    if (!other || other.lastSeq < session.lastSeq) merged.set(session.id, session)
  }
  return merged
}

function handleEvents(events: readonly SessionEvent[]): void {
  const sessions = new Map(getState().sessions)
  const unknown = new Set<string>()
  for (const event of events) {
    const known = sessions.get(event.sessionId) ?? null
    if (known ? event.seq === known.lastSeq + 1 : event.type === 'session.created') {
      const session = applyEvent(known, event)
      if (session) sessions.set(session.id, session)
    } else if (!known || event.seq > known.lastSeq) {
      unknown.add(event.sessionId)
    }
  }
  setState({ sessions })
  for (const id of unknown) void refetch(() => loadSession(id))
  for (const event of events) {
    switch (event.type) {
      case 'permission.requested':
      case 'question.requested':
        noteSeen(event.data.requestId, 'requested')
        break
      case 'permission.resolved':
      case 'question.resolved':
        noteSeen(event.data.requestId, 'resolved')
        break
      case 'request.parked':
      case 'request.revived':
      case 'request.held':
      case 'request.released':
        void refetch(() => loadRequest(event.data.requestId))
        break
      default:
    }
  }
}

async function loadSession(sessionId: string): Promise<void> {
  const { session } = await client.getSession({ params: { id: sessionId } })
  setState({ sessions: mergeSessions([session], getState().sessions.values()) })
}
