/** Translates the events of one session into updates for an editor, each piece of text once. Keeps only what is unfinished. */

import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk'
import { printable } from '../../lib/text/printable.js'
import type { DataOf, Delta, SessionEvent } from '../../protocol/event/event.js'
import type { ContentBlock as OurContent } from '../../protocol/value.js'
import { entriesOf, PLAN_TOOLS, type Tasks, tasksAfter } from './plan.js'
import { showCall, showResult } from './tool-call.js'

export interface UpdatesOptions {
  cwd: string
  /** A message that this editor has sent: it shows that one itself. Asked once for each. */
  isOwn(messageId: string): boolean
  /** The editor shows notices. */
  hasNotices: boolean
}

type Block = Omit<DataOf<'text.ended'>, 'uuid'>

export class Updates {
  readonly #options: UpdatesOptions
  /** How much of each unfinished block has been sent. */
  readonly #sent = new Map<string, number>()
  /** Messages of others that the agent has not read yet. */
  readonly #queued = new Map<string, DataOf<'message.queued'>>()
  readonly #calls = new Map<string, { name: string; input: unknown }>()
  #tasks: Tasks = new Map()

  constructor(options: UpdatesOptions) {
    this.#options = options
  }

  after(event: SessionEvent | Delta): SessionUpdate[] {
    switch (event.type) {
      case 'message.queued':
        if (!this.#options.isOwn(event.data.messageId)) this.#queued.set(event.data.messageId, event.data)
        return []
      case 'message.cancelled':
        this.#queued.delete(event.data.messageId)
        return []
      case 'message.delivered':
        return this.#message(event.data.messageId)
      case 'text.delta':
        return this.#text('agent_message_chunk', event.data, event.data.offset, false)
      case 'text.ended':
        return this.#text('agent_message_chunk', event.data, 0, true)
      case 'thinking.delta':
        return this.#text('agent_thought_chunk', event.data, event.data.offset, false)
      case 'thinking.ended':
        return this.#text('agent_thought_chunk', event.data, 0, true)
      case 'tool.requested':
        return this.#requested(event.data)
      case 'tool.started':
        return this.#started(event.data)
      case 'tool.ended':
        return this.#ended(event.data)
      case 'turn.ended':
        // Text that was cut off has no end of its own.
        this.#sent.clear()
        return []
      case 'notice.raised':
        return event.data.level === 'info' ? [] : this.#notice(event.data.level, event.data.text)
      case 'error.raised':
        return this.#notice('error', event.data.message)
      default:
        return []
    }
  }

  #message(id: string): SessionUpdate[] {
    const message = this.#queued.get(id)
    if (!message) return []
    this.#queued.delete(id)
    const blocks: ContentBlock[] = [
      ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
      ...(message.content ?? []).map(contentOf),
    ]
    return blocks.map((content) => ({ sessionUpdate: 'user_message_chunk', messageId: id, content }))
  }

  #text(
    sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
    { messageId, index, text, agentId, parentToolUseId }: Block,
    offset: number,
    isEnd: boolean,
  ): SessionUpdate[] {
    // Of a subagent: its result is in the call that started it.
    if (agentId !== undefined || parentToolUseId !== undefined) return []
    const id = `${messageId}/${index}`
    const sent = this.#sent.get(id) ?? 0
    const fresh = text.slice(Math.max(0, sent - offset))
    if (isEnd) this.#sent.delete(id)
    else this.#sent.set(id, Math.max(sent, offset + text.length))
    return fresh === '' ? [] : [{ sessionUpdate, messageId: id, content: { type: 'text', text: fresh } }]
  }

  #requested({ toolUseId, name, input }: DataOf<'tool.requested'>): SessionUpdate[] {
    this.#calls.set(toolUseId, { name, input })
    if (PLAN_TOOLS.has(name)) return []
    const call = showCall(name, input, this.#options.cwd)
    return [{ sessionUpdate: 'tool_call', toolCallId: toolUseId, status: 'pending', ...call }]
  }

  #started({ toolUseId, input }: DataOf<'tool.started'>): SessionUpdate[] {
    const call = this.#calls.get(toolUseId)
    if (!call || PLAN_TOOLS.has(call.name)) return []
    if (input !== undefined) this.#calls.set(toolUseId, { ...call, input })
    const changed = input === undefined ? {} : showCall(call.name, input, this.#options.cwd)
    return [{ sessionUpdate: 'tool_call_update', toolCallId: toolUseId, status: 'in_progress', ...changed }]
  }

  #ended({ toolUseId, name, outcome, result, text, error, by }: DataOf<'tool.ended'>): SessionUpdate[] {
    const call = this.#calls.get(toolUseId) ?? { name, input: undefined }
    this.#calls.delete(toolUseId)
    const isDone = outcome === 'completed'
    if (PLAN_TOOLS.has(name)) return isDone ? this.#plan(name, call.input, result) : []
    const problem = isDone ? undefined : (error ?? [outcome, by].filter(Boolean).join(' by '))
    const shown = showResult(name, call.input, { result, text, error: problem }, this.#options.cwd)
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: toolUseId,
        status: isDone ? 'completed' : 'failed',
        ...shown,
      },
    ]
  }

  #plan(name: string, input: unknown, result: unknown): SessionUpdate[] {
    const tasks = tasksAfter(this.#tasks, name, input, result)
    if (tasks === this.#tasks) return []
    this.#tasks = tasks
    return [{ sessionUpdate: 'plan', entries: entriesOf(tasks) }]
  }

  #notice(severity: string, text: string): SessionUpdate[] {
    return this.#options.hasNotices ? [{ sessionUpdate: 'notice', severity, title: printable(text) }] : []
  }
}

function contentOf(block: OurContent): ContentBlock {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'image')
    return { type: 'image', mimeType: block.source.media_type, data: block.source.data }
  return { type: 'text', text: `[attached: ${block.title}]` }
}
