/** A record of everything that goes to and comes from the SDK, one file a day, with secrets redacted. */

import { createWriteStream, existsSync, mkdirSync, type WriteStream } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.js'
import { dayFile } from '../../lib/file/day-file.js'
import { redactJsonText } from '../../lib/redact/redact-json.js'

/** `externalId`: the caller's own id of the conversation. */
export interface LoggedSession {
  readonly id: string
  readonly externalId: string | null
}

export interface SdkLog {
  /** Returns at once; lines that cannot be written are counted, and the next written line reports the count. */
  write(session: LoggedSession, direction: 'input' | 'output', data: unknown): void
  close(): Promise<void>
}

export interface SdkLogOptions {
  folder: string
  /** `sessionId` is then the caller's own id, where a session has one, and ours is `signalboxId`. */
  hasCallerIds?: boolean
  clock: Clock
  /** Long texts take several turns of the event loop. */
  redact(text: string): Promise<string>
  /** Called once when lines can no longer be written. */
  onFault?(error: unknown): void
}

/** Past this much unwritten text the disk is too slow, and lines are left out rather than kept in memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** A client waits for the message, so the log line is written later: latency of the answer comes first. */
const WAIT_MS = 100
const LINES_AT_ONCE = 20
/** Lines whose secrets are not redacted yet. */
const MAX_WAITING_LINES = 10_000

interface Line {
  timestamp: string
  sessionId: string
  externalId?: string
  signalboxId?: string
  direction: 'input' | 'output'
  data: unknown
}

export function createSdkLog(options: SdkLogOptions): SdkLog {
  const { folder, hasCallerIds = false, clock, redact, onFault = () => {} } = options
  let hasReported = false
  let current: { day: string; stream: WriteStream } | null = null
  let lost = 0
  const waiting: Line[] = []
  let count = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null

  function report(cause: unknown): void {
    if (hasReported) return
    hasReported = true
    onFault(
      new Error(`The log of the SDK in ${folder} cannot be written. Lines are missing from it.`, { cause }),
    )
  }

  /** A file that was deleted takes what is written to it along. */
  function reopenIfDeleted(): void {
    if (!current || current.stream.pending || existsSync(current.stream.path)) return
    current.stream.end()
    current = null
  }

  function streamOf(day: string): WriteStream | null {
    if (current?.day === day) return current.stream
    current?.stream.end()
    current = null
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    } catch (error) {
      report(error)
      return null
    }
    const stream = createWriteStream(dayFile(folder, 'sdk', day), { flags: 'a', mode: 0o600 })
    // A disk that is full must not end the daemon; the stream is opened again with the next line.
    stream.on('error', (error) => {
      lost += 1
      report(error)
      if (current?.stream === stream) current = null
    })
    current = { day, stream }
    return stream
  }

  async function writeLine({ data, ...line }: Line): Promise<void> {
    try {
      const missing = lost
      const json = JSON.stringify({ ...line, ...(missing > 0 && { lost: missing }), data })
      const text = await redactJsonText(json, redact)
      const stream = streamOf(line.timestamp.slice(0, 10))
      if (!stream || stream.writableLength > MAX_WAITING_BYTES) {
        lost += 1
        return
      }
      stream.write(`${text}\n`)
      lost -= missing
    } catch {
      lost += 1 // A circular value or a BigInt cannot be serialised as JSON.
    }
  }

  /** One after the other, some at a time: others have their turn in between. */
  async function writeAll(): Promise<void> {
    reopenIfDeleted()
    for (let line = waiting.shift(); line; line = waiting.shift()) {
      await writeLine(line)
      count += 1
      if (count % LINES_AT_ONCE === 0) await turn()
    }
  }

  /** Started once for all that waits; ends when nothing does. */
  function begin(): void {
    writing ??= writeAll().finally(() => {
      writing = null
    })
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
      if (waiting.length >= MAX_WAITING_LINES) {
        lost += 1
        return
      }
      const timestamp = new Date(clock.now()).toISOString()
      waiting.push({ timestamp, ...idsOf(session), direction, data })
      timer ??= setTimeout(() => {
        timer = null
        begin()
      }, WAIT_MS)
    },
    async close() {
      if (timer) clearTimeout(timer)
      timer = null
      while (waiting.length > 0 || writing) {
        begin()
        await writing
      }
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
