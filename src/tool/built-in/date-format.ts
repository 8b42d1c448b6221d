/** Formats a point in time for a time zone. */

import { ToolFailure } from '../tool.js'

/** A point in time as local date and time of a time zone. */
interface LocalTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  millisecond: number
  /** 0 is Sunday. */
  weekday: number
  offsetMinutes: number
  zone: string
  epochMs: number
}

const FORMATS = {
  iso: 'YYYY-MM-DD[T]HH:mm:ssZ',
  date: 'YYYY-MM-DD',
  time: 'HH:mm:ss',
  datetime: 'YYYY-MM-DD HH:mm:ss',
  rfc2822: 'ddd, DD MMM YYYY HH:mm:ss ZZ',
  unix: 'X',
  unix_ms: 'x',
} as const

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Longest first, as `MM` is not two `M`. */
const TOKENS: readonly (readonly [string, (time: LocalTime) => string])[] = [
  ['YYYY', ({ year }) => pad(year, 4)],
  ['YY', ({ year }) => pad(year % 100, 2)],
  ['MMMM', ({ month }) => MONTHS[month - 1] ?? ''],
  ['MMM', ({ month }) => (MONTHS[month - 1] ?? '').slice(0, 3)],
  ['MM', ({ month }) => pad(month, 2)],
  ['M', ({ month }) => `${month}`],
  ['DD', ({ day }) => pad(day, 2)],
  ['D', ({ day }) => `${day}`],
  ['dddd', ({ weekday }) => DAYS[weekday] ?? ''],
  ['ddd', ({ weekday }) => (DAYS[weekday] ?? '').slice(0, 3)],
  ['HH', ({ hour }) => pad(hour, 2)],
  ['H', ({ hour }) => `${hour}`],
  ['hh', ({ hour }) => pad(hour % 12 || 12, 2)],
  ['h', ({ hour }) => `${hour % 12 || 12}`],
  ['mm', ({ minute }) => pad(minute, 2)],
  ['m', ({ minute }) => `${minute}`],
  ['ss', ({ second }) => pad(second, 2)],
  ['s', ({ second }) => `${second}`],
  ['SSS', ({ millisecond }) => pad(millisecond, 3)],
  ['A', ({ hour }) => (hour < 12 ? 'AM' : 'PM')],
  ['a', ({ hour }) => (hour < 12 ? 'am' : 'pm')],
  ['ZZ', ({ offsetMinutes }) => offset(offsetMinutes, '')],
  ['Z', ({ offsetMinutes }) => offset(offsetMinutes, ':')],
  ['z', ({ zone }) => zone],
  ['X', ({ epochMs }) => `${Math.floor(epochMs / 1_000)}`],
  ['x', ({ epochMs }) => `${epochMs}`],
]

export const TOKEN_NAMES: readonly string[] = TOKENS.map(([name]) => name)

const MAX_LENGTH = 200

/** `format` is the name of a format, or made of tokens; text in brackets and what is no letter stands for itself. */
export function formatTime(epochMs: number, zone: string, format: string): string {
  if (format.length > MAX_LENGTH) throw new ToolFailure(`The format is longer than ${MAX_LENGTH} characters.`)
  const time = localTime(epochMs, zone)
  const pattern = Object.hasOwn(FORMATS, format) ? FORMATS[format as keyof typeof FORMATS] : format
  let text = ''
  for (let place = 0; place < pattern.length; ) {
    const literal = /^\[([^\]]*)\]/.exec(pattern.slice(place))
    const token = TOKENS.find(([name]) => pattern.startsWith(name, place))
    const letter = pattern[place] ?? ''
    if (literal) {
      text += literal[1]
      place += literal[0].length
    } else if (token) {
      text += token[1](time)
      place += token[0].length
    } else if (/[a-zA-Z%]/.test(letter) && letter !== 'T') {
      throw new ToolFailure(
        `"${letter}" in the format means nothing. Tokens: ${TOKEN_NAMES.join(' ')}. Put plain text into [brackets]. ` +
          `Formats by name: ${Object.keys(FORMATS).join(', ')}.`,
      )
    } else {
      text += letter
      place += 1
    }
  }
  return text
}

function localTime(epochMs: number, zone: string): LocalTime {
  const parts = Object.fromEntries(
    zoneFormat(zone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second)
  return {
    year,
    month,
    day,
    hour,
    minute,
    second,
    millisecond: ((epochMs % 1_000) + 1_000) % 1_000,
    weekday: new Date(asUtc).getUTCDay(),
    offsetMinutes: Math.round((asUtc - Math.floor(epochMs / 1_000) * 1_000) / 60_000),
    zone,
    epochMs,
  }
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw new ToolFailure(`${zone} is not a time zone. ${suggestion(zone)}`)
  }
}

/** Zones whose city is spelled like it, as "Seoul" for "Asia/Seoul". */
function suggestion(zone: string): string {
  const wanted = zone.toLowerCase().replaceAll(/[^a-z]/g, '')
  const near = Intl.supportedValuesOf('timeZone').filter(
    (known) =>
      wanted.length > 2 &&
      known
        .toLowerCase()
        .replaceAll(/[^a-z]/g, '')
        .includes(wanted),
  )
  if (near.length === 0) return 'Use a name as "Asia/Seoul", "Europe/Berlin" or "UTC".'
  return `Did you mean ${near.slice(0, 5).join(', ')}?`
}

function offset(minutes: number, separator: string): string {
  const absolute = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(absolute / 60), 2)}${separator}${pad(absolute % 60, 2)}`
}

function pad(value: number, length: number): string {
  return `${value}`.padStart(length, '0')
}
