/** Events as they happen, over server-sent events. */

import type { ServerResponse } from 'node:http'
import type { Journal } from '../../journal/journal.js'
import { type FeedOptions, openFeed } from './feed.js'
import { sseGap } from './frame.js'
import type { FlushScheduler } from './write-batcher.js'

const HEARTBEAT_MS = 15_000
const RETRY_MS = 1_000
const HEARTBEAT = Buffer.from(': still here\n\n')

export type StreamOptions = Omit<FeedOptions, 'format' | 'gapFrame'> & {
  /** Sent first: events that the reader has missed. */
  gap: { after: number; next: number } | null
}

/** Takes over the response. Returns a function that ends the stream. */
export function streamEvents(
  response: ServerResponse,
  journal: Journal,
  flushes: FlushScheduler,
  { gap, ...filter }: StreamOptions,
): () => void {
  // Without chunks, the body ends with the connection, and the same bytes can be written to every socket.
  response.removeHeader('transfer-encoding')
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  response.flushHeaders()
  const { socket } = response
  if (!socket || socket.destroyed) return () => {}
  socket.setNoDelay(true)
  socket.setTimeout(0)
  socket.write(`retry: ${RETRY_MS}\n\n`)
  if (gap) socket.write(sseGap(gap))

  const heartbeat = setInterval(() => {
    if (socket.writableLength === 0) socket.write(HEARTBEAT)
  }, HEARTBEAT_MS)
  const endFeed = openFeed(socket, journal, flushes, {
    ...filter,
    format: {
      encoding: 'sse',
      cursor: filter.sessionIds?.length === 1 ? 'seq' : 'position',
    },
    gapFrame: sseGap,
  })

  let isEnded = false
  const end = () => {
    if (isEnded) return
    isEnded = true
    clearInterval(heartbeat)
    endFeed()
    response.end()
  }
  response.on('close', end)
  return end
}
