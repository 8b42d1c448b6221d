/** Quiet hours, in the time zone of the user. Pure. */

import type { QuietHours } from '../../protocol/notification/notification-kind.js'

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/** The end of the quiet hours that `at` lies in; null if it lies in none. */
export function quietUntil(quiet: QuietHours | null, at: number): number | null {
  if (quiet === null || quiet.from === quiet.to) return null
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)]
  const now = localMinutes(at, quiet.timeZone)
  const isQuiet = from < to ? now >= from && now < to : now >= from || now < to
  if (!isQuiet) return null
  // A change to or from summer time in between makes this an hour wrong: the caller asks again at that time.
  const left = (to - now + DAY_MINUTES) % DAY_MINUTES
  return Math.floor(at / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS
}

function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function localMinutes(at: number, timeZone: string | undefined): number {
  const key = timeZone ?? ''
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      ...(timeZone !== undefined && { timeZone }),
    })
    formats.set(key, format)
  }
  return minutesOf(format.format(at))
}
