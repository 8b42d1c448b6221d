/** What the page knows: it follows the events and feeds the same reducers as the server. Views are functions of it. */

import { useSyncExternalStore } from 'react'
import { type Client, createClient, type StreamState } from '../../src/client/index.js'
import {
  type About,
  applyEvent,
  type Delta,
  emptyTranscript,
  extendTranscript,
  HubError,
  type Request,
  type Session,
  type SessionEvent,
  type Transcript,
} from '../../src/protocol/index.js'

export interface State {
  /** `null` until it is known whether this browser is logged in. */
  isLoggedIn: boolean | null
  /** Why a login by link did not work. */
  problem: string
  about: About | null
  connection: StreamState
  sessions: ReadonlyMap<string, Session>
  /** What waits for a person, oldest first. */
  requests: ReadonlyMap<string, Request>
  open: { id: string; session: Session | null; transcript: Transcript } | null
}

export const client: Client = createClient({ url: '', via: 'dashboard' })

let state: State = {
  isLoggedIn: null,
  problem: '',
  about: null,
  connection: 'connecting',
  sessions: new Map(),
  requests: new Map(),
  open: null,
}
const listeners = new Set<() => void>()

function change(part: Partial<State>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

export function useStore<Value>(select: (state: State) => Value): Value {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => select(state),
  )
}

/** Logs in with the code of the address, if there is one, and begins to follow. */
export async function start(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) {
    history.replaceState(null, '', location.pathname)
    await client.login({ body: { code } }).catch((error: Error) => change({ problem: error.message }))
  }
  await enter()
}

export async function logIn(secret: string): Promise<void> {
  await client.login({ body: { code: secret } }).catch(() => client.login({ body: { token: secret } }))
  await enter()
}

async function enter(): Promise<void> {
  try {
    const { about } = await client.about()
    change({ isLoggedIn: true, about })
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
}

async function followAll(): Promise<void> {
  const onState = (connection: StreamState) => {
    change({ connection })
    // What happened while there was no connection is in the lists.
    if (connection === 'live') void load()
  }
  try {
    for await (const { event } of client.events({ deltas: false, onState })) {
      if ('seq' in event) takeEvent(event)
    }
  } catch {
    change({ isLoggedIn: false })
  }
}

/** Requests that events have spoken of since the last list was asked for: they know better than the list. */
let heard = new Map<string, 'requested' | 'resolved'>()

async function load(): Promise<void> {
  heard = new Map()
  try {
    const [{ sessions }, { requests }] = await Promise.all([
      client.listSessions({ query: { limit: 500 } }),
      client.listRequests({ query: { state: 'pending', limit: 500 } }),
    ])
    const listed = requests.filter((request) => !heard.has(request.id))
    const since = [...state.requests.values()].filter((request) => heard.get(request.id) === 'requested')
    change({ sessions: newest(sessions, state.sessions.values()), requests: byId([...listed, ...since]) })
  } catch {
    // The stream will say so, and this is asked again when it is live.
  }
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

function takeEvent(event: SessionEvent): void {
  const known = state.sessions.get(event.sessionId) ?? null
  if (known ? event.seq === known.lastSeq + 1 : event.type === 'session.created') {
    const session = applyEvent(known, event)
    if (session) change({ sessions: new Map(state.sessions).set(session.id, session) })
  } else if (!known || event.seq > known.lastSeq) {
    void refresh(event.sessionId)
  }
  if (event.type === 'permission.requested' || event.type === 'question.requested')
    void loadRequest(event.data.requestId)
  if (event.type === 'permission.resolved' || event.type === 'question.resolved')
    forgetRequest(event.data.requestId)
}

async function refresh(sessionId: string): Promise<void> {
  const { session } = await client.getSession({ params: { id: sessionId } })
  change({ sessions: newest([session], state.sessions.values()) })
}

async function loadRequest(id: string): Promise<void> {
  heard.set(id, 'requested')
  const { request } = await client.getRequest({ params: { id } })
  // It may have been answered while it was asked for.
  if (request.state === 'resolved' || heard.get(id) === 'resolved') return
  change({ requests: new Map(state.requests).set(id, request) })
}

export function forgetRequest(id: string): void {
  heard.set(id, 'resolved')
  const requests = new Map(state.requests)
  if (requests.delete(id)) change({ requests })
}

let leave: AbortController | null = null

/** Follows one session with every fragment of what is being written; null follows none. */
export function openSession(id: string | null): void {
  if (state.open?.id === id) return
  leave?.abort()
  leave = null
  if (id === null) return change({ open: null })
  leave = new AbortController()
  change({ open: { id, session: null, transcript: emptyTranscript } })
  void followSession(id, leave.signal)
}

async function followSession(id: string, signal: AbortSignal): Promise<void> {
  let waiting: (SessionEvent | Delta)[] = []
  // Many fragments come between two pictures; they are shown together.
  const show = () => {
    const events = waiting
    waiting = []
    if (signal.aborted || state.open?.id !== id) return
    const session = events.reduce<Session | null>(applyEvent, state.open.session)
    change({ open: { id, session, transcript: extendTranscript(state.open.transcript, events) } })
  }
  try {
    for await (const { event } of client.events({ sessionId: id, after: 0, signal })) {
      if (waiting.push(event) === 1) setTimeout(show, 16)
    }
  } catch {
    change({ open: null })
  }
}
