/** Decodes lines of a transcript. They are text from outside: ids are checked, and nesting is bounded. */

import { digest } from '../../lib/digest.js'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'

/** Performance: most of a transcript is copies of requests. Lines without any of these are not parsed. */
const WANTED = [
  '"type":"assistant"',
  '"type":"user"',
  '"type":"system"',
  '"type":"queued_command"',
  '"type":"custom-title"',
  '"type":"ai-title"',
  '"type":"summary"',
]
/** Copies of requests contain those of messages in them. */
const UNWANTED = ['{"type":"api-request', '{"type":"file-history', '{"type":"atis', '{"type":"last-prompt"']

/** A line of the Agent SDK: of a session that another program drives, such as Signalbox, which records it itself. */
const BY_SDK = /^sdk-(?:ts|py)$/

export function isByProgram(entrypoint: string | null): boolean {
  return BY_SDK.test(entrypoint ?? '')
}

export interface TranscriptLine {
  readonly fields: Loose
  readonly type: string
  /** Milliseconds since 1970; null without a time. */
  readonly at: number | null
  /** Identifies the line in all copies of the conversation. */
  readonly mark: number
}

/** Null for a line that is not needed, not JSON, or not written by a terminal. */
export function readLine(text: string): TranscriptLine | null {
  if (UNWANTED.some((start) => text.startsWith(start)) || !WANTED.some((mark) => text.includes(mark)))
    return null
  let fields: Loose
  try {
    fields = asRecord(JSON.parse(text))
  } catch {
    return null
  }
  const type = asText(fields['type'])
  if (type === null || isByProgram(asText(fields['entrypoint']))) return null
  return { fields, type, at: timeOf(fields['timestamp']), mark: markOf(asText(fields['uuid']) ?? text) }
}

const FIRST_DAY = Date.UTC(2020, 0)
const LAST_DAY = Date.UTC(2200, 0)

function timeOf(value: unknown): number | null {
  const time = Date.parse(asText(value) ?? '')
  return time >= FIRST_DAY && time < LAST_DAY ? time : null
}

/** 53 bits: small enough to be kept for each line, enough that two are never the same. */
function markOf(text: string): number {
  return Number.parseInt(digest(text).slice(0, 13), 16)
}

const ID = /^[A-Za-z0-9][\w.:-]{0,199}$/

/** An id as it is if it looks like one, otherwise one that is derived from it. */
export function idOf(value: unknown): string | null {
  const id = asText(value)
  if (id === null || id === '') return null
  return ID.test(id) ? id : `x${digest(id).slice(0, 32)}`
}

const MAX_DEPTH = 100

/** The value; a text in its place if it is nested so deeply that it cannot be serialised. */
export function bounded(value: unknown): unknown {
  let level: unknown[] = [value]
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
    if (level.length === 0) return value
  }
  return '[nested too deeply]'
}
