/** Texts, numbers and dates in the user's language. */

import type { Language } from '../store/preference.js'
import type { Dictionary, TextKey } from './dictionary.js'
import { en } from './en.js'
import { fill } from './fill.js'
import { type ServerTexts, setServerTexts } from './server-text.js'

type Values = Readonly<Record<string, string | number>>

let dictionary: Dictionary = en
let language: Language = 'en'

/** Loads the dictionary of a language. English is bundled. */
export async function setLanguage(wanted: Language): Promise<void> {
  const loaded = await LOAD[wanted]()
  dictionary = loaded.dictionary
  setServerTexts(loaded.server)
  language = wanted
  document.documentElement.lang = wanted
}

interface Texts {
  dictionary: Dictionary
  server: ServerTexts | null
}

const LOAD: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => ({ dictionary: en, server: null }),
  ko: async () => {
    const [{ ko }, { reasons }, { errors }] = await Promise.all([
      import('./ko.js'),
      import('./reason/ko.js'),
      import('./error/ko.js'),
    ])
    return { dictionary: ko, server: { reasons, errors } }
  },
  ja: async () => {
    const [{ ja }, { reasons }, { errors }] = await Promise.all([
      import('./ja.js'),
      import('./reason/ja.js'),
      import('./error/ja.js'),
    ])
    return { dictionary: ja, server: { reasons, errors } }
  },
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

/** `key` is an ISO date without time: 2026-11-16. */
export function day(key: string): string {
  const at = new Date(`${key}T12:00:00`)
  if (Number.isNaN(at.getTime())) return key
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(at)
}

export function dateTime(at: string | number): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at))
}
