/** The sessions that requests come from. */

import type { Client } from '../../client/client.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { allSessions } from '../all-sessions.js'

/** More are read as a list. */
const MAX_SINGLE = 10

/** A session that was deleted meanwhile is left out. */
export async function sessionsOf(
  client: Client,
  requests: readonly InboxRequest[],
): Promise<Map<string, Session>> {
  const ids = [...new Set(requests.map(({ sessionId }) => sessionId))]
  if (ids.length > MAX_SINGLE) {
    // A session that waits has not ended.
    const { sessions } = await allSessions(client, { ended: 'false' })
    return new Map(sessions.map((session) => [session.id, session]))
  }
  const found = await Promise.all(
    ids.map((id) =>
      client.getSession({ params: { id } }).then(
        ({ session }) => [[id, session] as const],
        () => [],
      ),
    ),
  )
  return new Map(found.flat())
}
