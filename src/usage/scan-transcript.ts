/**
 * Finds what was used in the bytes of a transcript. Most of it are copies of requests and tool outputs: only the few
 * bytes around each figure are looked at, and lines without one are never even cut.
 */

import { asCount, asRecord, asText } from '../lib/loose.js'
import type { Spent } from './price.js'

/** What one line says about its message. A message has a line for each of its blocks, all with the same figures. */
export interface UsedMessage extends Spent {
  /** Of the message and the request, so that copies in other files are known. */
  id: string
  model: string
  at: number
}

// Inside a text the quotes would be escaped.
const USAGE = Buffer.from('"usage":{"input_tokens":')
const ASSISTANT = Buffer.from('"type":"assistant"')
const MESSAGE = Buffer.from('"message":{')
const MODEL = Buffer.from('"model":"')
const ID = Buffer.from('"id":"')
const REQUEST = Buffer.from('"requestId":"')
const TIME = Buffer.from('"timestamp":"')
const FOLDER = Buffer.from('"cwd":"')

const LINE_END = 10
const QUOTE = 34
const BACKSLASH = 92
const OPEN = 123
const CLOSE = 125

/** Calls `found` for each line with figures among the whole lines of `bytes`. */
export function scanTranscript(bytes: Buffer, found: (message: UsedMessage) => void): void {
  for (let from = bytes.indexOf(USAGE); from !== -1; ) {
    const start = bytes.lastIndexOf(LINE_END, from) + 1
    const end = bytes.indexOf(LINE_END, from)
    if (end === -1) return
    const message = readLine(bytes.subarray(start, end))
    if (message) found(message)
    from = bytes.indexOf(USAGE, end)
  }
}

/** The folder that the first line with one names. */
export function folderIn(bytes: Buffer): string | null {
  return textAfter(bytes, FOLDER, bytes.indexOf(FOLDER))
}

function readLine(line: Buffer): UsedMessage | null {
  if (line.indexOf(ASSISTANT) === -1) return null
  const message = line.indexOf(MESSAGE)
  const model = textAfter(line, MODEL, line.indexOf(MODEL, message))
  const id = textAfter(line, ID, line.indexOf(ID, message))
  const time = textAfter(line, TIME, line.lastIndexOf(TIME))
  // What the agent wrote comes before the figures, so that the last ones are those of the message.
  const usage = objectAt(line, line.lastIndexOf(USAGE) + USAGE.indexOf(OPEN))
  const at = Date.parse(time ?? '')
  if (model === null || id === null || usage === null || Number.isNaN(at) || model === '<synthetic>')
    return null
  const request = textAfter(line, REQUEST, line.lastIndexOf(REQUEST)) ?? ''
  const counts = asRecord(usage)
  return {
    id: `${id} ${request}`,
    model,
    at,
    inputTokens: asCount(counts['input_tokens']) ?? 0,
    outputTokens: asCount(counts['output_tokens']) ?? 0,
    cacheReadInputTokens: asCount(counts['cache_read_input_tokens']) ?? 0,
    cacheCreationInputTokens: asCount(counts['cache_creation_input_tokens']) ?? 0,
    cacheHourInputTokens: asCount(asRecord(counts['cache_creation'])['ephemeral_1h_input_tokens']) ?? 0,
  }
}

/** The text whose name is at `place`. */
function textAfter(bytes: Buffer, name: Buffer, place: number): string | null {
  if (place === -1) return null
  const start = place + name.length
  let end = bytes.indexOf(QUOTE, start)
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1)
  if (end === -1) return null
  const text = bytes.toString('utf8', start, end)
  return text.includes('\\') ? unescaped(text) : text
}

function isEscaped(bytes: Buffer, quote: number): boolean {
  let first = quote
  while (bytes[first - 1] === BACKSLASH) first -= 1
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
function objectAt(bytes: Buffer, start: number): unknown {
  let depth = 0
  for (let index = start; index < bytes.length; index += 1) {
    if (bytes[index] === OPEN) depth += 1
    if (bytes[index] !== CLOSE) continue
    depth -= 1
    if (depth > 0) continue
    try {
      return JSON.parse(bytes.toString('utf8', start, index + 1)) as unknown
    } catch {
      return null
    }
  }
  return null
}
