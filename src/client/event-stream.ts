/** Follows events for as long as one wants, over any number of connections: nothing is missed, and the cursor deduplicates. */

import { HubError } from '../protocol/error.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import { SseParser } from './sse-parser.js'

/** An event, with the place to go on from; a fragment has none. */
export interface StreamItem {
  cursor: number | null
  event: SessionEvent | Delta
}

/** Events between the two are no longer there. */
export interface StreamGap {
  after: number
  next: number
}

/** The part of a stream of bytes that is needed here. */
export interface ByteSource {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> }
}

export type StreamState = 'connecting' | 'live' | 'waiting'

export interface EventStreamOptions {
  /** Goes on behind this place. Without it: only what is new. */
  after?: number
  signal?: AbortSignal
  onState?(state: StreamState): void
  /** Missed events are not available any more; the caller must reload its state. */
  onGap?(gap: StreamGap): void
}

const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 5_000
/** The server says something at least every 15 seconds; after this much silence the connection is dead. */
const SILENCE_MS = 40_000

/** Ends when `signal` aborts; throws what trying again will not change, such as a login that is not valid. */
export async function* followEvents(
  connect: (headers: Record<string, string>, signal: AbortSignal) => Promise<{ body: ByteSource | null }>,
  { after, signal, onState, onGap }: EventStreamOptions = {},
  firstWaitMs = FIRST_WAIT_MS,
): AsyncGenerator<StreamItem> {
  let cursor = after
  let failures = 0
  for (;;) {
    if (signal?.aborted) return
    onState?.('connecting')
    const connection = new AbortController()
    const abort = () => connection.abort()
    signal?.addEventListener('abort', abort)
    try {
      const response = await connect(
        cursor === undefined ? {} : { 'last-event-id': String(cursor) },
        connection.signal,
      )
      onState?.('live')
      failures = 0
      for await (const item of readItems(response, connection)) {
        if ('gap' in item) {
          cursor = item.gap.next - 1
          onGap?.(item.gap)
          continue
        }
        cursor = item.cursor ?? cursor
        yield item
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof HubError && error.code !== 'daemon_unreachable') throw error
    } finally {
      signal?.removeEventListener('abort', abort)
      connection.abort()
    }
    onState?.('waiting')
    await pause(Math.min(firstWaitMs * 2 ** failures, MAX_WAIT_MS), signal)
    failures += 1
  }
}

async function* readItems(
  { body }: { body: ByteSource | null },
  connection: AbortController,
): AsyncGenerator<StreamItem | { gap: StreamGap }> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = new SseParser()
  for (;;) {
    const silence = setTimeout(() => connection.abort(), SILENCE_MS)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    for (const { id, event, data } of parser.push(decoder.decode(value, { stream: true }))) {
      if (event === 'gap') yield { gap: JSON.parse(data) as StreamGap }
      // Other kinds are of a later version.
      if (event !== undefined) continue
      // Sent by a server that has checked it; the reducers tolerate events that this version does not know.
      yield { cursor: id === undefined ? null : Number(id), event: JSON.parse(data) as SessionEvent | Delta }
    }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}
