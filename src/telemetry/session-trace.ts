/** Spans of one session, from its events. Pure: the open spans are a value, which is saved with the cursor. */

import { SESSION_SPAN, spanIdOf, traceIdOf } from '../lib/trace-id.js'
import type { DataOf, EventOf, SessionEvent } from '../protocol/event/event.js'
import { previewOf } from '../protocol/view/preview.js'
import {
  type Attributes,
  keyValues,
  nanos,
  SPAN_CLIENT,
  SPAN_INTERNAL,
  type Span,
  STATUS_ERROR,
  STATUS_UNSET,
} from './otlp.js'

interface OpenSpan {
  readonly name: string
  readonly parent: string | null
  readonly startMs: number
  readonly attributes: Attributes
}

export interface TraceState {
  readonly open: Readonly<Record<string, OpenSpan>>
  readonly model: string | null
  readonly turn: string | null
}

export const EMPTY_TRACE: TraceState = { open: {}, model: null, turn: null }

/** Open spans of one session. Calls and requests beyond that have no span. */
const MAX_OPEN = 300
const MAX_CONTENT = 4_000

type Step = readonly [TraceState, readonly Span[]]

export function traceStep(state: TraceState, event: SessionEvent, hasContent: boolean): Step {
  const at = Date.parse(event.at)
  const { sessionId } = event
  const conversation = { 'gen_ai.conversation.id': sessionId }
  const turn = state.turn === null ? SESSION_SPAN : turnKey(state.turn)
  const start = (key: string, name: string, parent: string | null, attributes: Attributes): Step => {
    if (Object.keys(state.open).length >= MAX_OPEN || key in state.open) return [state, []]
    const span: OpenSpan = { name, parent, startMs: at, attributes: { ...conversation, ...attributes } }
    return [{ ...state, open: { ...state.open, [key]: span } }, []]
  }
  const end = (key: string, attributes: Attributes, problem: string | null): Step =>
    endSpan(state, sessionId, { key, at, attributes, problem })
  switch (event.type) {
    case 'session.created': {
      const { agent, model, kind, cwd } = event.data
      const [after] = start(SESSION_SPAN, `invoke_agent ${agent ?? 'claude'}`, null, {
        ...OPERATION.agent,
        'gen_ai.agent.name': agent ?? 'claude',
        'gen_ai.request.model': model,
        'signalbox.session.kind': kind,
        ...(hasContent && { 'signalbox.session.folder': cwd }),
      })
      return [{ ...after, model }, []]
    }
    case 'session.started':
      return [{ ...state, model: event.data.model }, []]
    case 'turn.started': {
      const { turnId, origin } = event.data
      const [after] = start(turnKey(turnId), 'chat', SESSION_SPAN, {
        ...OPERATION.chat,
        'gen_ai.request.model': state.model,
        'signalbox.turn.origin': origin.kind,
      })
      return [{ ...after, turn: turnId }, []]
    }
    case 'turn.ended':
      return endTurn(state, event)
    case 'tool.requested': {
      const { toolUseId, name, input, agentId, parentToolUseId } = event.data
      const parent = agentId === undefined ? toolKey(parentToolUseId) : agentKey(agentId)
      return start(toolKey(toolUseId) ?? '', `execute_tool ${name}`, openParent(state, parent) ?? turn, {
        ...OPERATION.tool,
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': toolUseId,
        ...(hasContent && { 'gen_ai.tool.call.arguments': content(input) }),
      })
    }
    case 'tool.ended': {
      const { toolUseId, outcome, result, text, error, by } = event.data
      const attributes = {
        'signalbox.tool.outcome': outcome,
        'signalbox.tool.decided_by': by?.split(':')[0],
        ...(hasContent && outcome === 'completed' && { 'gen_ai.tool.call.result': content(text ?? result) }),
      }
      return end(toolKey(toolUseId) ?? '', attributes, problemOf(outcome, error, hasContent))
    }
    case 'permission.requested':
    case 'question.requested': {
      const { requestId, toolUseId, toolName } = event.data
      const kind = event.type === 'permission.requested' ? 'permission' : 'question'
      return start(
        requestKey(requestId),
        `wait_for_user ${kind}`,
        openParent(state, toolKey(toolUseId)) ?? turn,
        {
          'signalbox.request.id': requestId,
          'signalbox.request.kind': kind,
          'gen_ai.tool.name': toolName,
        },
      )
    }
    case 'permission.resolved':
    case 'question.resolved': {
      const { requestId, by, via } = event.data
      const decision = event.type === 'permission.resolved' ? event.data.decision : undefined
      const attributes = {
        'signalbox.request.decision': decision,
        'signalbox.request.by': by,
        'signalbox.request.via': via,
      }
      return end(requestKey(requestId), attributes, null)
    }
    case 'hook.started': {
      const { hookId, event: name, toolUseId, command } = event.data
      return start(hookKey(hookId), `hook ${name}`, openParent(state, toolKey(toolUseId)) ?? turn, {
        'signalbox.hook.event': name,
        ...(hasContent && { 'signalbox.hook.command': content(command) }),
      })
    }
    case 'hook.ended': {
      const { hookId, outcome, exitCode } = event.data
      const attributes = { 'signalbox.hook.outcome': outcome, 'signalbox.hook.exit_code': exitCode }
      return end(hookKey(hookId), attributes, outcome === 'broken' ? outcome : null)
    }
    case 'agent.started': {
      const { agentId, agentType, parentToolUseId } = event.data
      return start(
        agentKey(agentId),
        `invoke_agent ${agentType}`,
        openParent(state, toolKey(parentToolUseId)) ?? turn,
        {
          ...OPERATION.agent,
          'gen_ai.agent.name': agentType,
          'gen_ai.agent.id': agentId,
        },
      )
    }
    case 'agent.ended': {
      const { agentId, outcome } = event.data
      return end(agentKey(agentId), { 'signalbox.outcome': outcome }, outcome === 'failed' ? outcome : null)
    }
    case 'session.ended':
      return endSession(state, event)
    default:
      return [state, []]
  }
}

