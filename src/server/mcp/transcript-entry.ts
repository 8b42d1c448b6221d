/** The readable entries of a transcript for MCP clients. Pure. */

import type { EventType, SessionEvent } from '../../protocol/event/event.js'
import { describeCall } from '../../protocol/view/describe.js'

export interface TranscriptEntry {
  seq: number
  at: string
  kind: string
  text: string
}

/** The events that have an entry. */
export const TRANSCRIPT_TYPES = [
  'message.queued',
  'text.ended',
  'tool.requested',
  'tool.ended',
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
  'agent.started',
  'agent.ended',
  'completion.recorded',
  'turn.ended',
  'error.raised',
  'notice.raised',
  'session.ended',
] as const satisfies readonly EventType[]

export function transcriptEntry(event: SessionEvent): TranscriptEntry | null {
  const said = sayingOf(event)
  return said && { seq: event.seq, at: event.at, kind: said[0], text: said[1] }
}

function sayingOf(event: SessionEvent): readonly [kind: string, text: string] | null {
  switch (event.type) {
    case 'message.queued':
      return [`message from ${event.data.from.who}`, event.data.text]
    case 'text.ended':
      return [event.data.parentToolUseId ? 'subagent' : 'agent', event.data.text]
    case 'tool.requested':
      return ['tool call', describeCall(event.data.name, event.data.input)]
    case 'tool.ended':
      return [`tool ${event.data.outcome}`, `${event.data.name}${withError(event.data.error)}`]
    case 'permission.requested':
      return ['asks for permission', `${event.data.title} (${event.data.requestId})`]
    case 'permission.resolved':
      return ['permission', `${event.data.decision} by ${event.data.who ?? event.data.by}`]
    case 'question.requested':
      return ['asks', event.data.questions.map(({ question }) => question).join('\n')]
    case 'question.resolved':
      return ['answer', event.data.answers === null ? 'none' : JSON.stringify(event.data.answers)]
    case 'agent.started':
      return ['subagent started', event.data.description ?? event.data.agentType]
    case 'agent.ended':
      return [`subagent ${event.data.outcome}`, event.data.text ?? '']
    case 'completion.recorded':
      return [event.data.success ? 'task completed' : 'task failed', event.data.result]
    case 'turn.ended':
      return [`turn ${event.data.outcome}`, event.data.errors.join('\n')]
    case 'error.raised':
      return ['error', event.data.message]
    case 'notice.raised':
      return [event.data.level, event.data.text]
    case 'session.ended':
      return [`session ${event.data.outcome}`, event.data.reason]
    default:
      return null
  }
}

function withError(error: string | undefined): string {
  return error === undefined ? '' : `: ${error}`
}
