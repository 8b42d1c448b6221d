import { AppendRefused, type Journal } from '../journal/journal.js'
import type { EventDraft } from '../protocol/event/event.js'

/** Race: the log refuses an event whose subject has ended meanwhile. That is no failure, and must not stop other events. */
export async function appendUnlessRefused(
  journal: Journal,
  sessionId: string,
  draft: EventDraft,
): Promise<void> {
  try {
    await journal.append(sessionId, [draft])
  } catch (error) {
    if (!(error instanceof AppendRefused)) throw error
  }
}
