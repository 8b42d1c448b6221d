/**
 * Finds what was used in the bytes of a transcript. Most of it are copies of requests and tool outputs: only the few
 * bytes around each figure are looked at, and lines without one are never even cut.
 */

import { asCount, asRecord, asText, type Loose } from '../lib/read-json.js'
import type { Spent } from './price.js'

/**
 * The usage that one line reports for its message. A message has a line for each of its blocks, all with the
 * same figures.
 */
export interface UsedMessage extends Spent {
  /** Of the message and the request, so that copies in other files are known. */
  id: string
  model: string
  /** Since 1970. */
  hour: number
  day: string
}

// Inside a text the quotes would be escaped.
const USAGE = '"usage":{"input_tokens":'
const USAGE_BYTES = Buffer.from(USAGE)
const FOLDER_BYTES = Buffer.from('"cwd":"')

const LINE_END = 10
const HOUR_MS = 3_600_000

/** Calls `found` for each line with figures among the whole lines of `bytes`. */
export function scanTranscript(bytes: Buffer, found: (message: UsedMessage) => void): void {
  let last = ''
  for (let from = bytes.indexOf(USAGE_BYTES); from !== -1; ) {
    const end = bytes.indexOf(LINE_END, from)
    if (end === -1) return
    // Byte for byte: what is looked for is plain, and finding it in a text is much quicker than in bytes.
    const line = bytes.toString('latin1', bytes.lastIndexOf(LINE_END, from) + 1, end)
    const place = placeOf(line)
    // The blocks of a message follow each other, and mostly say the same.
    if (place !== null && place.key !== last) {
      const message = readMessage(line, place)
      if (message) found(message)
      last = place.key
    }
    from = bytes.indexOf(USAGE_BYTES, end)
  }
}

/** The folder that the first line with one names. */
export function folderIn(bytes: Buffer): string | null {
  const place = bytes.indexOf(FOLDER_BYTES)
  if (place === -1) return null
  const end = bytes.indexOf(LINE_END, place)
  return textAt(bytes.toString('utf8', place, end === -1 ? bytes.length : end), FOLDER_BYTES.length)
}

interface Place {
  /** Where the message begins. */
  message: number
  id: string
  usage: string
  /** The same for lines that say the same. */
  key: string
}

function placeOf(line: string): Place | null {
  if (!line.includes('"type":"assistant"')) return null
  const message = line.indexOf('"message":{')
  const id = textAfter(line, '"id":"', line.indexOf('"id":"', message))
  // The agent's text comes before the figures, so the last match is the real one.
  const usage = objectAt(line, line.lastIndexOf(USAGE) + USAGE.indexOf('{'))
  return id === null || usage === null ? null : { message, id, usage, key: `${id}${usage}` }
}

function readMessage(line: string, { message, id, usage }: Place): UsedMessage | null {
  const model = textAfter(line, '"model":"', line.indexOf('"model":"', message))
  const at = timeOf(textAfter(line, '"timestamp":"', line.lastIndexOf('"timestamp":"')) ?? '')
  const counts = parsed(usage)
  if (model === null || counts === null || at === null || model === '<synthetic>') return null
  const request = textAfter(line, '"requestId":"', line.lastIndexOf('"requestId":"')) ?? ''
  return {
    id: `${id} ${request}`,
    model,
    ...at,
    inputTokens: asCount(counts['input_tokens']) ?? 0,
    outputTokens: asCount(counts['output_tokens']) ?? 0,
    cacheReadInputTokens: asCount(counts['cache_read_input_tokens']) ?? 0,
    cacheCreationInputTokens: asCount(counts['cache_creation_input_tokens']) ?? 0,
    cacheHourInputTokens: asCount(asRecord(counts['cache_creation'])['ephemeral_1h_input_tokens']) ?? 0,
  }
}

function parsed(text: string): Loose | null {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return null
  }
}

const times = new Map<string, { hour: number; day: string }>()

/** Messages come in the order of time, so that most are of an hour that was read before. */
function timeOf(text: string): { hour: number; day: string } | null {
  const key = text.slice(0, 13)
  const known = text.endsWith('Z') ? times.get(key) : undefined
  if (known) return known
  const at = Date.parse(text)
  if (Number.isNaN(at)) return null
  const time = { hour: Math.floor(at / HOUR_MS), day: new Date(at).toISOString().slice(0, 10) }
  if (times.size > 1_000) times.clear()
  if (text.endsWith('Z')) times.set(key, time)
  return time
}

/** The text whose name is at `place`. */
function textAfter(line: string, name: string, place: number): string | null {
  return place === -1 ? null : textAt(line, place + name.length)
}

function textAt(line: string, start: number): string | null {
  let end = line.indexOf('"', start)
  while (end !== -1 && isEscaped(line, end)) end = line.indexOf('"', end + 1)
  if (end === -1) return null
  const text = line.slice(start, end)
  return text.includes('\\') ? unescaped(text) : text
}

function isEscaped(line: string, quote: number): boolean {
  let first = quote
  while (line[first - 1] === '\\') first -= 1
  return (quote - first) % 2 === 1
}

function unescaped(text: string): string | null {
  try {
    return asText(JSON.parse(`"${text}"`))
  } catch {
    return null
  }
}

/** The object that begins at `start`. Figures hold no braces in texts. */
function objectAt(line: string, start: number): string | null {
  let depth = 1
  for (let at = start + 1; ; ) {
    const close = line.indexOf('}', at)
    if (close === -1) return null
    const open = line.indexOf('{', at)
    const isOpen = open !== -1 && open < close
    depth += isOpen ? 1 : -1
    if (depth === 0) return line.slice(start, close + 1)
    at = (isOpen ? open : close) + 1
  }
}
