/** One entry of the journal of systemd, as `journalctl --output=json` prints it. */

import { asRecord, asText } from '../../lib/read-json.js'
import type { LogLine } from './service-manager.js'

export function readJournalLine(line: string): LogLine | null {
  const entry = asRecord(parse(line))
  const text = messageOf(entry['MESSAGE'])
  if (text === '') return null
  const microseconds = Number(asText(entry['__REALTIME_TIMESTAMP']) ?? Number.NaN)
  if (!(microseconds > 0 && microseconds < 1e18)) return { text, from: null }
  const time = new Date(microseconds / 1_000).toISOString()
  return { text, from: { time, source: asText(entry['SYSLOG_IDENTIFIER']) ?? '' } }
}

/** A message with control characters, or one that is not UTF-8, is a list of bytes. */
function messageOf(value: unknown): string {
  return Array.isArray(value) ? Buffer.from(value.map(Number)).toString('utf8') : (asText(value) ?? '')
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return { MESSAGE: line }
  }
}
