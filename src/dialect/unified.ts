/** The dialect `unified`: one stream of messages, tools and runs, as providers behind `ClaudeCodeBuilder` give it. */

import type { Billing } from '../protocol/dialect-name.js'
import type { DataOf, Delta, SessionEvent } from '../protocol/event/event.js'
import type { Form } from '../protocol/form/form.js'
import type { Question } from '../protocol/value.js'
import { type Dialect, isServerFailure, isSubagent } from './dialect.js'
import { blockOf, nothingWritten, type Written, write } from './written.js'

interface UnifiedUsage {
  input_tokens: number
  output_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
}

export type UnifiedEvent =
  | { type: 'message_start' | 'content_block_stop' | 'message_stop'; payload: Record<string, never> }
  | { type: 'text_delta'; payload: { text: string } }
  | { type: 'tool_input_delta'; payload: { partial_json: string } }
  | { type: 'tool_start'; payload: { id: string; name: string; input: unknown } }
  | { type: 'tool_result'; payload: { id: string; name: string; result: unknown } }
  | {
      type: 'permission_request'
      requestId: string
      toolName: string
      toolInput: unknown
      timestamp: string
    }
  | {
      type: 'question_request'
      requestId: string
      questions: Question[]
      /** The form of an MCP server, if the request is an elicitation. */
      form?: Form
      timestamp: string
    }
  | {
      type: 'run_complete'
      payload: {
        success: boolean
        duration_ms: number
        num_turns: number
        total_cost_usd: number
        usage: UnifiedUsage
      }
    }
  | { type: 'error'; payload: { message: string } }

interface Progress {
  /** The message being streamed; null between messages. */
  readonly message: string | null
  readonly written: Written
}

type Step = readonly [Progress, readonly UnifiedEvent[]]

/** On a flat rate a run costs nothing. */
export function unifiedDialect(billing: Billing = 'api'): Dialect<Progress, UnifiedEvent> {
  return {
    initial: { message: null, written: nothingWritten },
    step: (progress, event) => step(progress, event, billing),
  }
}

function step(progress: Progress, event: SessionEvent | Delta, billing: Billing): Step {
  switch (event.type) {
    case 'text.delta':
    case 'text.ended': {
      if (isSubagent(event.data)) return [progress, []]
      const offset = event.type === 'text.delta' ? event.data.offset : 0
      const [begun, start] = begin(progress, event.data.messageId)
      const { text } = event.data
      const [written, fresh] = write(begun.written, { block: blockOf(event.data), offset, text })
      const delta: UnifiedEvent[] = fresh === '' ? [] : [{ type: 'text_delta', payload: { text: fresh } }]
      return event.type === 'text.delta'
        ? [{ ...begun, written }, [...start, ...delta]]
        : [{ ...begun, written: nothingWritten }, [...start, ...delta, empty('content_block_stop')]]
    }
    case 'thinking.delta':
    case 'thinking.ended': {
      if (isSubagent(event.data)) return [progress, []]
      const [begun, start] = begin(progress, event.data.messageId)
      return [begun, event.type === 'thinking.delta' ? start : [...start, empty('content_block_stop')]]
    }
    case 'tool.input.delta': {
      if (isSubagent(event.data)) return [progress, []]
      const { toolUseId, offset, text } = event.data
      const [begun, start] = begin(progress, progress.message ?? toolUseId)
      const [written, fresh] = write(begun.written, { block: toolUseId, offset, text })
      const delta: UnifiedEvent[] =
        fresh === '' ? [] : [{ type: 'tool_input_delta', payload: { partial_json: fresh } }]
      return [{ ...begun, written }, [...start, ...delta]]
    }
    case 'tool.requested': {
      const { toolUseId: id, name, input } = event.data
      const start: UnifiedEvent = { type: 'tool_start', payload: { id, name, input } }
      if (isSubagent(event.data)) return [progress, [start]]
      const [begun, opening] = begin(progress, progress.message ?? id)
      return [{ ...begun, written: nothingWritten }, [...opening, empty('content_block_stop'), start]]
    }
    case 'tool.ended': {
      const { toolUseId: id, name, outcome, result, error } = event.data
      const [ended, stop] = isSubagent(event.data) ? ([progress, []] as const) : end(progress)
      const toolResult: UnifiedEvent = {
        type: 'tool_result',
        payload: { id, name, result: outcome === 'completed' ? result : (error ?? outcome) },
      }
      return [ended, [...stop, toolResult]]
    }
    case 'permission.requested': {
      const { requestId, toolName, input: toolInput } = event.data
      const [ended, stop] = end(progress)
      return [
        ended,
        [...stop, { type: 'permission_request', requestId, toolName, toolInput, timestamp: event.at }],
      ]
    }
    case 'question.requested': {
      const { requestId, questions, form } = event.data
      const [ended, stop] = end(progress)
      const asked: UnifiedEvent = {
        type: 'question_request',
        requestId,
        questions,
        ...(form && { form }),
        timestamp: event.at,
      }
      return [ended, [...stop, asked]]
    }
    case 'turn.ended': {
      const [ended, stop] = end(progress)
      return [ended, [...stop, ...completion(event.data, billing)]]
    }
    case 'error.raised':
      return [progress, [{ type: 'error', payload: { message: event.data.message } }]]
    case 'notice.raised': {
      const { text } = event.data
      return [progress, isServerFailure(event.data) ? [{ type: 'error', payload: { message: text } }] : []]
    }
    default:
      return [progress, []]
  }
}

function begin(progress: Progress, message: string): Step {
  if (progress.message === message) return [progress, []]
  const [ended, stop] = end(progress)
  return [{ ...ended, message }, [...stop, empty('message_start')]]
}

function end(progress: Progress): Step {
  if (progress.message === null) return [progress, []]
  return [{ message: null, written: nothingWritten }, [empty('message_stop')]]
}

function empty(type: 'message_start' | 'content_block_stop' | 'message_stop'): UnifiedEvent {
  return { type, payload: {} }
}

function completion(turn: DataOf<'turn.ended'>, billing: Billing): UnifiedEvent[] {
  if (turn.outcome === 'interrupted')
    return [{ type: 'error', payload: { message: 'Query aborted by user' } }]
  const { usage } = turn
  return [
    {
      type: 'run_complete',
      payload: {
        success: turn.outcome === 'completed',
        duration_ms: turn.durationMs ?? 0,
        num_turns: turn.turns ?? 0,
        total_cost_usd: billing === 'subscription' ? 0 : (turn.costUsd ?? 0),
        usage: {
          input_tokens: usage?.inputTokens ?? 0,
          output_tokens: usage?.outputTokens ?? 0,
          cache_creation_input_tokens: usage?.cacheCreationInputTokens ?? 0,
          cache_read_input_tokens: usage?.cacheReadInputTokens ?? 0,
        },
      },
    },
  ]
}
