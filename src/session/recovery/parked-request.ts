/** Requests whose process is gone: parked until the turn is resumed with their answers. */

import type { Asker } from '../../inbox/asker.js'
import type { Journal } from '../../journal/journal.js'
import { reason as codedReason } from '../../protocol/reason/reason.js'
import type { Session } from '../../protocol/session.js'
import { findConversation } from '../claude/conversation.js'

export interface ParkedRequestDeps {
  asker: Asker
  journal: Journal
  configFolder: string
}

/**
 * Denies parked requests that cannot be resumed, with the reason: the conversation was never written, or
 * its transcript is gone.
 */
export async function giveUpParked(
  sessionId: string,
  { asker, journal, configFolder }: ParkedRequestDeps,
): Promise<void> {
  const session = await journal.session(sessionId)
  if (!session || session.parkedRequests.length === 0) return
  const id = session.claudeSessionId ?? session.conversation.id
  if (session.state !== 'ended' && (await findConversation(configFolder, id))) return
  await asker.withdraw(sessionId, codedReason('request.agent-ended'))
}

/** A parked request that has its answer: the turn is resumed with it. */
export function answerOf({ parkedRequests, pendingRequests }: Session): string | undefined {
  return parkedRequests.find((id) => !pendingRequests.includes(id))
}
