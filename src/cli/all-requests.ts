/** All requests that wait, page by page. */

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
  return all
}
