/** From the steps of a rule to what goes over the wire: one message as a whole, or as the stream of the Messages API. */

import { errorType } from './error-type.js'
import type { Script, Step } from './script.js'

/** A step, made ready: blocks have their ids and final content. */
export type Part =
  | { kind: 'block'; block: ContentBlock; chunk: number; delayMs: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'cut' }
  | { kind: 'fail'; status: number; message: string; headers: Readonly<Record<string, string>> }

type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }

export interface Reply {
  parts: readonly Part[]
  /** The message without its content. */
  message: { id: string; model: string; stop_reason: string; usage: Record<string, number> } & Record<
    string,
    unknown
  >
}

export interface ReplyContext {
  messageId: string
  model: string
  defaults: Script['defaults']
  usage: Script['defaults']['usage']
  newToolId(): string
}

export function prepareReply(steps: readonly Step[], context: ReplyContext): Reply {
  const parts: Part[] = []
  let stopReason: string | null = null
  for (const step of steps) {
    if ('stop' in step) stopReason = step.stop
    else parts.push(partOf(step, context))
  }
  const hasTool = parts.some((part) => part.kind === 'block' && part.block.type === 'tool_use')
  return {
    parts,
    message: {
      id: context.messageId,
      type: 'message',
      role: 'assistant',
      model: context.model,
      stop_reason: stopReason ?? (hasTool ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: { ...NO_USAGE, ...context.defaults.usage, ...context.usage },
    },
  }
}

const NO_USAGE = {
  input_tokens: 10,
  output_tokens: 10,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
}

function partOf(step: Exclude<Step, { stop: string }>, context: ReplyContext): Part {
  if ('error' in step) {
    const { error: status, message = errorType(status), headers = {} } = step
    return { kind: 'fail', status, message, headers }
  }
  if ('cut' in step) return { kind: 'cut' }
  if (!('text' in step || 'thinking' in step || 'tool' in step)) return { kind: 'wait', ms: step.delayMs }
  return {
    kind: 'block',
    block: blockOf(step, context),
    chunk: step.chunk ?? context.defaults.chunk ?? 12,
    delayMs: step.delayMs ?? context.defaults.delayMs ?? 0,
  }
}

type BlockStep = Extract<Step, { text: string } | { thinking: string } | { tool: string }>

function blockOf(step: BlockStep, context: ReplyContext): ContentBlock {
  if ('text' in step) return { type: 'text', text: step.text }
  if ('thinking' in step) return { type: 'thinking', thinking: step.thinking, signature: 'c2NyaXB0ZWQ=' }
  return { type: 'tool_use', id: step.id ?? context.newToolId(), name: step.tool, input: step.input ?? {} }
}

export type StreamEvent = { type: string } & Record<string, unknown>
type Action = { kind: 'event'; event: StreamEvent } | Exclude<Part, { kind: 'block' }>

/** The stream, in order. A failure or cut ends it. Nothing is sent before the first block, so an early failure can be a status. */
export function* playReply({ parts, message }: Reply): Generator<Action> {
  let isOpen = false
  let index = 0
  for (const part of parts) {
    if (part.kind !== 'block') {
      yield part
      if (part.kind !== 'wait') return
      continue
    }
    if (!isOpen) yield* openMessage(message)
    isOpen = true
    yield* playBlock(index, part)
    index += 1
  }
  if (!isOpen) yield* openMessage(message)
  yield event('message_delta', {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: message.usage['output_tokens'] },
  })
  yield event('message_stop', {})
}

function* openMessage(message: Reply['message']): Generator<Action> {
  yield event('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } },
  })
  yield event('ping', {})
}

function* playBlock(index: number, { block, chunk, delayMs }: Part & { kind: 'block' }): Generator<Action> {
  const { start, text, delta } = streamed(block)
  yield event('content_block_start', { index, content_block: start })
  for (const piece of pieces(text, chunk)) {
    if (delayMs > 0) yield { kind: 'wait', ms: delayMs }
    yield event('content_block_delta', { index, delta: delta(piece) })
  }
  if (block.type === 'thinking') {
    yield event('content_block_delta', {
      index,
      delta: { type: 'signature_delta', signature: block.signature },
    })
  }
  yield event('content_block_stop', { index })
}

function streamed(block: ContentBlock): { start: object; text: string; delta(piece: string): object } {
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        text: block.text,
        delta: (text) => ({ type: 'text_delta', text }),
      }
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        text: block.thinking,
        delta: (thinking) => ({ type: 'thinking_delta', thinking }),
      }
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        text: JSON.stringify(block.input),
        delta: (partial_json) => ({ type: 'input_json_delta', partial_json }),
      }
  }
}

/** Cuts by characters, never through a surrogate pair. */
function* pieces(text: string, size: number): Generator<string> {
  const characters = Array.from(text)
  for (let start = 0; start < characters.length; start += size) {
    yield characters.slice(start, start + size).join('')
  }
}

function event(type: string, fields: Record<string, unknown>): Action {
  return { kind: 'event', event: { type, ...fields } }
}

/** The same reply for a request without `stream`. */
export function wholeMessage({ parts, message }: Reply): Record<string, unknown> {
  return { ...message, content: parts.flatMap((part) => (part.kind === 'block' ? [part.block] : [])) }
}
