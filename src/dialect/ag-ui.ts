/**
 * The dialect `ag-ui`: a session as runs of the Agent User Interaction Protocol 1.0. A turn is a run. A run that needs the user
 * finishes with the outcome `interrupt`, and the turn goes on in the next run.
 */

import { textOfResult } from '../lib/text/result-text.js'
import type { DataOf, Delta, SessionEvent } from '../protocol/event/event.js'
import { type Dialect, isSubagent } from './dialect.js'
import { blockOf, nothingWritten, type Written, write } from './written.js'

interface Interrupt {
  id: string
  reason: 'permission' | 'question'
  message: string
  toolCallId?: string
  expiresAt?: string
  responseSchema: Readonly<Record<string, unknown>>
  metadata: { toolName: string; input: unknown }
}

interface TokenUsage {
  provider: 'anthropic'
  model: string
  inputTokens: number
  outputTokens: number
  cachedInputTokens: number
  cacheWriteInputTokens: number
}

type Outcome = { type: 'success' } | { type: 'cancelled' } | { type: 'interrupt'; interrupts: Interrupt[] }

type AgUiBody =
  | { type: 'RUN_STARTED'; threadId: string; runId: string; parentRunId?: string }
  | { type: 'RUN_FINISHED'; threadId: string; runId: string; outcome: Outcome; usage?: TokenUsage[] }
  | { type: 'RUN_ERROR'; message: string; code?: string }
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' }
  | { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'TEXT_MESSAGE_END' | 'REASONING_MESSAGE_END'; messageId: string }
  | { type: 'REASONING_START' | 'REASONING_END'; messageId: string }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  | { type: 'CUSTOM'; name: string; value: unknown }

export type AgUiEvent = AgUiBody & { timestamp: number }

interface Progress {
  /** The open run. */
  readonly run: string | null
  /** The run before it. */
  readonly previous: string | null
  readonly turn: string | null
  /** Runs of this session so far: each has an id of its own. */
  readonly runs: number
  /** The block that is being written, and what kind it is. */
  readonly block: { readonly kind: 'text' | 'thinking'; readonly id: string } | null
  readonly written: Written
  /** Calls that were announced while their input was being written. */
  readonly announced: readonly string[]
  readonly pending: readonly Interrupt[]
}

type Step = readonly [Progress, readonly AgUiBody[]]

export const agUiDialect: Dialect<Progress, AgUiEvent> = {
  initial: {
    run: null,
    previous: null,
    turn: null,
    runs: 0,
    block: null,
    written: nothingWritten,
    announced: [],
    pending: [],
  },
  step(before, event) {
    const [after, bodies] = suspended(translateEvent(before, event), event.sessionId)
    const timestamp = Date.parse(event.at)
    return [after, bodies.map((body) => ({ ...body, timestamp }))]
  },
}

function translateEvent(progress: Progress, event: SessionEvent | Delta): Step {
  const { sessionId } = event
  switch (event.type) {
    case 'turn.started':
      return inRun({ ...progress, turn: event.data.turnId }, sessionId, [])
    case 'text.delta':
    case 'thinking.delta':
      return isSubagent(event.data)
        ? [progress, []]
        : written(progress, sessionId, event.type === 'text.delta' ? 'text' : 'thinking', event.data)
    case 'text.ended':
    case 'thinking.ended': {
      if (isSubagent(event.data)) return [progress, []]
      const kind = event.type === 'text.ended' ? 'text' : 'thinking'
      const [whole, events] = written(progress, sessionId, kind, { ...event.data, offset: 0 })
      const [closed, end] = closeBlock(whole)
      return [closed, [...events, ...end]]
    }
    case 'tool.input.delta': {
      const { toolUseId, name } = event.data
      if (isSubagent(event.data) || progress.announced.includes(toolUseId)) return [progress, []]
      const [closed, end] = closeBlock(progress)
      const announced = [...closed.announced, toolUseId]
      return inRun({ ...closed, announced }, sessionId, [...end, callStart(toolUseId, name)])
    }
    case 'tool.requested': {
      const { toolUseId: toolCallId, name, input } = event.data
      if (isSubagent(event.data)) return [progress, []]
      const [closed, end] = closeBlock(progress)
      const isAnnounced = closed.announced.includes(toolCallId)
      const announced = closed.announced.filter((id) => id !== toolCallId)
      // The input as a whole: a reader who joined late has not got its beginning.
      return inRun({ ...closed, announced }, sessionId, [
        ...end,
        ...(isAnnounced ? [] : [callStart(toolCallId, name)]),
        { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input ?? {}) },
        { type: 'TOOL_CALL_END', toolCallId },
      ])
    }
    case 'tool.ended':
      return isSubagent(event.data) ? [progress, []] : inRun(progress, sessionId, [resultOf(event.data)])
    case 'permission.requested': {
      const asked = interruptOf(event.at, event.data, 'permission', event.data.title, PERMISSION_REPLY)
      return inRun({ ...progress, pending: [...progress.pending, asked] }, sessionId, [])
    }
    case 'question.requested': {
      const { questions, form } = event.data
      const message = form?.message ?? questions.map(({ question }) => question).join('\n')
      const asked = interruptOf(event.at, event.data, 'question', message, QUESTION_REPLY)
      return inRun({ ...progress, pending: [...progress.pending, asked] }, sessionId, [])
    }
    case 'permission.resolved':
    case 'question.resolved': {
      const pending = progress.pending.filter(({ id }) => id !== event.data.requestId)
      return [{ ...progress, pending }, []]
    }
    case 'turn.ended':
      return ended(progress, sessionId, event.data)
    case 'session.ended':
      return progress.run === null ? [forgotten(progress), []] : cancelled(progress, sessionId)
    case 'error.raised': {
      const { code, message } = event.data
      if (progress.run === null) return [progress, [{ type: 'RUN_ERROR', message, code }]]
      return [progress, [{ type: 'CUSTOM', name: 'signalbox.error', value: { code, message } }]]
    }
    default:
      return [progress, []]
  }
}

