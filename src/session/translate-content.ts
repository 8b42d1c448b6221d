/** What an agent says: whole messages, and the fragments of the one that is being written. */

import { asCount, asList, asRecord, asText, type Loose } from '../lib/loose.js'
import { endForegroundTask } from './translate-task.js'
import { endToolWithResult, requestTool } from './translate-tool.js'
import { type Speaker, type StreamedBlock, setActivity, type Translation } from './translation.js'

export function translateAssistant(to: Translation, message: Loose): void {
  const inner = asRecord(message['message'])
  const speaker = speakerOf(message)
  if (message['is_api_error_message'] === true) return raiseApiError(to, message, inner)
  const messageId = asText(inner['id']) ?? ''
  const uuid = asText(message['uuid'])
  for (const block of asList(inner['content']).map(asRecord)) {
    const index = to.state.blockCounts[messageId] ?? 0
    to.state.blockCounts = { ...to.state.blockCounts, [messageId]: index + 1 }
    translateBlock(to, block, { messageId, index, ...(uuid !== null && { uuid }), ...speaker }, message)
  }
}

type BlockPlace = Speaker & { messageId: string; index: number; uuid?: string }

function translateBlock(to: Translation, block: Loose, place: BlockPlace, message: Loose): void {
  switch (block['type']) {
    case 'text':
      to.emit({ type: 'text.ended', data: { ...place, text: asText(block['text']) ?? '' } })
      break
    case 'thinking':
      to.emit({ type: 'thinking.ended', data: { ...place, text: asText(block['thinking']) ?? '' } })
      break
    case 'tool_use': {
      const { messageId: _, index: __, ...speaker } = place
      const name = asText(block['name']) ?? ''
      requestTool(to, { toolUseId: asText(block['id']) ?? '', name, input: block['input'], ...speaker })
      break
    }
    default:
      to.emit({ type: 'sdk.message', data: { message } })
  }
  if (place.parentToolUseId === undefined) to.state.block = null
}

/** The CLI says an API failure as if the model had written it. */
function raiseApiError(to: Translation, message: Loose, inner: Loose): void {
  const text = asList(inner['content'])
    .map((block) => asText(asRecord(block)['text']) ?? '')
    .join('\n')
  const details = {
    error: message['error'],
    status: message['api_error_status'],
    kind: message['api_error_type'],
  }
  to.emit({ type: 'notice.raised', data: { level: 'error', topic: 'api', text, details } })
}

export function translateUser(to: Translation, message: Loose): void {
  if (message['isReplay'] === true) return
  const content = asList(asRecord(message['message'])['content']).map(asRecord)
  for (const block of content) {
    if (block['type'] !== 'tool_result') continue
    endForegroundTask(to, asText(block['tool_use_id']) ?? '')
    endToolWithResult(to, block, message)
  }
  const hasOther = content.length === 0 || content.some((block) => block['type'] !== 'tool_result')
  if (hasOther && !isInterruptMark(content)) to.emit({ type: 'sdk.message', data: { message } })
}

/** The turn's end says the same. */
function isInterruptMark(content: readonly Loose[]): boolean {
  return content.every((block) => (asText(block['text']) ?? '').startsWith('[Request interrupted by user'))
}

function speakerOf(message: Loose): Speaker {
  const parentToolUseId = asText(message['parent_tool_use_id'])
  const agentId = asText(message['agent_id'])
  return { ...(agentId !== null && { agentId }), ...(parentToolUseId !== null && { parentToolUseId }) }
}

/** Fragments. Only the main agent streams; a subagent's messages come whole. */
export function translateStreamEvent(to: Translation, message: Loose): void {
  const event = asRecord(message['event'])
  switch (event['type']) {
    case 'message_start':
      to.state.streamedMessageId = asText(asRecord(event['message'])['id'])
      to.state.inputTokens = inputTokensIn(asRecord(asRecord(event['message'])['usage']))
      to.state.block = null
      break
    case 'message_delta':
      measureContext(to, asCount(asRecord(event['usage'])['output_tokens']))
      break
    case 'content_block_start':
      startBlock(to, asCount(event['index']) ?? 0, asRecord(event['content_block']))
      break
    case 'content_block_delta':
      addToBlock(to, asRecord(event['delta']))
      break
    default:
      // The ends of blocks and messages are known from the whole message.
      break
  }
}

/** What a message was made from, and the message itself: the next one is made from both. */
function measureContext(to: Translation, outputTokens: number | null): void {
  const { inputTokens } = to.state
  if (inputTokens === null || outputTokens === null) return
  const contextTokens = inputTokens + outputTokens
  if (contextTokens === to.state.contextTokens) return
  to.state.contextTokens = contextTokens
  to.emit({ type: 'session.changed', data: { contextTokens } })
}

function inputTokensIn(usage: Loose): number | null {
  const fresh = asCount(usage['input_tokens'])
  if (fresh === null) return null
  return (
    fresh +
    (asCount(usage['cache_read_input_tokens']) ?? 0) +
    (asCount(usage['cache_creation_input_tokens']) ?? 0)
  )
}

function startBlock(to: Translation, index: number, block: Loose): void {
  const messageId = to.state.streamedMessageId ?? ''
  switch (block['type']) {
    case 'text':
      to.state.block = { kind: 'text', messageId, index, length: 0 }
      break
    case 'thinking':
      to.state.block = { kind: 'thinking', messageId, index, length: 0 }
      break
    case 'tool_use':
      to.state.block = {
        kind: 'tool',
        toolUseId: asText(block['id']) ?? '',
        name: asText(block['name']) ?? '',
        length: 0,
      }
      setActivity(to, 'tool')
      break
    default:
      to.state.block = null
  }
}

function addToBlock(to: Translation, delta: Loose): void {
  const { block } = to.state
  const text = block && fragmentOf(block, delta)
  if (!block || !text) return
  const offset = block.length
  if (block.kind === 'tool') {
    const { toolUseId, name } = block
    to.emit({ type: 'tool.input.delta', data: { toolUseId, name, offset, text } })
  } else {
    const { kind, messageId, index } = block
    to.emit({ type: `${kind}.delta`, data: { messageId, index, offset, text } })
    // Behind the fragment, which then need not wait until this is stored.
    setActivity(to, kind === 'text' ? 'responding' : 'thinking')
  }
  to.state.block = { ...block, length: offset + text.length }
}

function fragmentOf(block: StreamedBlock, delta: Loose): string | null {
  switch (block.kind) {
    case 'text':
      return asText(delta['text'])
    case 'thinking':
      return asText(delta['thinking'])
    case 'tool':
      return asText(delta['partial_json'])
  }
}
