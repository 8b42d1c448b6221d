/** Maps URLs to views. The URL is the only place where the current view is stored. */

import { useSyncExternalStore } from 'react'

export const TABS = ['conversation', 'changes', 'timeline', 'agents'] as const
export type Tab = (typeof TABS)[number]

export const POLICY_TABS = ['rules', 'tools', 'audit'] as const
export type PolicyTab = (typeof POLICY_TABS)[number]

export type Route =
  | { view: 'sessions' | 'new' | 'inbox' | 'grid' | 'terminals' | 'usage' | 'search' | 'settings' }
  | { view: 'policy'; tab: PolicyTab }
  | { view: 'session'; id: string; tab: Tab }
  | { view: 'request'; id: string }
  | { view: 'unknown'; path: string }

const SIMPLE_VIEWS = ['new', 'inbox', 'grid', 'terminals', 'usage', 'search', 'settings'] as const

export function parseRoute(path: string): Route {
  const [first, id, tab] = path.split('/').filter(Boolean)
  const view = SIMPLE_VIEWS.find((name) => name === first)
  if (view) return { view }
  if (first === 'policy') return { view: first, tab: POLICY_TABS.find((name) => name === id) ?? 'rules' }
  if (first === 'sessions' && id !== undefined)
    return { view: 'session', id, tab: TABS.find((name) => name === tab) ?? 'conversation' }
  if (first === 'requests' && id !== undefined) return { view: 'request', id }
  return first === undefined || first === 'sessions' ? { view: 'sessions' } : { view: 'unknown', path }
}

export function pathOf(route: Route): string {
  if (route.view === 'sessions') return '/'
  if (route.view === 'unknown') return route.path
  if (route.view === 'policy') return route.tab === 'rules' ? '/policy' : `/policy/${route.tab}`
  if (route.view === 'request') return `/requests/${route.id}`
  if (route.view !== 'session') return `/${route.view}`
  return `/sessions/${route.id}${route.tab === 'conversation' ? '' : `/${route.tab}`}`
}

export function sessionPath(id: string, tab: Tab = 'conversation'): string {
  return pathOf({ view: 'session', id, tab })
}

const listeners = new Set<() => void>()

/** Calls the listener after each change of the address. The function it returns unsubscribes. */
export function onPath(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', listener)
  }
}

/** The link to one event of a session, which is shown with the words of a search highlighted. */
export function eventPath(id: string, seq: number, words: string): string {
  return `${sessionPath(id)}?${new URLSearchParams({ seq: String(seq), ...(words !== '' && { q: words }) })}`
}

/** The part of the address behind the path. */
export function useQueryString(): string {
  return useSyncExternalStore(onPath, () => location.search)
}

/**
 * Changes the query of a view without an entry in the history: Back leaves the view and does not undo letters. Race: a
 * view whose successor is still loading keeps its timers, so nothing happens on another path.
 */
export function replaceQuery(path: string, query: string): void {
  if (path !== location.pathname || query === location.search) return
  history.replaceState(history.state, '', `${path}${query}`)
  for (const listener of listeners) listener()
}

export function usePath(): string {
  return useSyncExternalStore(onPath, () => location.pathname)
}

export function navigate(path: string): void {
  if (path === location.pathname + location.search) return
  history.pushState(null, '', path)
  for (const listener of listeners) listener()
}
