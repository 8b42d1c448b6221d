/** Follows the events of all sessions and keeps the lists true. */

import type { StreamState } from '../../../src/client/index.js'
import {
  applyEvent,
  HubError,
  type Request,
  type Session,
  type SessionEvent,
} from '../../../src/protocol/index.js'
import { forgetAll } from './offline-queue.js'
import { hear, hearAnew, heardOf, loadRequest } from './request.js'
import { restoreHeld, sendHeld } from './send.js'
import { change, client, current } from './state.js'

/** Many events come between two pictures; they are shown together. */
const SHOW_MS = 50
const MAX_SESSIONS = 5_000
const STORAGE_MS = 3_000

/** Logs in with the code of the address, if there is one, and begins to follow. */
export async function start(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) {
    history.replaceState(null, '', location.pathname)
    await client.login({ body: { code } }).catch((error: Error) => change({ problem: error.message }))
  }
  await restoreHeld()
  await enter()
}

export async function logIn(secret: string): Promise<void> {
  await client.login({ body: { code: secret } }).catch(() => client.login({ body: { token: secret } }))
  await enter()
}

export async function logOut(): Promise<void> {
  await client.logout({ body: {} })
  await forgetAll()
  location.assign('/')
}

async function enter(): Promise<void> {
  try {
    const { about } = await client.about()
    change({ isLoggedIn: true, about, problem: '' })
  } catch (error) {
    if (error instanceof HubError && error.code === 'daemon_unreachable') {
      change({ connection: 'waiting' })
      setTimeout(() => void enter(), 2_000)
    } else {
      change({ isLoggedIn: false })
    }
    return
  }
  void followAll()
  void watchStorage()
}

/** Nothing happens in any session while nothing can be stored, so no event says so: it is asked for. */
async function watchStorage(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, STORAGE_MS))
    if (current().isLoggedIn !== true) return
    if (document.hidden || current().connection !== 'live') continue
    const about = await client.about().then(
      (reply) => reply.about,
      () => null,
    )
    if (about && about.storage?.kind !== current().about?.storage?.kind) change({ about })
  }
}

async function followAll(): Promise<void> {
  const onState = (connection: StreamState) => {
    change({ connection })
    // What happened while there was no connection is in the lists.
    if (connection === 'live') void load().then(sendHeld)
  }
  let waiting: SessionEvent[] = []
  const show = () => {
    const events = waiting
    waiting = []
    takeEvents(events)
  }
  try {
    for await (const { event } of client.events({ deltas: false, onState })) {
      if ('seq' in event && waiting.push(event) === 1) setTimeout(show, SHOW_MS)
    }
  } catch {
    change({ isLoggedIn: false })
  }
}

async function load(): Promise<void> {
  hearAnew()
  try {
    const [sessions, requests] = await Promise.all([allSessions(), allRequests()])
    const { requests: known, sessions: seen } = current()
    const listed = requests.filter((request) => heardOf(request.id) === undefined)
    const since = [...known.values()].filter((request) => heardOf(request.id) === 'requested')
    const pending = byId([...listed, ...since])
    for (const id of known.keys()) if (!pending.has(id) && heardOf(id) === undefined) void loadRequest(id)
    change({ sessions: newest(sessions, seen.values()), requests: pending, isLoaded: true })
  } catch {
    // The stream will say so, and this is asked again when it is live.
  }
}

async function allSessions(): Promise<Session[]> {
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

async function allRequests(): Promise<Request[]> {
  const { requests } = await client.listRequests({ query: { state: 'pending', limit: 1_000 } })
  return requests
}

function byId<Thing extends { id: string }>(things: readonly Thing[]): Map<string, Thing> {
  return new Map(things.map((thing) => [thing.id, thing]))
}

/** Of two views of a session the one that has seen more. */
function newest(listed: readonly Session[], known: Iterable<Session>): Map<string, Session> {
  const merged = byId(listed)
  for (const session of known) {
    const other = merged.get(session.id)
    if (!other || other.lastSeq < session.lastSeq) merged.set(session.id, session)
  }
  return merged
}

function takeEvents(events: readonly SessionEvent[]): void {
  const sessions = new Map(current().sessions)
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
  change({ sessions })
  for (const id of unknown) void refresh(id)
  for (const event of events) {
    switch (event.type) {
      case 'permission.requested':
      case 'question.requested':
        hear(event.data.requestId, 'requested')
        break
      case 'permission.resolved':
      case 'question.resolved':
        hear(event.data.requestId, 'resolved')
        break
      case 'request.parked':
      case 'request.revived':
      case 'request.held':
      case 'request.released':
        void loadRequest(event.data.requestId)
        break
      default:
    }
  }
}

async function refresh(sessionId: string): Promise<void> {
  const { session } = await client.getSession({ params: { id: sessionId } })
  change({ sessions: newest([session], current().sessions.values()) })
}