/** Opens a run where none is open: nothing may be sent outside of one. */
function inRun(progress: Progress, threadId: string, events: readonly AgUiBody[]): Step {
  if (progress.run !== null) return [progress, events]
  const runs = progress.runs + 1
  const run = `${progress.turn ?? threadId}/${runs}`
  const start: AgUiBody = {
    type: 'RUN_STARTED',
    threadId,
    runId: run,
    ...(progress.previous !== null && { parentRunId: progress.previous }),
  }
  return [{ ...progress, run, runs }, [start, ...events]]
}

/** While requests wait for the user no run is open. */
function suspended([progress, events]: Step, threadId: string): Step {
  const { run, pending } = progress
  if (run === null || pending.length === 0) return [progress, events]
  const [closed, end] = closeBlock(progress)
  const outcome: Outcome = { type: 'interrupt', interrupts: [...pending] }
  const finish: AgUiBody = { type: 'RUN_FINISHED', threadId, runId: run, outcome }
  return [{ ...closed, run: null, previous: run }, [...events, ...end, finish]]
}

function ended(progress: Progress, threadId: string, turn: DataOf<'turn.ended'>): Step {
  const [open, start] = inRun({ ...progress, pending: [] }, threadId, [])
  const [closed, end] = closeBlock(open)
  const runId = closed.run ?? ''
  const last: AgUiBody =
    turn.outcome === 'failed'
      ? { type: 'RUN_ERROR', message: turn.errors.join('\n') || turn.stopReason, code: turn.stopReason }
      : {
          type: 'RUN_FINISHED',
          threadId,
          runId,
          outcome: { type: turn.outcome === 'completed' ? 'success' : 'cancelled' },
          usage: usageOf(turn),
        }
  return [forgotten(closed), [...start, ...end, last]]
}

function cancelled(progress: Progress, threadId: string): Step {
  const [closed, end] = closeBlock(progress)
  const outcome: Outcome = { type: 'cancelled' }
  return [forgotten(closed), [...end, { type: 'RUN_FINISHED', threadId, runId: closed.run ?? '', outcome }]]
}

function forgotten(progress: Progress): Progress {
  return { ...progress, run: null, previous: null, turn: null, announced: [], pending: [] }
}

type Piece = { messageId: string; index: number; offset: number; text: string }

function written(progress: Progress, threadId: string, kind: 'text' | 'thinking', piece: Piece): Step {
  const id = blockOf(piece)
  const [before, end] = progress.block?.id === id ? ([progress, []] as const) : closeBlock(progress)
  const [text, fresh] = write(before.written, { block: id, offset: piece.offset, text: piece.text })
  const start = before.block === null ? startOf(kind, id) : []
  const content: AgUiBody[] = fresh === '' ? [] : [contentOf(kind, id, fresh)]
  return inRun({ ...before, block: { kind, id }, written: text }, threadId, [...end, ...start, ...content])
}

function startOf(kind: 'text' | 'thinking', messageId: string): AgUiBody[] {
  if (kind === 'text') return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ]
}

function contentOf(kind: 'text' | 'thinking', messageId: string, delta: string): AgUiBody {
  return { type: kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT', messageId, delta }
}

function closeBlock(progress: Progress): Step {
  const { block } = progress
  if (block === null) return [progress, []]
  const { kind, id: messageId } = block
  const closed = { ...progress, block: null, written: nothingWritten }
  if (kind === 'text') return [closed, [{ type: 'TEXT_MESSAGE_END', messageId }]]
  return [
    closed,
    [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ],
  ]
}

function callStart(toolCallId: string, toolCallName: string): AgUiBody {
  return { type: 'TOOL_CALL_START', toolCallId, toolCallName }
}

function resultOf({ toolUseId, outcome, result, text, error }: DataOf<'tool.ended'>): AgUiBody {
  const said = outcome === 'completed' ? (text ?? textOfResult(result) ?? JSON.stringify(result)) : error
  return {
    type: 'TOOL_CALL_RESULT',
    messageId: `${toolUseId}/result`,
    toolCallId: toolUseId,
    content: said ?? outcome,
    role: 'tool',
  }
}

const PERMISSION_REPLY = {
  type: 'object',
  properties: { decision: { enum: ['allow', 'allowAll', 'deny'] }, message: { type: 'string' } },
  required: ['decision'],
}
const QUESTION_REPLY = { type: 'object', properties: { answers: { type: 'object' } }, required: ['answers'] }

type Asked = DataOf<'permission.requested'> | DataOf<'question.requested'>

function interruptOf(
  at: string,
  { requestId, toolUseId, toolName, input, timeoutMs }: Asked,
  reason: Interrupt['reason'],
  message: string,
  responseSchema: Interrupt['responseSchema'],
): Interrupt {
  return {
    id: requestId,
    reason,
    message,
    ...(toolUseId !== null && { toolCallId: toolUseId }),
    ...(timeoutMs !== undefined && { expiresAt: new Date(Date.parse(at) + timeoutMs).toISOString() }),
    responseSchema,
    metadata: { toolName, input },
  }
}

function usageOf({ modelUsage }: DataOf<'turn.ended'>): TokenUsage[] {
  return Object.entries(modelUsage ?? {}).map(([model, usage]) => ({
    provider: 'anthropic',
    model,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cachedInputTokens: usage.cacheReadInputTokens,
    cacheWriteInputTokens: usage.cacheCreationInputTokens,
  }))
}
