/** Where in a conversation a message stands, in Claude's own terms: what a fork or a resume needs to know. */

import type { MessageAnchor } from '../protocol/api-body.js'
import { HubError } from '../protocol/error.js'
import type { SessionEvent } from '../protocol/event/event.js'
import type { Store } from '../store/port.js'

/**
 * The last message of Claude's to keep. For a message of the user, all before it; null if nothing is. For one
 * of the agent, itself and all before it.
 */
export async function lastToKeep(
  store: Store,
  sessionId: string,
  place: MessageAnchor,
): Promise<string | null> {
  let last: string | null = null
  for await (const event of milestones(store, sessionId)) {
    if (event.type === 'message.delivered') {
      if (event.data.messageId === place) return last
    } else if ('uuid' in event.data && event.data.uuid && event.data.parentToolUseId === undefined) {
      last = event.data.uuid
      if (last === place) return last
    }
  }
  throw new HubError(
    'message_not_found',
    `Session ${sessionId} has received no message ${place}. Its events list its messages.`,
    { sessionId, messageId: place },
  )
}

async function* milestones(store: Store, sessionId: string): AsyncGenerator<SessionEvent> {
  let after = 0
  for (;;) {
    const page = await store.readSession(sessionId, {
      after,
      limit: 500,
      types: ['message.delivered', 'text.ended', 'thinking.ended', 'tool.requested'],
    })
    if (page.length === 0) return
    for (const { event } of page) yield event
    after = page.at(-1)?.event.seq ?? after
  }
}
