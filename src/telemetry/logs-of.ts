/** Log records of events, with the names that Claude Code uses where it has them. Pure. */

import { SESSION_SPAN, spanIdOf, traceIdOf } from '../lib/trace-id.js'
import type { SessionEvent } from '../protocol/event/event.js'
import { previewOf } from '../protocol/view/preview.js'
import { type Attributes, anyValue, keyValues, type LogRecord, nanos } from './otlp.js'

const MAX_CONTENT = 4_000
const INFO = [9, 'INFO'] as const
const WARN = [13, 'WARN'] as const
const ERROR = [17, 'ERROR'] as const

/** Null for an event without a record. Texts of users and agents only with `hasContent`. */
export function logOf(event: SessionEvent, hasContent: boolean): LogRecord | null {
  const said = recordOf(event, (text) => (hasContent ? previewOf(text, MAX_CONTENT) : undefined))
  if (!said) return null
  const { name, attributes, severity = INFO } = said
  const time = nanos(Date.parse(event.at))
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: severity[0],
    severityText: severity[1],
    body: anyValue(name),
    attributes: keyValues({ 'event.name': name, 'session.id': event.sessionId, ...attributes }),
    traceId: traceIdOf(event.sessionId),
    spanId: spanIdOf(event.sessionId, SESSION_SPAN),
  }
}

interface Said {
  name: string
  attributes: Attributes
  severity?: readonly [number, string]
}

function recordOf(event: SessionEvent, content: (text: string) => string | undefined): Said | null {
  switch (event.type) {
    case 'message.queued': {
      const { text, from } = event.data
      const attributes = { prompt_length: text.length, prompt: content(text), 'signalbox.via': from.via }
      return { name: 'claude_code.user_prompt', attributes }
    }
    case 'tool.ended': {
      const { name, outcome, durationMs, toolUseId } = event.data
      const attributes = {
        tool_name: name,
        tool_use_id: toolUseId,
        success: outcome === 'completed',
        duration_ms: durationMs,
        'signalbox.tool.outcome': outcome,
      }
      return { name: 'claude_code.tool_result', attributes }
    }
    case 'tool.judged': {
      const { name, decision, by, toolUseId } = event.data
      const attributes = { tool_name: name, tool_use_id: toolUseId, decision, source: by.split(':')[0] }
      return { name: 'claude_code.tool_decision', attributes }
    }
    case 'permission.resolved': {
      const { decision, by, via, requestId } = event.data
      const attributes = { decision, source: by, 'signalbox.via': via, 'signalbox.request.id': requestId }
      return { name: 'claude_code.tool_decision', attributes }
    }
    case 'turn.ended': {
      const { outcome, stopReason, durationMs, costUsd } = event.data
      const attributes = { outcome, stop_reason: stopReason, duration_ms: durationMs, cost_usd: costUsd }
      return { name: 'signalbox.turn', attributes, ...(outcome === 'failed' && { severity: ERROR }) }
    }
    case 'error.raised':
      return { name: 'signalbox.error', attributes: { code: event.data.code }, severity: ERROR }
    case 'notice.raised': {
      const { level, topic, text } = event.data
      const severity = { info: INFO, warning: WARN, error: ERROR }[level]
      return { name: 'signalbox.notice', attributes: { topic, text: content(text) }, severity }
    }
    default:
      return null
  }
}
