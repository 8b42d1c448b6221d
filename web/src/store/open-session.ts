/** Follows one session with every fragment of what is being written. Of a long log only the end is read at first. */

import {
  applyEvent,
  type Delta,
  emptyTranscript,
  extendTranscript,
  type Session,
  type SessionEvent,
} from '../../../src/protocol/index.js'
import { change, client, current, type OpenSession } from './state.js'

/** About one screen-height of work for a person to scroll through before older events are needed. */
const TAIL_EVENTS = 800
const PAGE_EVENTS = 1_000
const SHOW_MS = 16

let leave: AbortController | null = null

/** Null follows none. */
export function openSession(id: string | null): void {
  if (current().open?.id === id || (id === null && current().open === null)) return
  leave?.abort()
  leave = null
  if (id === null) return change({ open: null })
  leave = new AbortController()
  const empty = { transcript: emptyTranscript, events: [], hasOlder: false, isLoadingOlder: false }
  change({ open: { id, session: null, ...empty } })
  void followSession(id, leave.signal)
}

async function followSession(id: string, signal: AbortSignal): Promise<void> {
  try {
    const { session } = await client.getSession({ params: { id } })
    if (signal.aborted) return
    const after = Math.max(0, session.lastSeq - TAIL_EVENTS)
    const tail = after === 0 ? null : session
    changeOpen(id, (open) => ({ ...open, session: tail, hasOlder: after > 0 }))
    let waiting: (SessionEvent | Delta)[] = []
    // Many fragments come between two pictures; they are shown together.
    const show = () => {
      const events = waiting
      waiting = []
      if (!signal.aborted) changeOpen(id, (open) => extend(open, events))
    }
    for await (const { event } of client.events({ sessionId: session.id, after, signal })) {
      if (waiting.push(event) === 1) setTimeout(show, SHOW_MS)
    }
  } catch {
    if (!signal.aborted) change({ open: null })
  }
}

function extend(open: OpenSession, fresh: readonly (SessionEvent | Delta)[]): OpenSession {
  const stored = fresh.filter((event): event is SessionEvent => 'seq' in event)
  return {
    ...open,
    session: fresh.reduce(applyNew, open.session),
    transcript: extendTranscript(open.transcript, fresh),
    events: stored.length > 0 ? [...open.events, ...stored] : open.events,
  }
}

/** The snapshot that a long log begins with has seen the events of its end already. */
function applyNew(session: Session | null, event: SessionEvent | Delta): Session | null {
  if (session && 'seq' in event && event.seq <= session.lastSeq) return session
  return applyEvent(session, event)
}

/** Reads the page of events before those that are here. */
export async function loadOlder(): Promise<void> {
  const { open } = current()
  const first = open?.events[0]?.seq
  if (!open?.hasOlder || open.isLoadingOlder || first === undefined) return
  changeOpen(open.id, (now) => ({ ...now, isLoadingOlder: true }))
  const after = Math.max(0, first - 1 - PAGE_EVENTS)
  try {
    const { events: older } = await client.listEvents({
      params: { id: open.id },
      query: { after, limit: first - 1 - after },
    })
    changeOpen(open.id, (now) => {
      const events = [...older, ...now.events]
      const writing = now.transcript.items.filter((item) => 'isWriting' in item && item.isWriting)
      const transcript = extendTranscript(emptyTranscript, events)
      const items = [...transcript.items, ...writing.filter(({ id }) => !transcript.places.has(id))]
      const places = new Map(items.map((item, place) => [item.id, place]))
      return {
        ...now,
        events,
        transcript: { ...transcript, items, places },
        hasOlder: after > 0,
        isLoadingOlder: false,
      }
    })
  } catch {
    changeOpen(open.id, (now) => ({ ...now, isLoadingOlder: false }))
  }
}

function changeOpen(id: string, make: (open: OpenSession) => OpenSession): void {
  const { open } = current()
  if (open?.id === id) change({ open: make(open) })
}
