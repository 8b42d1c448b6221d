/** Output of an agent: whole messages, and the deltas of the one being written. */

import { isDeepStrictEqual } from 'node:util'
import { asCount, asList, asRecord, asText, type Loose } from '../../lib/read-json.js'
import { quoteNotice } from '../../protocol/event/notice.js'
import { addUsage } from '../../protocol/usage/usage-sum.js'
import type { Usage } from '../../protocol/value.js'
import { usageOf } from './result.js'
import { type AgentRef, type StreamedBlock, setActivity, type Translation } from './state.js'
import { endForegroundTask } from './task.js'
import { endToolWithResult, requestTool } from './tool.js'

export function translateAssistant(to: Translation, message: Loose): void {
  const inner = asRecord(message['message'])
  const speaker = agentRefOf(message)
  if (message['is_api_error_message'] === true) return raiseApiError(to, message, inner)
  const messageId = asText(inner['id']) ?? ''
  const uuid = asText(message['uuid'])
  for (const block of asList(inner['content']).map(asRecord)) {
    const index = to.state.blockCounts[messageId] ?? 0
    to.state.blockCounts = { ...to.state.blockCounts, [messageId]: index + 1 }
    translateBlock(to, block, { messageId, index, ...(uuid !== null && { uuid }), ...speaker }, message)
  }
}

type BlockPlace = AgentRef & { messageId: string; index: number; uuid?: string }

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
  to.emit(quoteNotice('error', 'api', text, details))
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

function agentRefOf(message: Loose): AgentRef {
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
      to.state.streamedUsage = startedUsage(asRecord(asRecord(event['message'])['usage']))
      to.state.usageBefore = to.state.turnUsage
      to.state.block = null
      break
    case 'message_delta':
      measure(to, asRecord(event['usage']))
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

/**
 * The context is what a message was made from, and the message itself: the next one is made from both. Both figures go
 * into one event, since each is a commit.
 */
function measure(to: Translation, ended: Loose): void {
  const { streamedUsage, turn, usageBefore } = to.state
  if (streamedUsage === null || asCount(ended['output_tokens']) === null) return
  const usage = endedUsage(streamedUsage, usageOf(ended))
  const contextTokens = Object.values(usage).reduce((sum, tokens) => sum + tokens, 0)
  const turnUsage = addUsage(usageBefore, usage)
  const isGrown = turn !== null && !isDeepStrictEqual(turnUsage, to.state.turnUsage)
  const isChanged = contextTokens !== to.state.contextTokens
  if (!isGrown && !isChanged) return
  to.state.contextTokens = contextTokens
  if (isGrown) to.state.turnUsage = turnUsage
  to.emit({
    type: 'session.changed',
    data: { ...(isChanged && { contextTokens }), ...(isGrown && { turnUsage }) },
  })
}

function startedUsage(usage: Loose): Usage | null {
  return asCount(usage['input_tokens']) === null ? null : { ...usageOf(usage), outputTokens: 0 }
}

/** The end of a message may correct what its start said of the input; where it says nothing, the start counts. */
function endedUsage(start: Usage, end: Usage): Usage {
  return {
    inputTokens: end.inputTokens || start.inputTokens,
    outputTokens: end.outputTokens,
    cacheReadInputTokens: end.cacheReadInputTokens || start.cacheReadInputTokens,
    cacheCreationInputTokens: end.cacheCreationInputTokens || start.cacheCreationInputTokens,
  }
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
