/** How this browser shows the list of sessions, stored in localStorage. */

import { useSyncExternalStore } from 'react'

export const SORTS = ['newest', 'active', 'name', 'cost'] as const
export type Sort = (typeof SORTS)[number]

export interface ListView {
  sort: Sort
  isByFolder: boolean
  isCompact: boolean
  showsArchived: boolean
  /** Width of the pane in pixels; null for the default. */
  width: number | null
  isFolded: boolean
}

export const MIN_WIDTH = 240
export const MAX_WIDTH = 720
const KEY = 'signalbox.list'

let view: ListView | null = null
const listeners = new Set<() => void>()

export function useListView(): ListView {
  return useSyncExternalStore(subscribe, currentView)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function currentView(): ListView {
  view ??= read()
  return view
}

export function setListView(part: Partial<ListView>): void {
  view = { ...currentView(), ...part }
  try {
    localStorage.setItem(KEY, JSON.stringify(view))
  } catch {
    // Storage may be disabled: the setting applies until the page is closed.
  }
  for (const listener of listeners) listener()
}

export function clampWidth(width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)))
}

/** The stored value may be from another version: unknown values fall back to the defaults. */
function read(): ListView {
  const stored = readJson()
  const { width } = stored
  return {
    sort: SORTS.find((name) => name === stored['sort']) ?? 'newest',
    isByFolder: stored['isByFolder'] === true,
    isCompact: stored['isCompact'] === true,
    showsArchived: stored['showsArchived'] === true,
    width: typeof width === 'number' && Number.isFinite(width) ? clampWidth(width) : null,
    isFolded: stored['isFolded'] === true,
  }
}

function readJson(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
