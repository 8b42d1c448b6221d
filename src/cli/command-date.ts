/** Dates in options: a day of this machine's time zone, a time, or a number of days back. */

import { HubError } from '../protocol/error.js'

const DAY_MS = 24 * 60 * 60_000

export function readDate(option: string, text: string, now: number = Date.now()): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1]
  if (days !== undefined) return new Date(now - Number(days) * DAY_MS).toISOString()
  // A date alone would be read as UTC.
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
  if (Number.isNaN(time))
    throw new HubError('request_invalid', `Invalid ${option} "${text}". Use 2026-11-01 or 7d.`)
  return new Date(time).toISOString()
}
