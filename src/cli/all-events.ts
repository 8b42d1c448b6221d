/** All events of a session, page by page. */

import type { Client } from '../client/client.js'
import type { EventType, SessionEvent } from '../protocol/event/event.js'

export async function* allEvents(
  client: Client,
  sessionId: string,
  after = 0,
  types?: readonly EventType[],
): AsyncGenerator<SessionEvent> {
  let cursor: number | null = after
  while (cursor !== null) {
    const page: { events: SessionEvent[]; nextCursor: number | null } = await client.listEvents({
      params: { id: sessionId },
      query: { after: cursor, limit: 1_000, ...(types && { type: types.join(',') }) },
    })
    yield* page.events
    cursor = page.nextCursor
  }
}
