/** The query of a search with its filters. It is stored in the address, so that Back and a copied link restore it. */

import type { RouteRequest } from '../../../src/protocol/index.js'

export const FILTERS = ['folder', 'session', 'tool', 'user', 'since', 'until'] as const
export type FilterName = (typeof FILTERS)[number]

/** `since` and `until` are days of the browser's time zone, both included. */
export type SearchQuery = Readonly<Record<'q' | FilterName, string>>

export function parseQuery(address: string): SearchQuery {
  const params = new URLSearchParams(address)
  const get = (name: string) => params.get(name) ?? ''
  return {
    q: get('q'),
    folder: get('folder'),
    session: get('session'),
    tool: get('tool'),
    user: get('user'),
    since: get('since'),
    until: get('until'),
  }
}

/** With its question mark; empty without any value. */
export function queryString(query: SearchQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

export function searchPath(query: Partial<SearchQuery>): string {
  return `/search${queryString({ ...parseQuery(''), ...query })}`
}

type Request = RouteRequest<'search'>['query']

/** Null if there are no words to search for. */
export function requestOf(query: SearchQuery): Request | null {
  const q = query.q.trim()
  if (q === '') return null
  const [folder, tool, user] = [query.folder.trim(), query.tool.trim(), query.user.trim()]
  const [since, until] = [startOf(query.since, 0), startOf(query.until, 1)]
  return {
    q,
    ...(query.session !== '' && { sessionId: query.session }),
    ...(folder !== '' && { folder }),
    ...(tool !== '' && { tool }),
    ...(user !== '' && { user }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  }
}

/** The start of a local day, some days later. Null for text that is no day. */
function startOf(day: string, later: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  if (year === undefined) return null
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}
