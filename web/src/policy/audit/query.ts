/** The filters of the audit, as they are in the address. */

import type { RouteRequest } from '../../../../src/protocol/index.js'
import { startOfDay } from '../../ui/local-day.js'
import { writeQuery } from '../../ui/use-address-query.js'
import { KINDS } from './label.js'

/** `since` and `until` are days of the browser's time zone, both included. */
export type AuditQuery = Readonly<
  Record<'by' | 'q' | 'who' | 'kind' | 'verdict' | 'tool' | 'session' | 'since' | 'until', string>
>

/** The policy decides hundreds of calls for each decision of a user, so those of users are shown first. */
export const FIRST_QUERY: AuditQuery = {
  by: 'person',
  q: '',
  who: '',
  kind: '',
  verdict: '',
  tool: '',
  session: '',
  since: '',
  until: '',
}

export function auditPath(query: Partial<AuditQuery>): string {
  return `/policy/audit${writeQuery({ ...FIRST_QUERY, ...query }, FIRST_QUERY)}`
}

type Filter = NonNullable<RouteRequest<'listAudit'>['query']>

export function filterOf(query: AuditQuery): Filter {
  const { by, verdict, session } = query
  const [q, who, tool] = [query.q.trim(), query.who.trim(), query.tool.trim()]
  const [since, until] = [startOfDay(query.since), startOfDay(query.until, 1)]
  const kind = KINDS.find((name) => name === query.kind)
  return {
    ...(by !== 'all' && { by }),
    ...(q !== '' && { q }),
    ...(who !== '' && { who }),
    ...(kind !== undefined && { kind }),
    ...(verdict !== '' && { verdict }),
    ...(tool !== '' && { tool }),
    ...(session !== '' && { sessionId: session }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  }
}
