/** Texts, numbers and dates in the user's language. */

import type { Dictionary, TextKey } from './dictionary.js'
import { en } from './en.js'
import { fill } from './fill.js'
import type { Language } from './language.js'
import { LOAD_CORE, LOAD_VIEWS } from './load-texts.js'
import { setServerTexts } from './server-text.js'

type Values = Readonly<Record<string, string | number>>

// Cast: texts of views are there before the first of them is rendered (ui/lazy-view.ts).
let dictionary = en as unknown as Dictionary
let language: Language = 'en'
/** The language whose texts of views are loaded, or being loaded. */
let views: { language: Language; loading: Promise<void> } | null = null

/** Loads the texts of a language. English is bundled. */
export async function setLanguage(wanted: Language): Promise<void> {
  const { core, server } = await LOAD_CORE[wanted]()
  const more = views && (await LOAD_VIEWS[wanted]())
  dictionary = { ...dictionary, ...core, ...more }
  if (views) views = { language: wanted, loading: Promise.resolve() }
  setServerTexts(server)
  language = wanted
  document.documentElement.lang = wanted
}

/** Loads the texts that only views use. A lazily loaded view waits for them. */
export async function loadViewTexts(): Promise<void> {
  if (views?.language !== language) {
    const own = language
    const loading = LOAD_VIEWS[own]().then((more) => {
      // Race: the language may have changed meanwhile.
      if (own === language) dictionary = { ...dictionary, ...more }
    })
    views = { language, loading }
    loading.catch(() => {
      views = null
    })
  }
  await views?.loading
}

export function t(word: TextKey, values: Values = {}): string {
  return fill(dictionary[word], values)
}

/** Keys with plural forms: `name.one`, `name.other`. */
type CountedKey = TextKey extends infer Key ? (Key extends `${infer Name}.other` ? Name : never) : never

export function count(name: CountedKey, n: number, values: Values = {}): string {
  const isOne = new Intl.PluralRules(language).select(n) === 'one'
  const word = isOne ? `${name}.one` : `${name}.other`
  return t(word as TextKey, { n: number(n), ...values }) // A test checks that both forms exist.
}

export function number(value: number): string {
  return new Intl.NumberFormat(language).format(value)
}

/** 1,234,567 becomes 1.2M. */
export function compact(value: number): string {
  return new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value)
}

export function percent(part: number): string {
  return new Intl.NumberFormat(language, { style: 'percent' }).format(part)
}

export function money(usd: number): string {
  const digits = usd === 0 || usd >= 0.095 ? 2 : 4
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd)
}

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** The two largest units: 2h 5m. */
export function duration(ms: number): string {
  if (ms < 1_000) return unit('millisecond', Math.round(ms))
  const start = STEPS.findIndex(([, size]) => ms >= size)
  let rest = ms
  return STEPS.slice(start, start + 2)
    .map(([name, size]) => {
      const whole = Math.floor(rest / size)
      rest -= whole * size
      return whole > 0 ? unit(name, whole) : ''
    })
    .filter(Boolean)
    .join(' ')
}

/** Label of an axis tick: 0.2s, 1m 30s. */
export function moment(ms: number): string {
  return ms % 1_000 === 0 && ms > 0 ? duration(ms) : unit('second', ms / 1_000)
}

/** The largest unit only: 2h. */
export function elapsed(ms: number): string {
  const [name, size] = STEPS.find(([, step]) => ms >= step) ?? ['second', 1_000]
  return unit(name, Math.max(0, Math.floor(ms / size)))
}

function unit(name: string, value: number): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'narrow' }).format(value)
}

export function time(at: string | number): string {
  return new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' }).format(new Date(at))
}

/** The time, with the day unless it is today: a weekly limit ends on another one. */
export function timeOrDay(at: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  if (isToday) return time(at)
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))
}

/** `key` is an ISO date without time: 2026-11-16. */
export function day(key: string): string {
  const at = new Date(`${key}T12:00:00`)
  if (Number.isNaN(at.getTime())) return key
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(at)
}

export function dateTime(at: string | number): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at))
}
