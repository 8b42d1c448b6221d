/** All sessions that fit a query, page by page. */

import type { Client } from '../client/client.js'
import type { Session } from '../protocol/session.js'

export type SessionQuery = Omit<
  NonNullable<NonNullable<Parameters<Client['listSessions']>[0]>['query']>,
  'limit' | 'cursor'
>

export interface SessionPages {
  sessions: Session[]
  /** There are more than `most`. */
  isCut: boolean
}

const PAGE = 1_000

export async function allSessions(
  client: Client,
  query: SessionQuery = {},
  most: number = Number.POSITIVE_INFINITY,
): Promise<SessionPages> {
  const sessions: Session[] = []
  let cursor: string | null = null
  do {
    const limit = Math.min(PAGE, most - sessions.length)
    const page: { sessions: Session[]; nextCursor: string | null } = await client.listSessions({
      query: { ...query, limit, ...(cursor !== null && { cursor }) },
    })
    sessions.push(...page.sessions)
    cursor = page.nextCursor
  } while (cursor !== null && sessions.length < most)
  return { sessions, isCut: cursor !== null }
}
