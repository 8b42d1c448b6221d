/** Speeds up the replay of a long stream: recognises lines of sessions that ended long ago without parsing them. */

import { readSync } from 'node:fs'
import { closeQuietly, listSiblings, openFile } from './stream-file.js'

const ENDED = Buffer.from('"eventType":"session.lifecycle","phase":"ended","occurredAtIso":"')
const TIME = '"occurredAtIso":"'
const SESSION = '","sessionId":"'
/** `2026-02-18T13:10:00.000Z`. Only timestamps of this format can be compared as strings. */
const TIME_LENGTH = 24
const CHUNK_BYTES = 4 << 20
/** Overlap of two chunks, larger than the part of a line that is read, so that no line between them is missed. */
const OVERLAP_BYTES = 512

/** Whether a line belongs to a session that ended before the limit, and is not later than that end. */
export type IsOld = (line: string) => boolean

/**
 * Searches the stream and its rotated files for sessions that ended before `time`. Lines of another format are never
 * old.
 */
export function findOld(path: string, time: number): IsOld {
  const limit = new Date(time).toISOString()
  const ended = new Map<string, string>()
  for (const file of [...listSiblings(path).map((sibling) => sibling.path), path])
    collectEnds(file, limit, ended)
  if (ended.size === 0) return () => false
  return (line) => {
    const at = line.indexOf(TIME)
    if (at < 0 || at > 200) return false
    const from = at + TIME.length
    const to = from + TIME_LENGTH
    if (!line.startsWith(SESSION, to)) return false
    const start = to + SESSION.length
    const end = ended.get(line.slice(start, line.indexOf('"', start)))
    return end !== undefined && line.slice(from, to) <= end
  }
}

function collectEnds(path: string, limit: string, ended: Map<string, string>): void {
  const opened = openFile(path)
  if (!opened) return
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  try {
    for (let offset = 0; ; offset += CHUNK_BYTES - OVERLAP_BYTES) {
      const length = readSync(opened.file, chunk, 0, CHUNK_BYTES, offset)
      const bytes = chunk.subarray(0, length)
      // Lines are in order, so nothing from here on is old. A late line is simply parsed.
      if (firstTime(bytes) >= limit) return
      collectFrom(bytes, limit, ended)
      if (length < CHUNK_BYTES) return
    }
  } finally {
    closeQuietly(opened.file)
  }
}

function firstTime(bytes: Buffer): string {
  const at = bytes.indexOf(TIME)
  return at < 0 ? '' : bytes.toString('latin1', at + TIME.length, at + TIME.length + TIME_LENGTH)
}

function collectFrom(bytes: Buffer, limit: string, ended: Map<string, string>): void {
  for (let at = bytes.indexOf(ENDED); at >= 0; at = bytes.indexOf(ENDED, at + 1)) {
    const from = at + ENDED.length
    const text = bytes.toString('latin1', from, from + OVERLAP_BYTES - ENDED.length)
    const time = text.slice(0, TIME_LENGTH)
    if (!text.startsWith(SESSION, TIME_LENGTH) || time >= limit) continue
    const start = TIME_LENGTH + SESSION.length
    const end = text.indexOf('"', start)
    if (end < 0) continue
    const session = text.slice(start, end)
    if ((ended.get(session) ?? '') < time) ended.set(session, time)
  }
}
