/** The query of a search with its filters. It is stored in the address, so that Back and a copied link restore it. */

import type { RouteRequest } from '../../../src/protocol/index.js'
import { startOfDay } from '../ui/local-day.js'
import { writeQuery } from '../ui/use-address-query.js'

export const FILTERS = ['folder', 'session', 'tool', 'user', 'since', 'until'] as const
export type FilterName = (typeof FILTERS)[number]

/** `since` and `until` are days of the browser's time zone, both included. */
export type SearchQuery = Readonly<Record<'q' | FilterName, string>>

export const NO_QUERY: SearchQuery = {
  q: '',
  folder: '',
  session: '',
  tool: '',
  user: '',
  since: '',
  until: '',
}

export function searchPath(query: Partial<SearchQuery>): string {
  return `/search${writeQuery({ ...NO_QUERY, ...query }, NO_QUERY)}`
}

type Request = RouteRequest<'search'>['query']

/** Null if there are no words to search for. */
export function requestOf(query: SearchQuery): Request | null {
  const q = query.q.trim()
  if (q === '') return null
  const [folder, tool, user] = [query.folder.trim(), query.tool.trim(), query.user.trim()]
  const [since, until] = [startOfDay(query.since), startOfDay(query.until, 1)]
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
