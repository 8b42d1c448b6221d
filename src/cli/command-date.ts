/** Times in options: a day of this machine's time zone, a time, or how far back. */

import { HubError } from '../protocol/error.js'

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 }

/** `7d`, `12h` or `30m` back, a date, or a date and time. */
export function readDate(option: string, text: string, now: number = Date.now()): string {
  const [, count, unit] = /^(\d{1,5})([dhm])$/.exec(text) ?? []
  if (count !== undefined) return new Date(now - Number(count) * (UNIT_MS[unit ?? ''] ?? 0)).toISOString()
  // A date alone would be read as UTC.
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
  if (Number.isNaN(time))
    throw new HubError(
      'request_invalid',
      `Invalid ${option} "${text}". Use 7d, 12h, 30m, 2026-11-01 or 2026-11-01T18:00.`,
    )
  return new Date(time).toISOString()
}
