/** Events as they happen, over server-sent events: replay from a cursor, then live. */

import type { ServerResponse } from 'node:http'
import type { Journal, Published } from '../journal.js'

const HEARTBEAT_MS = 15_000
const RETRY_MS = 1_000
/** A reader that is this far behind gets no more until it has read; what it misses meanwhile it gets from the store. */
const MAX_WAITING_BYTES = 1024 * 1024
/** A reader that has not read for this long is let go; it can come back with its cursor. */
const STALLED_MS = 30_000

export interface StreamOptions {
  sessionId?: string
  /** Goes on behind this place. */
  after: number
  hasDeltas: boolean
}

/** Takes over the response. Returns a function that ends the stream. */
export function streamEvents(response: ServerResponse, journal: Journal, options: StreamOptions): () => void {
  const { sessionId, after, hasDeltas } = options
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.write(`retry: ${RETRY_MS}\n\n`)

  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS)
  const subscription = journal.subscribe({
    ...(sessionId !== undefined && { sessionId }),
    after,
    deliver: (items) => {
      for (const item of items) {
        if (item.position === undefined && !hasDeltas) continue
        response.write(sessionId === undefined ? frames.ofAll(item) : frames.ofSession(item))
      }
    },
    isFull: () => response.writableLength > MAX_WAITING_BYTES,
    ready: () => drained(response),
    onError: () => response.destroy(),
  })

  let isEnded = false
  const end = () => {
    if (isEnded) return
    isEnded = true
    clearInterval(heartbeat)
    subscription.close()
    response.end()
  }
  response.on('close', end)
  return end
}

/** Resolves when the reader has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const stalled = setTimeout(() => response.destroy(), STALLED_MS)
    const done = () => {
      clearTimeout(stalled)
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

/** Each event is put into words once, for all its readers. */
const frames = {
  ofAll: once((item: Published) => frame(item, item.position)),
  ofSession: once((item: Published) => frame(item, 'seq' in item.event ? item.event.seq : undefined)),
}

function frame({ event }: Published, id: number | undefined): Buffer {
  const line = `data: ${JSON.stringify(event)}\n\n`
  return Buffer.from(id === undefined ? line : `id: ${id}\n${line}`)
}

function once(make: (item: Published) => Buffer): (item: Published) => Buffer {
  const made = new WeakMap<Published, Buffer>()
  return (item) => {
    const known = made.get(item)
    if (known) return known
    const buffer = make(item)
    made.set(item, buffer)
    return buffer
  }
}
