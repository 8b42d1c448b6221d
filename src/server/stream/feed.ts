/** Sends events of the journal to one socket: replay from a cursor, then live, with bounded memory for a slow client. */

import type { EventTranslator } from '../../dialect/event-translator.js'
import type { Journal, Published } from '../../journal/journal.js'
import { deltaTypes, type EventType, eventTypes } from '../../protocol/event/event.js'
import type { Requested } from '../../protocol/request.js'
import type { ViewerRedaction } from '../auth/viewer-redaction.js'
import { type Format, frameOf, frameOfAll, frameWithoutPlace } from './frame.js'
import { BatchedWriter, type FlushScheduler, type Priority } from './write-batcher.js'

/** Backpressure: a reader that is this far behind gets no more until it has read; what it misses meanwhile it gets from the store. */
const MAX_WAITING_BYTES = 1024 * 1024
/** A reader that has taken nothing for this long is let go; it can come back with its cursor. */
const STALLED_MS = 30_000

/** The subscriber's choice of events. */
export interface StreamFilter {
  /** These sessions; without it, all. */
  sessionIds?: readonly string[] | undefined
  /** Goes on behind this place. */
  after: number
  types?: readonly string[] | undefined
  hasDeltas: boolean
}

export interface FeedOptions extends StreamFilter {
  format: Format
  /** Translates events to another format, for this subscriber alone. */
  translator?: EventTranslator | undefined
  /** Requests that are pending now: in a dialect they are sent before what is new. */
  pending?: AsyncIterable<Requested> | undefined
  gapFrame(gap: { after: number; next: number }): Buffer
  /** For a reader who may only look. */
  redaction?: ViewerRedaction | null
  stalledMs?: number
}

/** The socket, as far as a feed needs it. */
export interface FeedSocket {
  readonly destroyed: boolean
  readonly writableLength: number
  readonly writableNeedDrain: boolean
  write(data: Buffer): boolean
  cork(): void
  uncork(): void
  destroy(): void
  on(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

/** Users wait for requests, their answers and the end of a turn. */
const URGENT: ReadonlySet<string> = new Set<EventType>([
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
  'turn.ended',
])

/** With these a turn begins: one after the other, and nothing to see in them before the first fragment. */
const PATIENT: ReadonlySet<string> = new Set<EventType>([
  'message.queued',
  'message.delivered',
  'session.started',
  'session.changed',
  'turn.started',
])

function priorityOf(items: readonly Published[]): Priority {
  if (items.some(({ event }) => URGENT.has(event.type))) return 'urgent'
  return items.every(({ event }) => PATIENT.has(event.type)) ? 'low' : 'normal'
}

/** Returns a function that ends the feed and leaves the socket open. */
export function openFeed(
  socket: FeedSocket,
  journal: Journal,
  flushes: FlushScheduler,
  options: FeedOptions,
): () => void {
  const {
    sessionIds,
    after,
    types,
    format,
    translator,
    gapFrame,
    redaction,
    stalledMs = STALLED_MS,
  } = options
  let isClosed = false
  const writer = new BatchedWriter(socket, flushes)
  const wants = filterFor(options)
  const [sessionId] = sessionIds?.length === 1 ? sessionIds : []
  /** While long events are being redacted, what comes behind them waits: for its turn here, or in the store. */
  let redacting: Promise<void> | null = null
  const isFull = () => redacting !== null || writer.length > MAX_WAITING_BYTES
  const ready = async () => {
    for (let own = redacting; own; own = redacting) await own
    writer.flush()
    await drained(socket, stalledMs)
  }
  const send = (items: readonly Published[]) => {
    if (isClosed || items.length === 0) return
    const frames = items.map((item) =>
      translator ? frameOfAll(translator(item.event), item, format) : frameOf(item, format),
    )
    writer.write(frames, priorityOf(items))
  }
  const sendRedacted = (items: readonly Published[], by: ViewerRedaction) => {
    const made = redacting ? [] : items.map((item) => by.item(item)).filter((item) => item !== null)
    if (!redacting && made.length === items.length) return send(made)
    const before = redacting ?? Promise.resolve()
    const own = before.then(async () => {
      for (const item of items) send([by.item(item) ?? (await by.longItem(item))])
    })
    const current: Promise<void> = own
      .catch(() => socket.destroy())
      .finally(() => {
        if (redacting === current) redacting = null
      })
    redacting = current
  }
  /** Requests that were sent as pending. One that was raised meanwhile is in the journal too, and is sent once. */
  const sent = new Set<string>()
  const sendPending = async (pending: AsyncIterable<Requested>, tell: EventTranslator) => {
    for await (const event of pending) {
      if (isClosed) return
      const item = { position: after, event }
      if (!wants(item)) continue
      sent.add(event.data.requestId)
      const shown = redaction ? await redaction.longItem(item) : item
      if (isClosed) return
      writer.write([frameWithoutPlace(tell(shown.event), format)], 'urgent')
      if (isFull()) await ready()
    }
  }
  const follow = () =>
    journal.subscribe({
      ...(sessionId !== undefined && { sessionId }),
      ...(types && { types: eventTypes.filter((type) => types.includes(type)) }),
      after,
      deliver(items) {
        const wanted = items.filter((item) => wants(item) && !isSent(item, sent))
        if (redaction) sendRedacted(wanted, redaction)
        else send(wanted)
      },
      onGap: (gap) => writer.write([gapFrame(gap)]),
      isFull,
      ready,
      onError: () => socket.destroy(),
    })
  let subscription: { close(): void } | null = null
  if (options.pending && translator) {
    sendPending(options.pending, translator).then(
      () => {
        if (!isClosed) subscription = follow()
      },
      () => socket.destroy(),
    )
  } else subscription = follow()
  return () => {
    isClosed = true
    subscription?.close()
    writer.close()
  }
}

function isSent({ event }: Published, sent: ReadonlySet<string>): boolean {
  if (event.type !== 'permission.requested' && event.type !== 'question.requested') return false
  return sent.has(event.data.requestId)
}

function filterFor({ sessionIds, types, hasDeltas, redaction }: FeedOptions): (item: Published) => boolean {
  const sessions = sessionIds && new Set(sessionIds)
  // A secret that comes in pieces is not recognised: who may only look waits for the whole.
  const deltas: ReadonlySet<string> = new Set(hasDeltas && !redaction ? deltaTypes : [])
  const wanted = types && new Set(types)
  return ({ position, event }) => {
    if (sessions && !sessions.has(event.sessionId)) return false
    if (wanted && !wanted.has(event.type)) return false
    return position !== undefined || deltas.has(event.type)
  }
}

/** Resolves when the reader has taken what was written, or is gone. */
function drained(socket: FeedSocket, stalledMs: number): Promise<void> {
  if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let left = socket.writableLength
    // A slow reader is not a stalled one: what counts is whether it takes anything.
    const watch = setInterval(() => {
      if (socket.writableLength >= left) socket.destroy()
      left = socket.writableLength
    }, stalledMs)
    const done = () => {
      clearInterval(watch)
      socket.off('drain', done)
      socket.off('close', done)
      resolve()
    }
    socket.on('drain', done)
    socket.on('close', done)
  })
}
