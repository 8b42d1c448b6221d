/** The dialect `manager`: the events of a session manager in the style of `ClaudeManager`. */

import { textOfResult } from '../lib/text/result-text.js'
import type { DataOf, Delta, SessionEvent } from '../protocol/event/event.js'
import type { Activity } from '../protocol/event/session-event.js'
import { NO_USAGE } from '../protocol/usage/usage-sum.js'
import type { Question, StopReason, Usage } from '../protocol/value.js'
import { type Dialect, isServerFailure, isSubagent } from './dialect.js'
import { blockOf, nothingWritten, type Written, write } from './written.js'

export type ManagerState = 'idle' | 'working' | 'permission'

export type ManagerEvent =
  | { type: 'init'; session_id: string; model: string; tools: string[] }
  | { type: 'stateUpdate'; state: { type: Activity }; partialText: string }
  | { type: 'text'; content: string }
  | { type: 'textComplete'; text: string }
  | { type: 'toolInfo'; toolName: string; input: unknown }
  | { type: 'toolComplete'; toolName: string; success: boolean; result?: string; error?: string }
  | { type: 'askQuestion'; questions: Question[]; toolUseId: string }
  | { type: 'permission_request'; toolName: string; toolInput: unknown; toolUseId: string }
  | { type: 'state'; state: ManagerState }
  | {
      type: 'result'
      subtype: string
      duration_ms: number
      total_cost_usd: number
      num_turns: number
      usage: Usage
    }
  | { type: 'error'; error: string }

interface Progress {
  /** Null: not known, as to a reader who joins in the middle. */
  readonly hasTurn: boolean | null
  /** Unanswered requests. */
  readonly pending: readonly string[]
  readonly reported: ManagerState | null
  readonly written: Written
}

type Step = readonly [Progress, readonly ManagerEvent[]]

export const managerDialect: Dialect<Progress, ManagerEvent> = {
  initial: { hasTurn: null, pending: [], reported: null, written: nothingWritten },
  step(before, event) {
    const [progress, events] = translateEvent(before, event)
    const state = stateOf(progress)
    if (state === null || state === progress.reported) return [progress, events]
    const change: ManagerEvent = { type: 'state', state }
    // Work is announced before its events, and its end after them.
    return [{ ...progress, reported: state }, state === 'working' ? [change, ...events] : [...events, change]]
  },
}

function stateOf({ hasTurn, pending }: Progress): ManagerState | null {
  if (pending.length > 0) return 'permission'
  if (hasTurn === null) return null
  return hasTurn ? 'working' : 'idle'
}

function translateEvent(progress: Progress, event: SessionEvent | Delta): Step {
  switch (event.type) {
    case 'session.started': {
      const { claudeSessionId: session_id, model, tools } = event.data
      return [progress, [{ type: 'init', session_id, model, tools }]]
    }
    case 'session.changed': {
      const { activity } = event.data
      if (!activity) return [progress, []]
      const { text: partialText } = progress.written
      return [progress, [{ type: 'stateUpdate', state: { type: activity }, partialText }]]
    }
    case 'turn.started':
      return [{ ...progress, hasTurn: true }, []]
    case 'text.delta': {
      if (isSubagent(event.data)) return [progress, []]
      const { offset, text } = event.data
      const [written, content] = write(progress.written, { block: blockOf(event.data), offset, text })
      return [{ ...progress, written }, content === '' ? [] : [{ type: 'text', content }]]
    }
    case 'text.ended':
      if (isSubagent(event.data)) return [progress, []]
      return [{ ...progress, written: nothingWritten }, [{ type: 'textComplete', text: event.data.text }]]
    case 'tool.requested':
      return [progress, [{ type: 'toolInfo', toolName: event.data.name, input: event.data.input }]]
    case 'tool.ended':
      return [progress, [toolComplete(event.data)]]
    case 'question.requested': {
      const { questions, toolUseId, requestId } = event.data
      return [
        withPending(progress, requestId),
        [{ type: 'askQuestion', questions, toolUseId: toolUseId ?? requestId }],
      ]
    }
    case 'permission.requested': {
      const { toolName, input: toolInput, toolUseId, requestId } = event.data
      return [
        withPending(progress, requestId),
        [{ type: 'permission_request', toolName, toolInput, toolUseId: toolUseId ?? requestId }],
      ]
    }
    case 'permission.resolved':
    case 'question.resolved': {
      const pending = progress.pending.filter((id) => id !== event.data.requestId)
      // Only who works can have asked.
      return [{ ...progress, hasTurn: true, pending }, []]
    }
    case 'turn.ended':
      return [
        { ...progress, hasTurn: false, written: nothingWritten },
        [...failures(event.data), endOf(event.data)],
      ]
    case 'session.ended':
      return [{ ...progress, hasTurn: false, pending: [], written: nothingWritten }, []]
    case 'error.raised':
      return [progress, [{ type: 'error', error: event.data.message }]]
    case 'notice.raised': {
      const { text } = event.data
      return [progress, isServerFailure(event.data) ? [{ type: 'error', error: text }] : []]
    }
    default:
      return [progress, []]
  }
}

function withPending(progress: Progress, requestId: string): Progress {
  return { ...progress, pending: [...progress.pending, requestId] }
}

function toolComplete({ name, outcome, result, text, error }: DataOf<'tool.ended'>): ManagerEvent {
  const success = outcome === 'completed'
  // A call that did not run has no result but the reason; the CLI puts words of its own around that.
  const isRefused = (outcome === 'denied' || outcome === 'blocked') && error !== undefined
  return {
    type: 'toolComplete',
    toolName: name,
    success,
    ...(result !== undefined && {
      result: isRefused ? error : (text ?? textOfResult(result) ?? JSON.stringify(result)),
    }),
    ...(!success && { error: error ?? outcome }),
  }
}

function failures({ outcome, errors, stopReason }: DataOf<'turn.ended'>): ManagerEvent[] {
  if (outcome !== 'failed') return []
  return [{ type: 'error', error: errors.join('\n') || stopReason }]
}

function endOf({
  outcome,
  stopReason,
  durationMs,
  costUsd,
  turns,
  usage,
}: DataOf<'turn.ended'>): ManagerEvent {
  return {
    type: 'result',
    subtype: SUBTYPES[stopReason] ?? (outcome === 'completed' ? 'end_turn' : 'error_during_execution'),
    duration_ms: durationMs ?? 0,
    total_cost_usd: costUsd ?? 0,
    num_turns: turns ?? 0,
    usage: usage ?? NO_USAGE,
  }
}

const SUBTYPES: Partial<Record<StopReason, string>> = {
  interrupted: 'interrupted',
  max_turns: 'error_max_turns',
  budget: 'error_max_budget_usd',
  structured_output_retries: 'error_max_structured_output_retries',
  refusal: 'refusal',
  max_output_tokens: 'max_tokens',
}
