import type { InboxRequest } from '../../../src/protocol/index.js'

/** The oldest pending request of each session. */
export function oldestRequests(requests: Iterable<InboxRequest>): Map<string, InboxRequest> {
  const oldest = new Map<string, InboxRequest>()
  for (const request of requests) {
    const known = oldest.get(request.sessionId)
    if (!known || request.requestedAt < known.requestedAt) oldest.set(request.sessionId, request)
  }
  return oldest
}
