/** The options of the commands that show a log. */

import { logLevels } from '../../lib/log.js'
import { readDate } from '../command-date.js'
import { readChoice, readNumber } from '../command-options.js'
import { isLogEntry, parseLine } from './log-line.js'

export interface LogOptions {
  follow?: boolean
  lines?: string
  since?: string
  level?: string
}

export interface LogQuery {
  since: string | null
  isErrorsOnly: boolean
  count: number
}

const LINES = 100
const ALL = 1_000_000

export function readLogQuery({ since, level, lines }: LogOptions): LogQuery {
  return {
    since: since === undefined ? null : readDate('--since', since),
    isErrorsOnly: level !== undefined && readChoice('--level', level, logLevels) === 'error',
    count:
      lines === undefined
        ? since === undefined
          ? LINES
          : ALL
        : readNumber('--lines', lines, { min: 0, max: ALL }),
  }
}

/** Of the log of the daemon. A line that is no entry is shown rather than left out: it may be the reason of a crash. */
export function isWantedEntry(line: string, { since, isErrorsOnly }: LogQuery): boolean {
  if (line === '' || (since === null && !isErrorsOnly)) return line !== ''
  const entry = parseLine(line)
  if (!isLogEntry(entry)) return true
  return (since === null || entry.time >= since) && (!isErrorsOnly || entry.level === 'error')
}
