/** From events to what a person reads: the conversation as a list of items. Pure; the CLI and the dashboard use it. */

import type { ToolOutcome } from './content-event.js'
import type { Delta, SessionEvent } from './event.js'
import type { Actor, Outcome, StopReason } from './value.js'

interface Spoken {
  /** The tool call that started the subagent who speaks. */
  parentToolUseId?: string
}

export type TranscriptItem =
  | { kind: 'message'; id: string; text: string; from: Actor; state: 'queued' | 'delivered' | 'cancelled' }
  | ({ kind: 'text' | 'thinking'; id: string; text: string; isWriting: boolean } & Spoken)
  | ({
      kind: 'tool'
      id: string
      name: string
      /** Null while it is being written. */
      input: unknown
      /** The input as far as it is written. */
      writing: string | null
      state: 'writing' | 'requested' | 'running' | ToolOutcome
      requestId: string | null
      result: unknown
      error: string | null
      durationMs: number | null
      by: string | null
    } & Spoken)
  | {
      kind: 'turn'
      id: string
      outcome: Outcome
      stopReason: StopReason
      errors: string[]
      costUsd: number | null
      durationMs: number | null
    }
  | { kind: 'notice'; id: string; level: 'info' | 'warning' | 'error'; text: string }

type ToolItem = Extract<TranscriptItem, { kind: 'tool' }>

export interface Transcript {
  readonly items: readonly TranscriptItem[]
  /** Where each item stands, by its id. */
  readonly places: ReadonlyMap<string, number>
}

export const emptyTranscript: Transcript = { items: [], places: new Map() }

/** Takes a whole batch, so that a long list is copied once for all of it. */
export function extendTranscript(before: Transcript, events: Iterable<SessionEvent | Delta>): Transcript {
  const items = [...before.items]
  const places = new Map(before.places)
  const list: List = {
    get: (id) => items[places.get(id) ?? -1],
    put(item) {
      const place = places.get(item.id)
      if (place === undefined) places.set(item.id, items.push(item) - 1)
      else items[place] = item
    },
  }
  for (const event of events) apply(list, event)
  return { items, places }
}

interface List {
  get(id: string): TranscriptItem | undefined
  put(item: TranscriptItem): void
}

function apply(list: List, event: SessionEvent | Delta): void {
  switch (event.type) {
    case 'message.queued': {
      const { messageId: id, text, from } = event.data
      return list.put({ kind: 'message', id, text, from, state: 'queued' })
    }
    case 'message.delivered':
      return changeMessage(list, event.data.messageId, 'delivered')
    case 'message.cancelled':
      return changeMessage(list, event.data.messageId, 'cancelled')
    case 'text.delta':
    case 'thinking.delta': {
      const { messageId, index, offset, text } = event.data
      const kind = event.type === 'text.delta' ? 'text' : 'thinking'
      const id = blockId(messageId, index)
      const known = list.get(id)
      const start = known && 'text' in known ? known.text.slice(0, offset) : ''
      return list.put({ kind, id, text: start + text, isWriting: true })
    }
    case 'text.ended':
    case 'thinking.ended': {
      const { messageId, index, text, parentToolUseId } = event.data
      const kind = event.type === 'text.ended' ? 'text' : 'thinking'
      return list.put({
        kind,
        id: blockId(messageId, index),
        text,
        isWriting: false,
        ...spoken(parentToolUseId),
      })
    }
    case 'tool.input.delta': {
      const { toolUseId, name, offset, text } = event.data
      const known = tool(list, toolUseId, name)
      return list.put({ ...known, state: 'writing', writing: (known.writing ?? '').slice(0, offset) + text })
    }
    case 'tool.requested': {
      const { toolUseId, name, input, parentToolUseId } = event.data
      const known = tool(list, toolUseId, name)
      return list.put({ ...known, input, writing: null, state: 'requested', ...spoken(parentToolUseId) })
    }
    case 'tool.started': {
      const { toolUseId, input } = event.data
      const known = tool(list, toolUseId)
      return list.put({ ...known, state: 'running', ...(input !== undefined && { input }) })
    }
    case 'tool.ended': {
      const { toolUseId, name, outcome, result = null, error = null, durationMs, by = null } = event.data
      return list.put({ ...tool(list, toolUseId, name), state: outcome, result, error, durationMs, by })
    }
    case 'permission.requested':
    case 'question.requested': {
      const { toolUseId, toolName, requestId } = event.data
      if (toolUseId !== null) list.put({ ...tool(list, toolUseId, toolName), requestId })
      return
    }
    case 'turn.ended': {
      const { turnId: id, outcome, stopReason, errors, costUsd, durationMs } = event.data
      return list.put({ kind: 'turn', id, outcome, stopReason, errors, costUsd, durationMs })
    }
    case 'notice.raised':
      return list.put({ kind: 'notice', id: event.id, level: event.data.level, text: event.data.text })
    case 'error.raised':
      return list.put({ kind: 'notice', id: event.id, level: 'error', text: event.data.message })
    // The rest is no part of the conversation.
    default:
  }
}

function blockId(messageId: string, index: number): string {
  return `${messageId}/${index}`
}

function spoken(parentToolUseId: string | undefined): Spoken {
  return parentToolUseId === undefined ? {} : { parentToolUseId }
}

function changeMessage(list: List, id: string, state: 'delivered' | 'cancelled'): void {
  const message = list.get(id)
  if (message?.kind === 'message') list.put({ ...message, state })
}

/** The item of a tool call; a new one if nothing is known of it yet. */
function tool(list: List, id: string, name = ''): ToolItem {
  const known = list.get(id)
  if (known?.kind === 'tool') return known
  return {
    kind: 'tool',
    id,
    name,
    input: null,
    writing: null,
    state: 'requested',
    requestId: null,
    result: null,
    error: null,
    durationMs: null,
    by: null,
  }
}
