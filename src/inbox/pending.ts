/** Requests that wait for an answer, oldest first by kind, page by page. */

import type { InboxRequest } from '../protocol/request.js'
import type { Store } from '../store/port.js'

const PAGE = 200

export async function* pendingRequests(store: Store, sessionId?: string): AsyncGenerator<InboxRequest> {
  for (let after: string | undefined; ; ) {
    const page = await store.requests({
      state: 'pending',
      limit: PAGE,
      ...(sessionId !== undefined && { sessionId }),
      ...(after !== undefined && { after }),
    })
    yield* page
    after = page.at(-1)?.id
    if (after === undefined) return
  }
}
