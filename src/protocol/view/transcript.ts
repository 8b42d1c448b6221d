/** Reduces events to a readable conversation: a list of items. Pure; used by the CLI and the dashboard. */

import type { ToolOutcome } from '../event/content-event.js'
import type { Delta, SessionEvent } from '../event/event.js'
import type { ReasonParts } from '../reason/reason-part.js'
import type { Actor, ContentBlock, Outcome, StopReason, WhenBusy } from '../value.js'

interface Spoken {
  /** The tool call that started the subagent this item belongs to. */
  parentToolUseId?: string
}

/** Start time, as far as the events show it. */
interface Dated {
  at: string
}

export type TranscriptItem = Dated &
  (
    | {
        kind: 'message'
        id: string
        text: string
        /** Content besides plain text. */
        content: readonly ContentBlock[]
        whenBusy: WhenBusy
        from: Actor
        state: 'queued' | 'delivered' | 'cancelled'
      }
    | ({ kind: 'text' | 'thinking'; id: string; text: string; isWriting: boolean; uuid?: string } & Spoken)
    | ToolItem
    | {
        kind: 'turn'
        id: string
        outcome: Outcome
        stopReason: StopReason
        errors: string[]
        errorParts?: ReasonParts | undefined
        costUsd: number | null
        /** Nothing was spent: the scripted model has answered. */
        isScripted?: true
        durationMs: number | null
      }
    | {
        kind: 'notice'
        id: string
        level: 'info' | 'warning' | 'error'
        topic: string
        text: string
        textParts?: ReasonParts | undefined
      }
    | { kind: 'compaction'; id: string; preTokens: number | null; postTokens: number | null }
    | { kind: 'rewind'; id: string; files: readonly string[] }
    | { kind: 'end'; id: string; outcome: Outcome; reason: string; reasonParts?: ReasonParts | undefined }
    | { kind: 'undo'; id: string; files: number; who: string; isRedo: boolean }
    | { kind: 'overlap'; id: string; files: readonly string[]; sessionId: string }
  )

/** A subagent, shown at the tool call that started it. */
export interface AgentItem {
  id: string
  type: string
  description: string | null
  isBackground: boolean
  /** Null while it runs. */
  outcome: Outcome | null
}

type ToolItem = Dated &
  Spoken & {
    kind: 'tool'
    id: string
    /** Claude's id of the message that contains the call. */
    uuid?: string
    name: string
    agent: AgentItem | null
    /** Null while it is being written. */
    input: unknown
    /** The part of the input received so far. */
    writing: string | null
    state: 'writing' | 'requested' | 'running' | ToolOutcome
    requestId: string | null
    result: unknown
    error: string | null
    durationMs: number | null
    by: string | null
    /** Runs, or ran, in the read-only jail. */
    isJailed?: boolean
  }

export interface Transcript {
  readonly items: readonly TranscriptItem[]
  /** Index of each item, by id. */
  readonly places: ReadonlyMap<string, number>
  /** The tool call that started each subagent, by agent id. */
  readonly agents: ReadonlyMap<string, string>
}

export const emptyTranscript: Transcript = { items: [], places: new Map(), agents: new Map() }

/** Takes a batch: the list is copied once per batch, not once per event. */
export function extendTranscript(before: Transcript, events: Iterable<SessionEvent | Delta>): Transcript {
  const items = [...before.items]
  const places = new Map(before.places)
  const agents = new Map(before.agents)
  const list: List = {
    get: (id) => items[places.get(id) ?? -1],
    last: () => items.at(-1),
    ofAgent: (id) => items[places.get(agents.get(id) ?? '') ?? -1],
    put(item) {
      if (item.kind === 'tool' && item.agent) agents.set(item.agent.id, item.id)
      const place = places.get(item.id)
      if (place === undefined) places.set(item.id, items.push(item) - 1)
      else items[place] = item
    },
  }
  for (const event of events) apply(list, event)
  return { items, places, agents }
}

type NoticeItem = Extract<TranscriptItem, { kind: 'notice' }>

function isNotice(item: TranscriptItem | undefined, topic: string): item is NoticeItem {
  return item?.kind === 'notice' && item.topic === topic
}

interface List {
  get(id: string): TranscriptItem | undefined
  last(): TranscriptItem | undefined
  ofAgent(id: string): TranscriptItem | undefined
  put(item: TranscriptItem): void
}

