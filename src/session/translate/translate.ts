/**
 * Translates messages of the SDK and of the gate to events: a pure function over all of them, in the order in
 * which they happened.
 */

import { idOfUuid } from '../../lib/id.js'
import { asCount, asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { SnapshotRef } from '../../protocol/change/change.js'
import { quoteNotice, raiseNotice } from '../../protocol/event/notice.js'
import { reason as codedReason } from '../../protocol/reason/reason.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'
import type { Actor, PermissionMode, StopReason } from '../../protocol/value.js'
import { translateAssistant, translateStreamEvent, translateUser } from './content.js'
import { raiseRateLimit } from './model-condition.js'
import { abandonTurn, translateResult } from './result.js'
import {
  type Emission,
  endModelCondition,
  ensureTurn,
  type Translation,
  type TranslationState,
} from './state.js'
import { translateSystem } from './system.js'
import { interruptTasks } from './task.js'
import {
  cancelTools,
  changeToolInput,
  type Judgement,
  judgeTool,
  noteToolRun,
  noteUnjailed,
  requestTool,
  type ToolCall,
} from './tool.js'

export type SessionInput =
  /** A message of the SDK, of any shape. */
  | { kind: 'sdk'; message: unknown }
  /** A message was handed to the CLI. */
  | { kind: 'sent'; messageId: string }
  /** Claude Code is asked to cancel a message that it was given. */
  | { kind: 'cancelling'; messageId: string; reason: string }
  /** It has cancelled it. */
  | { kind: 'cancelled'; messageId: string }
  /** The user has chosen another mode. */
  | { kind: 'mode'; mode: PermissionMode; by: Actor | null }
  /** A tool call is about to be judged. */
  | { kind: 'requested'; call: ToolCall }
  /** A command hook has changed its input. */
  | { kind: 'changed'; toolUseId: string; input: unknown }
  /** The tool has run; hooks may still do something about it. */
  | { kind: 'ran'; toolUseId: string; durationMs: number }
  | { kind: 'unjailed'; toolUseId: string }
  /** The state of the workspace after the calls of the turn. */
  | { kind: 'snapshot'; snapshot: SnapshotRef }
  /** The gate has decided a tool call. */
  | { kind: 'judged'; judgement: Judgement }
  /** The process has ended, and everything that it did. */
  | { kind: 'closed'; stopReason: StopReason; errors: string[]; why?: ReasonPart }

export interface TranslateDeps {
  now: number
  newTurnId(): string
}

export function translate(
  before: TranslationState,
  input: SessionInput,
  { now, newTurnId }: TranslateDeps,
): { state: TranslationState; output: Emission[] } {
  const state = { ...before }
  const output: Emission[] = []
  const to: Translation = { state, now, newTurnId, emit: (item) => output.push(item) }
  switch (input.kind) {
    case 'sdk':
      translateMessage(to, asRecord(input.message), input.message)
      break
    case 'sent':
      state.sent = [...state.sent, input.messageId]
      break
    case 'cancelling':
      state.cancelling = { ...state.cancelling, [input.messageId]: input.reason }
      break
    case 'cancelled':
      cancelSent(to, input.messageId)
      break
    case 'mode':
      state.mode = input.mode
      to.emit({
        type: 'session.changed',
        data: { permissionMode: input.mode, ...(input.by && { by: input.by }) },
      })
      break
    case 'requested':
      if (!state.endedTools.includes(input.call.toolUseId)) requestTool(to, input.call)
      break
    case 'changed':
      changeToolInput(to, input.toolUseId, input.input)
      break
    case 'ran':
      noteToolRun(to, input.toolUseId, input.durationMs)
      break
    case 'unjailed':
      noteUnjailed(to, input.toolUseId)
      break
    case 'snapshot':
      state.snapshot = input.snapshot
      state.turnSnapshot = input.snapshot
      break
    case 'judged':
      judgeTool(to, input.judgement)
      break
    case 'closed':
      cancelTools(to, () => true)
      interruptTasks(to)
      abandonTurn(to, input)
      break
  }
  return { state, output }
}

function translateMessage(to: Translation, message: Loose, raw: unknown): void {
  switch (message['type']) {
    case 'stream_event':
      endModelCondition(to)
      return translateStreamEvent(to, message)
    case 'assistant':
      if (message['is_api_error_message'] !== true) endModelCondition(to)
      return translateAssistant(to, message)
    case 'user':
      return translateUser(to, message)
    case 'system':
      return translateSystem(to, message)
    case 'result':
      return translateResult(to, message)
    case 'command_lifecycle':
      return translateDelivery(to, message)
    case 'tool_progress':
      return translateProgress(to, message)
    case 'rate_limit_event':
      return raiseRateLimit(to, message)
    case 'auth_status':
      return raiseAuthStatus(to, message)
    case 'conversation_reset':
      return resetConversation(to, message)
    default:
      to.emit({ type: 'sdk.message', data: { message: raw } })
  }
}

/** The CLI reports when it reads a message, and when it cancels one. The end of one that was read is the turn's. */
function translateDelivery(to: Translation, message: Loose): void {
  const wakeUp = asText(message['wakeup_source'])
  if (wakeUp !== null) to.state.wakeUp = { kind: 'schedule', name: wakeUp }
  const messageId = idOfUuid('msg', asText(message['command_uuid']) ?? '') ?? ''
  if (message['state'] === 'cancelled') return cancelSent(to, messageId)
  if (message['state'] !== 'started') return
  if (to.state.sent.includes(messageId)) {
    forgetSent(to, messageId)
    const turnId = ensureTurn(to, [messageId], { kind: 'person' })
    to.emit({ type: 'message.delivered', data: { messageId, turnId } })
  } else {
    // Not a message of ours: the CLI continues earlier work.
    ensureTurn(to, [], to.state.wakeUp ?? { kind: 'resume' })
  }
}

/** A message ends once: one that was read, or is cancelled already, is left alone. */
function cancelSent(to: Translation, messageId: string): void {
  if (!to.state.sent.includes(messageId)) return
  const reason = to.state.cancelling[messageId] ?? 'Claude Code cancelled it before it was read.'
  forgetSent(to, messageId)
  to.emit({ type: 'message.cancelled', data: { messageId, reason } })
}

function forgetSent(to: Translation, messageId: string): void {
  const { [messageId]: _, ...cancelling } = to.state.cancelling
  to.state.cancelling = cancelling
  to.state.sent = to.state.sent.filter((id) => id !== messageId)
}

function translateProgress(to: Translation, message: Loose): void {
  // The heartbeat of a running tool has an id of its own and names the call as its parent.
  const isHeartbeat = message['heartbeat'] === true
  const toolUseId = asText(message[isHeartbeat ? 'parent_tool_use_id' : 'tool_use_id'])
  const seconds = asCount(message['elapsed_time_seconds'])
  if (toolUseId === null) return to.emit({ type: 'sdk.message', data: { message } })
  to.emit({
    type: 'tool.progressed',
    data: { toolUseId, ...(seconds !== null && { elapsedMs: seconds * 1000 }) },
  })
}

function raiseAuthStatus(to: Translation, message: Loose): void {
  const error = asText(message['error'])
  const details = { output: message['output'] }
  if (error !== null) return to.emit(quoteNotice('error', 'auth', error, details))
  const isStarting = message['isAuthenticating'] === true
  const why = isStarting ? codedReason('notice.logging-in') : codedReason('notice.logged-in')
  to.emit(raiseNotice('info', 'auth', why, details))
}

/** The user has cleared the conversation: the session has another one from now on. */
function resetConversation(to: Translation, message: Loose): void {
  const claudeSessionId = asText(message['new_conversation_id'])
  to.state.contextTokens = null
  const fresh = { ...(claudeSessionId !== null && { claudeSessionId }), contextTokens: null }
  to.emit({ type: 'session.changed', data: fresh })
  const trigger = asText(message['trigger']) ?? 'unknown'
  to.emit(raiseNotice('info', 'conversation', codedReason('notice.cleared'), { trigger }))
}
