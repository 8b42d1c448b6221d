/** Finds the last message that was sent to a session, to send it again. */

import type { SendMessage } from '../protocol/api-body.js'
import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'

/** Sequence numbers per step back through the log. */
const STEP = 500

/** Null if the log has none, for example after retention. A message that was cancelled because nothing could start counts. */
export async function lastMessage(store: Store, { id, lastSeq }: Session): Promise<SendMessage | null> {
  for (let end = lastSeq; end > 0; end -= STEP) {
    const after = Math.max(0, end - STEP)
    const found = await store.readSession(id, { after, limit: STEP, types: ['message.queued'] })
    const last = found.map(({ event }) => event).findLast(({ seq }) => seq <= end)
    if (last?.type !== 'message.queued') continue
    const { text, content } = last.data
    return content === undefined ? { text } : { content }
  }
  return null
}