function apply(list: List, event: SessionEvent | Delta): void {
  switch (event.type) {
    case 'message.queued': {
      const { messageId: id, text, content = [], whenBusy, from } = event.data
      return list.put({ kind: 'message', id, at: event.at, text, content, whenBusy, from, state: 'queued' })
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
      const at = known?.at ?? event.at
      return list.put({ kind, id, at, text: start + text, isWriting: true })
    }
    case 'text.ended':
    case 'thinking.ended': {
      const { messageId, index, text, uuid, parentToolUseId } = event.data
      const kind = event.type === 'text.ended' ? 'text' : 'thinking'
      const id = blockId(messageId, index)
      const at = list.get(id)?.at ?? event.at
      return list.put({
        kind,
        id,
        at,
        text,
        isWriting: false,
        ...(uuid !== undefined && { uuid }),
        ...spoken(parentToolUseId),
      })
    }
    case 'tool.input.delta': {
      const { toolUseId, name, offset, text } = event.data
      const known = tool(list, event.at, toolUseId, name)
      return list.put({ ...known, state: 'writing', writing: (known.writing ?? '').slice(0, offset) + text })
    }
    case 'tool.requested': {
      const { toolUseId, name, input, uuid, parentToolUseId } = event.data
      return list.put({
        ...tool(list, event.at, toolUseId, name),
        input,
        writing: null,
        state: 'requested',
        ...(uuid !== undefined && { uuid }),
        ...spoken(parentToolUseId),
      })
    }
    case 'tool.started': {
      const { toolUseId, input, jail } = event.data
      const known = tool(list, event.at, toolUseId)
      return list.put({
        ...known,
        state: 'running',
        ...(input !== undefined && { input }),
        ...(jail && { isJailed: true }),
      })
    }
    case 'tool.ended': {
      const {
        toolUseId,
        name,
        outcome,
        result = null,
        error = null,
        durationMs,
        by = null,
        jail,
      } = event.data
      const known = tool(list, event.at, toolUseId, name)
      const ended = {
        state: outcome,
        result,
        error,
        durationMs,
        by,
        ...(jail === false && { isJailed: false }),
      }
      return list.put({ ...known, ...ended })
    }
    case 'agent.started': {
      const { agentId, agentType: type, description = null, isBackground, parentToolUseId } = event.data
      if (parentToolUseId === undefined) return
      const agent: AgentItem = { id: agentId, type, description, isBackground, outcome: null }
      return list.put({ ...tool(list, event.at, parentToolUseId), agent })
    }
    case 'agent.ended': {
      const { agentId, outcome } = event.data
      const known = list.ofAgent(agentId)
      if (known?.kind === 'tool' && known.agent) list.put({ ...known, agent: { ...known.agent, outcome } })
      return
    }
    case 'permission.requested':
    case 'question.requested': {
      const { toolUseId, toolName, requestId } = event.data
      if (toolUseId !== null) list.put({ ...tool(list, event.at, toolUseId, toolName), requestId })
      return
    }
    case 'turn.ended': {
      const {
        turnId: id,
        outcome,
        stopReason,
        errors,
        errorParts,
        costUsd,
        isScripted,
        durationMs,
      } = event.data
      const last = list.last()
      // The CLI reports the error that ends a turn twice: it stands at the end of the turn.
      if (isNotice(last, 'api') && errors.includes(last.text)) list.put({ ...last, level: 'info' })
      const end = { outcome, stopReason, errors, costUsd, durationMs }
      const more = { ...(errorParts && { errorParts }), ...(isScripted && { isScripted }) }
      return list.put({ kind: 'turn', id, at: event.at, ...end, ...more })
    }
    case 'context.compacted': {
      const { preTokens, postTokens } = event.data
      return list.put({ kind: 'compaction', id: event.id, at: event.at, preTokens, postTokens })
    }
    case 'files.rewound':
      return list.put({ kind: 'rewind', id: event.id, at: event.at, files: event.data.files })
    case 'setup.ended': {
      const { outcome, output } = event.data
      const level = outcome === 'completed' ? 'info' : 'warning'
      const text = `Setup ${outcome}.${output === '' ? '' : `\n${output}`}`
      return list.put({ kind: 'notice', id: event.id, at: event.at, level, topic: 'setup', text })
    }
    case 'changes.undone': {
      const { totals, by, isRedo = false } = event.data
      return list.put({ kind: 'undo', id: event.id, at: event.at, files: totals.files, who: by.who, isRedo })
    }
    case 'changes.overlapped': {
      const { files, sessionId } = event.data
      return list.put({ kind: 'overlap', id: event.id, at: event.at, files, sessionId })
    }
    case 'session.ended': {
      const { outcome, reason, reasonParts } = event.data
      return list.put({
        kind: 'end',
        id: event.id,
        at: event.at,
        outcome,
        reason,
        ...(reasonParts && { reasonParts }),
      })
    }
    case 'notice.raised': {
      const { level, topic, text, textParts } = event.data
      const last = list.last()
      // Retries of one request are one item that counts.
      const { id, at } = topic === 'retry' && isNotice(last, 'retry') ? last : event
      return list.put({ kind: 'notice', id, at, level, topic, text, ...(textParts && { textParts }) })
    }
    case 'error.raised': {
      const { code: topic, message: text } = event.data
      return list.put({ kind: 'notice', id: event.id, at: event.at, level: 'error', topic, text })
    }
    // Other events are not part of the conversation.
    default:
  }
}

/** The id of the item that shows the text of an event; null if the conversation does not show it. */
export function itemIdOf(event: SessionEvent): string | null {
  switch (event.type) {
    case 'message.queued':
      return event.data.messageId
    case 'text.ended':
    case 'thinking.ended':
      return blockId(event.data.messageId, event.data.index)
    case 'tool.requested':
    case 'tool.ended':
      return event.data.toolUseId
    case 'permission.requested':
    case 'question.requested':
      return event.data.toolUseId
    case 'notice.raised':
      // A retry may be counted in the item of an earlier one.
      return event.data.topic === 'retry' ? null : event.id
    case 'error.raised':
      return event.id
    default:
      return null
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

/** The item of a tool call, created if it is not known yet. */
function tool(list: List, at: string, id: string, name = ''): ToolItem {
  const known = list.get(id)
  if (known?.kind === 'tool') return known
  return {
    kind: 'tool',
    id,
    at,
    name,
    agent: null,
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
