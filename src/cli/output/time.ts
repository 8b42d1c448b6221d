/** Times as users read them: local ones, unless they ask for UTC. */

export interface TimeOptions {
  utc?: boolean
}

type Detail = 'day' | 'minute' | 'second' | 'millisecond'

const LENGTH: Readonly<Record<Detail, number>> = { day: 10, minute: 16, second: 19, millisecond: 23 }

/** `2026-11-17 20:04:33`; in UTC with a Z behind it, so that the two cannot be mistaken for each other. */
export function timeText(iso: string, { utc = false }: TimeOptions, detail: Detail = 'second'): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return iso
  const text = utc ? new Date(time).toISOString() : localIso(time)
  const shown = text.slice(0, LENGTH[detail]).replace('T', ' ')
  return utc && detail !== 'day' ? `${shown}Z` : shown
}

/** Only the time of the day. */
export function clockText(iso: string, options: TimeOptions, detail: Detail = 'second'): string {
  return timeText(iso, options, detail).slice(11)
}

function localIso(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000
  return new Date(time - offsetMs).toISOString()
}

/** How long ago: `12s`, `3m`, `5h`, `2d`. */
export function ageText(iso: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}
