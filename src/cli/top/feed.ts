/**
 * Keeps the lists of `top` up to date. Events only mark what has changed; the data is read anew, so that nothing is missed after a
 * lost connection. The address of the daemon is read for each connection: after a restart it may have another port.
 */

import type { Client } from '../../client/client.js'
import { HubError } from '../../protocol/error.js'
import type { Delta, SessionEvent } from '../../protocol/event/event.js'
import type { Answer } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { emptyTranscript, extendTranscript } from '../../protocol/view/transcript.js'
import { pendingRequests } from '../all-requests.js'
import { allSessions } from '../all-sessions.js'
import { itemText } from '../output/transcript-text.js'
import { selectedSession, type TopState, withLists } from './state.js'

const RETRY_MS = 500
/** Backpressure: with many busy sessions the lists are read at most this often. */
const REFRESH_MS = 200
const TAIL_EVENTS = 300

export interface FeedDeps {
  /** Null while no daemon is known. */
  connect(): Client | null
  get(): TopState
  update(change: (state: TopState) => TopState): void
  signal: AbortSignal
}

export class Feed {
  readonly #deps: FeedDeps
  #client: Client | null = null
  readonly #changed = new Set<string>()
  #hasNewRequests = false
  #refreshing: Promise<void> | null = null

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** Resolves when `signal` aborts. */
  async run(): Promise<void> {
    const { signal, update } = this.#deps
    while (!signal.aborted) {
      try {
        await this.#follow()
      } catch (error) {
        if (!isUnreachable(error)) update((state) => ({ ...state, message: messageOf(error) }))
      }
      if (signal.aborted) return
      update((state) => ({ ...state, link: 'lost' }))
      await pause(RETRY_MS, signal)
    }
  }

  /** One connection, until it is lost. */
  async #follow(): Promise<void> {
    const { connect, signal } = this.#deps
    const client = connect()
    if (!client) return
    const lost = new AbortController()
    const end = () => lost.abort()
    signal.addEventListener('abort', end)
    try {
      const events = client.events({
        signal: lost.signal,
        onState: (state) => {
          if (state === 'waiting') end()
          if (state === 'live') void this.#load(client).catch(end)
        },
      })
      for await (const { event } of events) this.#note(event)
    } finally {
      signal.removeEventListener('abort', end)
      this.#client = null
    }
  }

  async #load(client: Client): Promise<void> {
    const [{ sessions }, requests] = await Promise.all([
      allSessions(client, { ended: 'false' }),
      pendingRequests(client),
    ])
    this.#client = client
    this.#deps.update((state) => ({ ...withLists(state, { sessions, requests }), link: 'live' }))
    this.showTail()
  }

  #note(event: SessionEvent | Delta): void {
    const isShown = event.sessionId === selectedSession(this.#deps.get())
    // Deltas matter only for the conversation that is shown.
    if (!('seq' in event) && !isShown) return
    this.#changed.add(event.sessionId)
    if (/^(?:permission|question|request)\./.test(event.type)) this.#hasNewRequests = true
    this.#refresh()
  }

  /** Reads the conversation of the selected session. */
  showTail(): void {
    const id = selectedSession(this.#deps.get())
    if (id === null) return
    this.#changed.add(id)
    this.#refresh()
  }

  /** One reading at a time; what changes meanwhile is read afterwards. */
  #refresh(): void {
    const client = this.#client
    if (this.#refreshing || !client) return
    this.#refreshing = this.#read(client)
      // Optional: the next event, or the next connection, reads it again.
      .catch(() => {})
      .then(() => pause(REFRESH_MS, this.#deps.signal))
      .then(() => {
        this.#refreshing = null
        if (this.#changed.size > 0 || this.#hasNewRequests) this.#refresh()
      })
  }

  async #read(client: Client): Promise<void> {
    const { get, update } = this.#deps
    const ids = [...this.#changed]
    const hasNewRequests = this.#hasNewRequests
    this.#changed.clear()
    this.#hasNewRequests = false
    const requests = hasNewRequests ? await pendingRequests(client) : null
    const read = await Promise.all(ids.map((id) => readSession(client, id)))
    const shown = read.find((session) => session?.id === selectedSession(get()))
    const text = shown ? await tailOf(client, shown) : null
    update((state) => {
      const kept = state.sessions.filter(({ id }) => !ids.includes(id))
      const fresh = read.filter((session) => session !== null).filter(({ state: now }) => now !== 'ended')
      const next = withLists(state, { sessions: [...kept, ...fresh], ...(requests && { requests }) })
      return shown && text !== null ? { ...next, tail: { sessionId: shown.id, text } } : next
    })
  }

  /** Sent once. If the connection is lost meanwhile, the lists show after the reconnect whether it counts. */
  async answer(requestId: string, body: Answer): Promise<void> {
    const { update } = this.#deps
    try {
      if (!this.#client) throw new HubError('daemon_unreachable', '')
      await this.#client.answerRequest({ params: { id: requestId }, body })
      // It counts as being answered until the lists no longer contain it.
      update((state) => ({ ...state, message: 'Answered.' }))
    } catch (error) {
      const message = isUnreachable(error)
        ? 'The connection was lost while answering. Check whether the request is still pending.'
        : messageOf(error)
      const others = (state: TopState) => [...state.answering].filter((id) => id !== requestId)
      update((state) => ({ ...state, message, answering: new Set(others(state)) }))
    }
    this.#hasNewRequests = true
    this.#refresh()
  }
}

async function readSession(client: Client, id: string): Promise<Session | null> {
  try {
    return (await client.getSession({ params: { id } })).session
  } catch (error) {
    // Deleted meanwhile.
    if (error instanceof HubError && error.code === 'session_not_found') return null
    throw error
  }
}

async function tailOf(client: Client, session: Session): Promise<string> {
  const { events } = await client.listEvents({
    params: { id: session.id },
    query: { after: Math.max(0, session.lastSeq - TAIL_EVENTS), limit: 1_000 },
  })
  const { items } = extendTranscript(emptyTranscript, events)
  const texts = items.flatMap((item) => itemText(item, { cwd: session.cwd, width: null }) ?? [])
  const { partial } = session
  return [...texts, ...(partial?.kind === 'text' ? [partial.text] : [])].join('\n') || 'Nothing yet.'
}

function isUnreachable(error: unknown): boolean {
  return error instanceof HubError && error.code === 'daemon_unreachable'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
