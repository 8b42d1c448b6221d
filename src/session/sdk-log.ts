/** A record of everything that goes to and comes from the SDK, one file a day, with secrets taken out. */

import { createWriteStream, mkdirSync, readdirSync, rmSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.js'

/** `externalId`: the caller's own id of the conversation. */
export interface LoggedSession {
  readonly id: string
  readonly externalId: string | null
}

export interface SdkLog {
  /** Returns at once; what can not be written is counted and told in the next line that can. */
  write(session: LoggedSession, direction: 'input' | 'output', data: unknown): void
  close(): Promise<void>
}

export interface SdkLogOptions {
  folder: string
  /** `sessionId` is then the caller's own id, where a session has one, and ours is `signalboxId`. */
  hasCallerIds?: boolean
  clock: Clock
  redact(text: string): string
}

/** Past this much unwritten text the disk is too slow, and lines are left out rather than kept in memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** When a message has come, somebody waits for what follows it, first of all for the answer: it is written down later. */
const WAIT_MS = 100
const LINES_AT_ONCE = 20

interface Line {
  timestamp: string
  sessionId: string
  externalId?: string
  signalboxId?: string
  direction: 'input' | 'output'
  data: unknown
}

export function createSdkLog({ folder, hasCallerIds = false, clock, redact }: SdkLogOptions): SdkLog {
  let current: { day: string; stream: WriteStream } | null = null
  let lost = 0
  let waiting: Line[] = []
  let isPlanned = false

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

  function writeLine({ data, ...line }: Line): void {
    const stream = streamOf(line.timestamp.slice(0, 10))
    if (!stream || stream.writableLength > MAX_WAITING_BYTES) {
      lost += 1
      return
    }
    try {
      stream.write(`${redact(JSON.stringify({ ...line, ...(lost > 0 && { lost }), data }))}\n`)
      lost = 0
    } catch {
      lost += 1 // What can not be written as JSON.
    }
  }

  /** Some now, and the rest when others have had their turn. */
  function writeSome(): void {
    isPlanned = waiting.length > LINES_AT_ONCE
    for (const line of waiting.splice(0, LINES_AT_ONCE)) writeLine(line)
    if (isPlanned) setImmediate(writeSome)
  }

  function idsOf({ id, externalId }: LoggedSession): Pick<Line, 'sessionId' | 'externalId' | 'signalboxId'> {
    if (externalId === null) return { sessionId: id }
    return hasCallerIds
      ? { sessionId: externalId, externalId, signalboxId: id }
      : { sessionId: id, externalId }
  }

  return {
    write(session, direction, data) {
      if (isFragment(data)) return
      const timestamp = new Date(clock.now()).toISOString()
      waiting.push({ timestamp, ...idsOf(session), direction, data })
      if (isPlanned) return
      isPlanned = true
      setTimeout(writeSome, WAIT_MS)
    },
    async close() {
      for (const line of waiting) writeLine(line)
      waiting = []
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

/** Deletes the files of days before this moment, of which `retention` wants nothing any more. */
export function pruneSdkLogs(folder: string, before: string): void {
  const day = before.slice(0, 10)
  for (const name of namesIn(folder)) {
    const [, written] = /^sdk-(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name) ?? []
    if (written !== undefined && written < day) rmSync(join(folder, name), { force: true })
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // Nothing has been written yet.
  }
}
