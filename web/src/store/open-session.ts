/** Follows the open session with all deltas. Only the end of a long log is loaded at first. */

import {
  applyEvent,
  type Delta,
  emptyTranscript,
  extendTranscript,
  HubError,
  type Session,
  type SessionEvent,
} from '../../../src/protocol/index.js'
import { client, getState, type OpenSession, setState } from './state.js'
import { isUnreachable } from './unreachable.js'

/** Enough to fill a screen several times before older events have to be loaded. */
const TAIL_EVENTS = 800
const PAGE_EVENTS = 1_000
const FLUSH_MS = 16
const RETRY_MS = 1_000

let subscription: AbortController | null = null

/** Null closes the open session. */
export function openSession(id: string | null): void {
  if (getState().open?.id === id || (id === null && getState().open === null)) return
  subscription?.abort()
  subscription = null
  if (id === null) return setState({ open: null })
  subscription = new AbortController()
  const empty = { transcript: emptyTranscript, events: [], hasOlder: false, isLoadingOlder: false }
  setState({ open: { id, session: null, ...empty } })
  void followSession(id, subscription.signal)
}

async function followSession(id: string, signal: AbortSignal): Promise<void> {
  try {
    const session = await loadSession(id, signal)
    if (!session) return
    const after = Math.max(0, session.lastSeq - TAIL_EVENTS)
    const tail = after === 0 ? null : session
    updateOpen(id, (open) => ({ ...open, session: tail, hasOlder: after > 0 }))
    let pending: (SessionEvent | Delta)[] = []
    // Coalesce: deltas that arrive within one frame cause one render.
    const flush = () => {
      const events = pending
      pending = []
      if (!signal.aborted) updateOpen(id, (open) => extend(open, events))
    }
    for await (const { event } of client.events({ sessionId: session.id, after, signal })) {
      if (pending.push(event) === 1) setTimeout(flush, FLUSH_MS)
    }
  } catch (error) {
    if (signal.aborted) return
    if (error instanceof HubError && error.code !== 'internal_error')
      updateOpen(id, (open) => ({ ...open, session: null, isMissing: true }))
    else setState({ open: null })
  }
}

/** Retries while the daemon is unreachable, so that a session opened during a restart does not stay empty. */
async function loadSession(id: string, signal: AbortSignal): Promise<Session | null> {
  while (!signal.aborted) {
    try {
      const { session } = await client.getSession({ params: { id } })
      return signal.aborted ? null : session
    } catch (error) {
      if (!isUnreachable(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
  return null
}

function extend(open: OpenSession, fresh: readonly (SessionEvent | Delta)[]): OpenSession {
  const stored = fresh.filter((event): event is SessionEvent => 'seq' in event)
  return {
    ...open,
    session: fresh.reduce(applyUnseen, open.session),
    transcript: extendTranscript(open.transcript, fresh),
    events: stored.length > 0 ? [...open.events, ...stored] : open.events,
  }
}

/** Skips events that the snapshot of a long session already contains. */
function applyUnseen(session: Session | null, event: SessionEvent | Delta): Session | null {
  if (session && 'seq' in event && event.seq <= session.lastSeq) return session
  return applyEvent(session, event)
}

/** Loads the page of events before the first loaded one. */
export function loadOlder(): Promise<void> {
  return loadOlderUpTo(PAGE_EVENTS)
}

/** Loads all events. The conversation is rebuilt once, not once for each page. */
export function loadAllOlder(): Promise<void> {
  return loadOlderUpTo(Number.POSITIVE_INFINITY)
}

/** Loads all events from a sequence number on. */
export async function loadFrom(seq: number): Promise<void> {
  const first = getState().open?.events[0]?.seq
  if (first !== undefined && first > seq) await loadOlderUpTo(first - seq)
}

async function loadOlderUpTo(count: number): Promise<void> {
  const { open } = getState()
  const first = open?.events[0]?.seq
  if (!open?.hasOlder || open.isLoadingOlder || first === undefined) return
  updateOpen(open.id, (latest) => ({ ...latest, isLoadingOlder: true }))
  const after = Math.max(0, first - 1 - count)
  try {
    const older = await eventsBetween(open.id, after, first)
    updateOpen(open.id, (latest) => {
      const events = [...older, ...latest.events]
      const writing = latest.transcript.items.filter((item) => 'isWriting' in item && item.isWriting)
      const transcript = extendTranscript(emptyTranscript, events)
      const items = [...transcript.items, ...writing.filter(({ id }) => !transcript.places.has(id))]
      const places = new Map(items.map((item, index) => [item.id, index]))
      return {
        ...latest,
        events,
        transcript: { ...transcript, items, places },
        hasOlder: after > 0,
        isLoadingOlder: false,
      }
    })
  } catch {
    updateOpen(open.id, (latest) => ({ ...latest, isLoadingOlder: false }))
  }
}

/** A page has fewer events than asked for where they are large. */
async function eventsBetween(id: string, after: number, before: number): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (let cursor: number | null = after; cursor !== null && cursor < before - 1; ) {
    const page: { events: SessionEvent[]; nextCursor: number | null } = await client.listEvents({
      params: { id },
      query: { after: cursor, limit: Math.min(PAGE_EVENTS, before - 1 - cursor) },
    })
    all.push(...page.events)
    cursor = page.nextCursor
  }
  return all
}

function updateOpen(id: string, make: (open: OpenSession) => OpenSession): void {
  const { open } = getState()
  if (open?.id === id) setState({ open: make(open) })
}
