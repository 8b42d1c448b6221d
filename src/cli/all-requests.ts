/** All requests that wait, page by page; the oldest first, as the dashboard has them. */

import type { Client } from '../client/client.js'
import type { InboxRequest } from '../protocol/request.js'

export async function pendingRequests(client: Client): Promise<InboxRequest[]> {
  const all: InboxRequest[] = []
  let cursor: string | null = null
  do {
    const page: { requests: InboxRequest[]; nextCursor: string | null } = await client.listRequests({
      query: { state: 'pending', limit: 1_000, ...(cursor !== null && { cursor }) },
    })
    all.push(...page.requests)
    cursor = page.nextCursor
  } while (cursor !== null)
  return oldestFirst(all)
}

/** Ids of permissions and questions have different prefixes, so that their order is not that of time. */
export function oldestFirst<Request extends Pick<InboxRequest, 'requestedAt'>>(
  requests: readonly Request[],
): Request[] {
  return requests.toSorted((one, other) => (one.requestedAt < other.requestedAt ? -1 : 1))
}
