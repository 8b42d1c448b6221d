/** Relates a hook's line to the transcript of its session: which of both has recorded a fact already. */

import { setTimeout as wait } from 'node:timers/promises'
import { digest } from '../../lib/digest.js'
import { asText } from '../../lib/read-json.js'
import type { Session } from '../../protocol/session.js'
import type { LifecycleEvent } from '../stream/event.js'
import type { Conversation } from '../transcript/conversation.js'
import { idOf } from '../transcript/line.js'
import { type HeardPrompt, hearPrompt } from '../transcript/to-turn-events.js'

export interface HeardLine {
  /** The transcript records text, calls, subagents, compaction and figures. */
  readonly hasTranscript: boolean
  readonly prompt: HeardPrompt
  /** The transcript has recorded the end of this turn. */
  readonly isOver: boolean
  /** The transcript has recorded the last answer. */
  readonly isTextKnown: boolean
  /** The session was listed as history. */
  readonly isRevived: boolean
}

/** Without a transcript, hooks are the only source. */
export const HOOKS_ALONE: HeardLine = {
  hasTranscript: false,
  prompt: 'new',
  isOver: false,
  isTextKnown: false,
  isRevived: false,
}

/** Claude Code writes the last answer up to about 100 ms after the hook has fired. */
const WAIT_MS = 400
const STEP_MS = 15
const FRESH_MS = 3_000

/** Reads the transcript up to the time of a hook's line, so that both are recorded in order. */
export async function readBefore(
  conversation: Conversation,
  event: LifecycleEvent,
  now: number,
): Promise<void> {
  const at = Date.parse(event.occurredAtIso)
  const isEnd = event.eventType === 'session.lifecycle' && event.phase === 'ended'
  const until = isEnd || Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
  await readAll(conversation, until)
  if (isEnd) return conversation.flush()
  const text = event.eventType === 'turn.end' ? asText(event.fields['lastAssistantMessage']) : null
  if (text === null || text === '' || now - at > FRESH_MS) return
  const deadline = performance.now() + WAIT_MS
  while (conversation.state.lastText !== text && performance.now() < deadline && conversation.place) {
    await wait(STEP_MS)
    await readAll(conversation, until)
  }
}

async function readAll(conversation: Conversation, until: number): Promise<void> {
  while (await conversation.read({ until, budgetMs: 50 }));
}

/** Changes the state of the conversation: it is stored with the events of the line. */
export function hear(conversation: Conversation, event: LifecycleEvent, { turn }: Session): HeardLine {
  const { state } = conversation
  const at = Date.parse(event.occurredAtIso) || 0
  const isRevived = state.isHistory
  state.isHistory = false
  state.isHooked = true
  state.isOpen = true
  const heard = { ...HOOKS_ALONE, hasTranscript: conversation.place !== null, isRevived }
  switch (event.eventType) {
    case 'turn.start': {
      const text = asText(event.fields['prompt'])
      if (text === null) return heard
      const promptId = idOf(event.fields['promptId'])
      return { ...heard, prompt: hearPrompt(state, { promptId, text }, turn?.id ?? null) }
    }
    case 'turn.end': {
      state.turnEndedAt = Math.max(state.turnEndedAt, at)
      if (turn === null && state.lateEnds > 0) {
        state.lateEnds -= 1
        return { ...heard, isOver: true }
      }
      state.ownTurn = null
      const text = asText(event.fields['lastAssistantMessage'])
      const isTextKnown = text !== null && state.lastText === text
      state.heardText = text === null || isTextKnown ? null : digest(text)
      return { ...heard, isTextKnown }
    }
    case 'session.lifecycle':
      if (event.phase === 'ended') conversation.end(at)
      return heard
    default:
      return heard
  }
}