const PROVIDER = { 'gen_ai.provider.name': 'anthropic' }
const OPERATION = {
  agent: { 'gen_ai.operation.name': 'invoke_agent', ...PROVIDER },
  chat: { 'gen_ai.operation.name': 'chat', ...PROVIDER },
  tool: { 'gen_ai.operation.name': 'execute_tool', ...PROVIDER },
}

interface Ending {
  key: string
  at: number
  attributes: Attributes
  problem: string | null
}

function endSpan(state: TraceState, sessionId: string, { key, at, attributes, problem }: Ending): Step {
  const span = state.open[key]
  if (!span) return [state, []]
  const { [key]: _, ...open } = state.open
  // A key may come again, as that of a session that is resumed: its start makes the span another one.
  const id = key === SESSION_SPAN ? key : `${key} ${span.startMs}`
  const parent = span.parent === null ? null : parentId(state, span.parent)
  const ended: Span = {
    traceId: traceIdOf(sessionId),
    spanId: spanIdOf(sessionId, id),
    ...(parent !== null && { parentSpanId: spanIdOf(sessionId, parent) }),
    name: span.name,
    kind: span.name === 'chat' ? SPAN_CLIENT : SPAN_INTERNAL,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(Math.max(at, span.startMs)),
    attributes: keyValues({
      ...span.attributes,
      ...attributes,
      ...(problem !== null && { 'error.type': problem.slice(0, 200) }),
    }),
    status: problem === null ? { code: STATUS_UNSET } : { code: STATUS_ERROR, message: problem },
  }
  return [{ ...state, open }, [ended]]
}

/** A parent that has ended before its child, or was never seen, is replaced by the session. */
function parentId(state: TraceState, key: string): string {
  const parent = state.open[key]
  return key === SESSION_SPAN || !parent ? SESSION_SPAN : `${key} ${parent.startMs}`
}

function endTurn(state: TraceState, event: EventOf<'turn.ended'>): Step {
  const { turnId, usage, costUsd, stopReason, outcome } = event.data
  const attributes = {
    'gen_ai.response.finish_reasons': [stopReason],
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheCreationInputTokens,
    'signalbox.cost_usd': costUsd,
    'signalbox.outcome': outcome,
  }
  const [after, spans] = endSpan(state, event.sessionId, {
    key: turnKey(turnId),
    at: Date.parse(event.at),
    attributes,
    problem: outcome === 'failed' ? stopReason : null,
  })
  return [{ ...after, turn: null }, spans]
}

/** Spans that are still open end with the session, children first. */
function endSession(state: TraceState, { at, sessionId, data }: EventOf<'session.ended'>): Step {
  const keys = Object.keys(state.open).filter((key) => key !== SESSION_SPAN)
  let left = state
  const spans: Span[] = []
  for (const key of [...keys.toReversed(), SESSION_SPAN]) {
    const problem = key === SESSION_SPAN && data.outcome === 'failed' ? 'failed' : null
    const [after, ended] = endSpan(left, sessionId, {
      key,
      at: Date.parse(at),
      attributes: { 'signalbox.outcome': data.outcome },
      problem,
    })
    left = after
    spans.push(...ended)
  }
  return [EMPTY_TRACE, spans]
}

function openParent(state: TraceState, key: string | null): string | null {
  return key !== null && key in state.open ? key : null
}

function problemOf(
  outcome: DataOf<'tool.ended'>['outcome'],
  error: string | undefined,
  hasContent: boolean,
): string | null {
  if (outcome === 'completed') return null
  return hasContent && error !== undefined ? previewOf(error, MAX_CONTENT) : outcome
}

function content(value: unknown): string {
  return previewOf(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), MAX_CONTENT)
}

const turnKey = (id: string) => `turn ${id}`
const toolKey = (id: string | null | undefined) => (id === null || id === undefined ? null : `tool ${id}`)
const requestKey = (id: string) => `request ${id}`
const hookKey = (id: string) => `hook ${id}`
const agentKey = (id: string) => `agent ${id}`
