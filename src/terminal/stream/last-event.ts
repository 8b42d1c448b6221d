/** Reads the newest event of a stream from its end. */

import { readSync } from 'node:fs'
import type { LastEvent } from '../../protocol/terminal/hook-status.js'
import { decodeLine } from './decode.js'
import { NO_SESSION } from './event.js'
import { closeQuietly, listSiblings, openFile } from './stream-file.js'

const TAIL_BYTES = 1 << 20

/** Null if there is none near the end of the stream or of the last rotated file. */
export function lastEvent(path: string): LastEvent | null {
  const places = [path, listSiblings(path).at(-1)?.path].filter((place) => place !== undefined)
  for (const place of places) {
    const found = lastIn(place)
    if (found) return found
  }
  return null
}

function lastIn(path: string): LastEvent | null {
  const opened = openFile(path)
  if (!opened) return null
  try {
    const size = Number(opened.stats.size)
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
    readSync(opened.file, bytes, 0, bytes.length, size - bytes.length)
    for (const line of bytes.toString('utf8').split('\n').toReversed()) {
      const decoded = decodeLine(line)
      // Lines without a session come from older hooks, and do not show that ours fires.
      if (decoded.kind !== 'event' || decoded.event.sessionId === NO_SESSION) continue
      const { event } = decoded
      const { occurredAtIso, sessionId } = event
      const eventType = event.eventType === 'other' ? event.kind : event.eventType
      return { eventType, phase: 'phase' in event ? event.phase : null, occurredAtIso, sessionId }
    }
    return null
  } finally {
    closeQuietly(opened.file)
  }
}
