/** A record of everything that goes to and comes from the SDK, one file a day, with secrets taken out. */

import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.js'

export interface SdkLog {
  /** Returns at once; what can not be written is counted and told in the next line that can. */
  write(sessionId: string, direction: 'input' | 'output', data: unknown): void
  close(): Promise<void>
}

export interface SdkLogOptions {
  folder: string
  clock: Clock
  redact(text: string): string
}

/** Past this much unwritten text the disk is too slow, and lines are left out rather than kept in memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

export function createSdkLog({ folder, clock, redact }: SdkLogOptions): SdkLog {
  let current: { day: string; stream: WriteStream } | null = null
  let lost = 0

  function streamOf(day: string): WriteStream | null {
    if (current?.day === day) return current.stream
    current?.stream.end()
    current = null
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    } catch {
      return null
    }
    const stream = createWriteStream(join(folder, `sdk-${day}.jsonl`), { flags: 'a', mode: 0o600 })
    // A disk that is full must not end the daemon; the stream is opened again with the next line.
    stream.on('error', () => {
      lost += 1
      if (current?.stream === stream) current = null
    })
    current = { day, stream }
    return stream
  }

  return {
    write(sessionId, direction, data) {
      if (isFragment(data)) return
      const timestamp = new Date(clock.now()).toISOString()
      const stream = streamOf(timestamp.slice(0, 10))
      if (!stream || stream.writableLength > MAX_WAITING_BYTES) {
        lost += 1
        return
      }
      const line = { timestamp, sessionId, direction, ...(lost > 0 && { lost }), data }
      lost = 0
      stream.write(`${redact(JSON.stringify(line))}\n`)
    },
    async close() {
      const stream = current?.stream
      current = null
      if (stream) await new Promise<void>((resolve) => stream.end(resolve))
    },
  }
}

/** Fragments are left out: the whole message follows. */
function isFragment(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'stream_event'
}
