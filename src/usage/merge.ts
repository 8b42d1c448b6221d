/** Merges the usage of our sessions with the usage in transcripts, without counting twice. Pure. */

import type { UsageSum } from '../protocol/usage/usage.js'
import type { KnownConversation } from '../store/port.js'
import type { TranscriptSum } from './transcript-usage.js'

/**
 * The Agent SDK knows best what a session of ours has used. A terminal's transcript holds all of it, also from before
 * Signalbox saw it; so does that of a session that was begun in a terminal and goes on here.
 */
export function mergeUsage(
  stored: readonly UsageSum[],
  read: readonly TranscriptSum[],
  conversations: readonly KnownConversation[],
): readonly UsageSum[] {
  if (read.length === 0) return stored
  const known = new Map(conversations.map((conversation) => [conversation.claudeSessionId, conversation]))
  const isOurs = (conversation: KnownConversation | undefined) =>
    conversation?.kind === 'managed' && !conversation.isAdopted
  const fromTranscripts = read
    .filter(({ sessionId }) => !isOurs(known.get(sessionId)))
    .map((sum) => ({
      ...sum,
      sessionId: known.get(sum.sessionId)?.sessionId ?? sum.sessionId,
      source: 'transcript' as const,
    }))
  const told = new Set(fromTranscripts.map(({ sessionId }) => sessionId))
  return [...stored.filter(({ sessionId }) => !told.has(sessionId)), ...fromTranscripts]
}
