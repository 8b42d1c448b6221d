/** The block that the agent is writing now, assembled from deltas. */

import type { Delta, SessionEvent } from '../event/event.js'
import type { StreamingBlock } from '../session.js'

/** The block being written, after an event or a delta. */
export function partialAfter(
  before: StreamingBlock | null,
  event: SessionEvent | Delta,
): StreamingBlock | null {
  switch (event.type) {
    case 'text.delta':
    case 'thinking.delta':
    case 'tool.input.delta':
      return applyDelta(before, event)
    case 'turn.ended':
    case 'session.ended':
      return null
    case 'text.ended':
    case 'thinking.ended':
    case 'tool.requested':
      // Blocks of subagents arrive whole, while the main agent's block is still being written.
      return event.data.parentToolUseId === undefined ? null : before
    default:
      return before
  }
}

function applyDelta(before: StreamingBlock | null, delta: Delta): StreamingBlock {
  const { offset, text } = delta.data
  const known = before && isSameBlock(before, delta) ? before.text.slice(0, offset) : ''
  if (delta.type === 'tool.input.delta') {
    return { kind: 'tool', toolUseId: delta.data.toolUseId, name: delta.data.name, text: known + text }
  }
  const { messageId, index } = delta.data
  return { kind: delta.type === 'text.delta' ? 'text' : 'thinking', messageId, index, text: known + text }
}

function isSameBlock(partial: StreamingBlock, delta: Delta): boolean {
  if (delta.type === 'tool.input.delta')
    return partial.kind === 'tool' && partial.toolUseId === delta.data.toolUseId
  const kind = delta.type === 'text.delta' ? 'text' : 'thinking'
  if (partial.kind !== kind) return false
  return partial.messageId === delta.data.messageId && partial.index === delta.data.index
}

/** The block being written as one delta from offset 0, for a subscriber that joins in the middle. */
export function partialAsDelta(sessionId: string, at: string, partial: StreamingBlock): Delta {
  const { text } = partial
  if (partial.kind === 'tool') {
    const { toolUseId, name } = partial
    return { sessionId, at, type: 'tool.input.delta', data: { toolUseId, name, offset: 0, text } }
  }
  const { kind, messageId, index } = partial
  return { sessionId, at, type: `${kind}.delta`, data: { messageId, index, offset: 0, text } }
}
