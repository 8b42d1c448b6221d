/**
 * A log that survives a crash: one file a day, private, bounded in size and in days. Written synchronously, since the last
 * lines before a crash matter most. Few lines are written: starts, stops and faults.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { dayFile, pruneDayFiles } from './day-file.js'

export interface LogFileOptions {
  folder: string
  kind: string
  now(): number
  maxBytesPerDay?: number
  maxDays?: number
  /** Called once when lines can no longer be written. */
  onFault(error: unknown): void
}

export interface LogFile {
  /** Never throws. Lines that cannot be written are counted, and the count precedes the next one. */
  write(line: string): void
  close(): void
}

const MAX_BYTES_PER_DAY = 5 * 1024 * 1024
const MAX_DAYS = 30
const DAY_MS = 86_400_000
/** A FIFO does not block it, and a symlink is not followed. */
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

interface Open {
  day: string
  file: number
  /** No more lines fit into this day, and the file says so. */
  isFull: boolean
}

export function createLogFile(options: LogFileOptions): LogFile {
  const { folder, kind, now, maxBytesPerDay = MAX_BYTES_PER_DAY, maxDays = MAX_DAYS, onFault } = options
  let current: Open | null = null
  let lost = 0
  let hasReported = false

  const close = () => {
    if (current) closeSync(current.file)
    current = null
  }

  function open(day: string): Open {
    // A deleted file takes what is written to it along.
    if (current?.day === day && fstatSync(current.file).nlink > 0) return current
    close()
    makePrivateFolder(folder)
    const file = openPrivate(dayFile(folder, kind, day))
    current = { day, file, isFull: false }
    pruneDayFiles(folder, kind, new Date(now() - (maxDays - 1) * DAY_MS).toISOString())
    return current
  }

  function append(line: string): void {
    const time = new Date(now()).toISOString()
    const at = open(time.slice(0, 10))
    const missing = lost === 0 ? '' : ownLine(time, 'lines_lost', { lost })
    const bytes = Buffer.from(`${isTorn(at.file) ? '\n' : ''}${missing}${line}\n`)
    if (fstatSync(at.file).size + bytes.length > maxBytesPerDay) {
      if (!at.isFull) writeSync(at.file, ownLine(time, 'log_full', { maxBytesPerDay }))
      at.isFull = true
      throw new Error('The log of this day is full.')
    }
    if (writeSync(at.file, bytes) < bytes.length) throw new Error('Only a part of a line was written.')
    lost = 0
  }

  return {
    write(line) {
      try {
        append(line)
      } catch (error) {
        lost += 1
        if (!hasReported) onFault(error)
        hasReported = true
      }
    },
    close,
  }
}

function makePrivateFolder(folder: string): void {
  try {
    // Not with its parents: a home that is gone is not made again.
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function openPrivate(path: string): number {
  const file = openSync(path, FLAGS, 0o600)
  const stats = fstatSync(file)
  if (stats.isFile()) {
    if ((stats.mode & 0o077) !== 0) fchmodSync(file, 0o600)
    return file
  }
  closeSync(file)
  throw new Error(`${path} is not a regular file.`)
}

/** Whether the last line has no end: the disk was full, or the machine lost power. */
function isTorn(file: number): boolean {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 10
}

function ownLine(time: string, message: string, fields: Record<string, unknown>): string {
  return `${JSON.stringify({ time, level: 'error', message, ...fields })}\n`
}
