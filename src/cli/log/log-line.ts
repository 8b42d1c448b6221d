/** Lines of the log files, read loosely: a crash may have cut one, and another version may have written it. */

import { type LogEntry, logLevels } from '../../lib/log.js'

/** A message to or from the SDK. */
export interface SdkLine {
  timestamp: string
  sessionId: string
  /** Our own id, where `sessionId` is the caller's. */
  signalboxId?: string
  direction: 'input' | 'output'
  data: unknown
}

/** An object, or null. */
export function parseLine(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

export function isLogEntry(value: unknown): value is LogEntry {
  if (typeof value !== 'object' || value === null) return false
  const { time, level, message } = value as Partial<LogEntry>
  return isTime(time) && typeof message === 'string' && logLevels.some((known) => known === level)
}

export function isSdkLine(value: unknown): value is SdkLine {
  if (typeof value !== 'object' || value === null) return false
  const { timestamp, sessionId, direction } = value as Partial<SdkLine>
  return (
    isTime(timestamp) && typeof sessionId === 'string' && (direction === 'input' || direction === 'output')
  )
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
