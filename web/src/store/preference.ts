/** Settings of this browser, stored in localStorage. */

import { useSyncExternalStore } from 'react'
import { LANGUAGES, type Language } from '../i18n/language.js'

export const THEMES = ['system', 'light', 'dark'] as const

export interface Preference {
  theme: (typeof THEMES)[number]
  language: Language
  hasNotifications: boolean
  /** This browser gets push messages. */
  hasPush: boolean
  hasSound: boolean
  /** Whether conversations use the whole width. */
  isWide: boolean
  /** Whether diffs are shown side by side. */
  isSplit: boolean
}

const KEY = 'signalbox.preference'

let preference: Preference | null = null
const listeners = new Set<() => void>()

export function currentPreference(): Preference {
  preference ??= read()
  return preference
}

export function usePreference(): Preference {
  return useSyncExternalStore(onPreference, currentPreference)
}

function onPreference(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function setPreference(part: Partial<Preference>): void {
  preference = { ...currentPreference(), ...part }
  try {
    localStorage.setItem(KEY, JSON.stringify(preference))
  } catch {
    // Storage may be disabled: the setting applies until the page is closed.
  }
  for (const listener of listeners) listener()
}

/** The stored value may be from another version: unknown values fall back to the defaults. */
function read(): Preference {
  const stored = readJson()
  const theme = THEMES.find((name) => name === stored['theme']) ?? 'system'
  const language = LANGUAGES.find((name) => name === stored['language']) ?? browserLanguage()
  return {
    theme,
    language,
    hasNotifications: stored['hasNotifications'] === true,
    hasPush: stored['hasPush'] === true,
    hasSound: stored['hasSound'] === true,
    isWide: stored['isWide'] === true,
    isSplit: stored['isSplit'] === true,
  }
}

function readJson(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function browserLanguage(): Language {
  const tags = navigator.languages.map((tag) => tag.slice(0, 2))
  return tags.map((tag) => LANGUAGES.find((name) => name === tag)).find(Boolean) ?? 'en'
}
