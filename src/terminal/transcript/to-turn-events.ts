/** Prompts and turns of a transcript. The hooks report them too: whichever source is first records them. */

import { digest } from '../../lib/digest.js'
import type { Outcome } from '../../protocol/value.js'
import { type ConversationState, MAX_PROMPTS, type Prompt, type Translation } from './state.js'
import { cancelCalls } from './to-call-events.js'
import { endAgentOfTask, flushUsage } from './to-figure-events.js'

const TERMINAL = { who: 'terminal', via: 'terminal' } as const
const COMMAND = /^<command-name>\s*(\/?[^<\s]+)\s*<\/command-name>/
const COMMAND_FIRST = /<command-name>\s*(\/?[^<\s]+)\s*<\/command-name>/
const ARGUMENTS_START = '<command-args>'
const ARGUMENTS_END = '</command-args>'
const NOTIFICATION = '<task-notification'
/** Output of commands that the CLI runs itself. */
const OUTPUT = /^<(?:local-command|bash-std|command-contents|system-reminder)/

interface PromptPlace {
  readonly promptId: string | null
  readonly at: number
  readonly isInTurn?: boolean
}

export function readPrompt(
  to: Translation,
  said: string,
  { promptId, at, isInTurn = false }: PromptPlace,
): void {
  if (OUTPUT.test(said)) return
  const { conversation, known, newId, emit } = to
  const text = typedText(said)
  const isTask = text.startsWith(NOTIFICATION)
  if (isTask) endAgentOfTask(to, text, at)
  if (takePrompt(conversation.heard, promptId, digest(text))) return
  if (!isInTurn && conversation.ownTurn !== null && !hasOpenCalls(to))
    closeOwnTurn(
      to,
      conversation.isFailed ? 'failed' : conversation.isFinal ? 'completed' : 'interrupted',
      at,
    )
  if (!isInTurn) conversation.lastText = null
  const isCommand = COMMAND.test(said) || COMMAND_FIRST.test(said.slice(0, 1_000))
  const messageId = isTask ? null : newId('msg')
  if (messageId !== null) {
    reopen(to, at)
    emit({ type: 'message.queued', data: { messageId, text, whenBusy: 'inject', from: TERMINAL } }, at)
  }
  // A command may be one that the CLI answers itself: its turn starts with the first answer.
  if (known.turnId === null && !isCommand) {
    const turnId = newId('trn')
    known.turnId = turnId
    conversation.ownTurn = { id: turnId, startedAt: at }
    const origin = { kind: isTask ? ('task' as const) : ('person' as const) }
    emit(
      { type: 'turn.started', data: { turnId, messageIds: messageId === null ? [] : [messageId], origin } },
      at,
    )
  }
  const { turnId } = known
  if (messageId !== null)
    emit({ type: 'message.delivered', data: { messageId, ...(turnId !== null && { turnId }) } }, at)
  addPrompt(conversation.read, { promptId, text: digest(text), turnId })
}

/** A prompt as the user typed it, which is what the hook reports. */
function typedText(said: string): string {
  const name = COMMAND_FIRST.exec(said.slice(0, 1_000))?.[1]
  if (name === undefined) return said
  const words = between(said, ARGUMENTS_START, ARGUMENTS_END).trim()
  const command = name.startsWith('/') ? name : `/${name}`
  return words === '' ? command : `${command} ${words}`
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start)
  const to = from < 0 ? -1 : text.indexOf(end, from)
  return to < 0 ? '' : text.slice(from + start.length, to)
}

function hasOpenCalls({ file }: Translation): boolean {
  return file.calls.length > 0
}

export function reopen({ known, emit }: Translation, at: number): void {
  if (!known.isEnded) return
  known.isEnded = false
  emit({ type: 'session.changed', data: { state: 'idle' } }, at)
}

function addPrompt(list: Prompt[], prompt: Prompt): void {
  list.push(prompt)
  if (list.length > MAX_PROMPTS) list.shift()
}

/** Removes and returns the prompt that the other source has reported: the same text, or the same id. */
function takePrompt(list: Prompt[], promptId: string | null, text: string): Prompt | null {
  const isSameId = (prompt: Prompt) => promptId !== null && prompt.promptId === promptId
  const isSameText = (prompt: Prompt) => prompt.text === text
  let index = list.findIndex((prompt) => isSameId(prompt) && isSameText(prompt))
  if (index < 0) index = list.findIndex(isSameId)
  if (index < 0) index = list.findIndex(isSameText)
  return index < 0 ? null : (list.splice(index, 1)[0] ?? null)
}

/** Ends a turn that only the transcript shows. Those that hooks report end with their hook. */
export function closeOwnTurn(to: Translation, outcome: Outcome, at: number): void {
  const { conversation, known, emit } = to
  const { ownTurn, lastText } = conversation
  if (ownTurn === null) return
  flushUsage(to, at)
  cancelCalls(to, at)
  conversation.ownTurn = null
  conversation.turnEndedAt = at
  conversation.isFinal = false
  if (known.turnId !== ownTurn.id) return
  known.turnId = null
  const isFailed = outcome === 'failed'
  emit(
    {
      type: 'turn.ended',
      data: {
        turnId: ownTurn.id,
        outcome,
        stopReason: outcome === 'completed' ? 'finished' : isFailed ? 'api_error' : 'interrupted',
        durationMs: Math.max(0, at - ownTurn.startedAt),
        turns: null,
        usage: null,
        modelUsage: null,
        costUsd: null,
        text: isFailed ? null : lastText,
        errors: isFailed && lastText !== null ? [lastText] : [],
      },
    },
    at,
  )
}

/** Whether the transcript has recorded the prompt of a hook. Then its turn runs, or is over already. */
export type HeardPrompt = 'new' | 'running' | 'over'

/** Notes a prompt that a hook reports. `turnId`: the running turn of the session. */
export function hearPrompt(
  conversation: ConversationState,
  prompt: { promptId: string | null; text: string },
  turnId: string | null,
): HeardPrompt {
  const text = digest(prompt.text)
  if (turnId === null) conversation.lastText = null
  const known = takePrompt(conversation.read, prompt.promptId, text)
  if (!known) {
    addPrompt(conversation.heard, { promptId: prompt.promptId, text, turnId: null })
    return 'new'
  }
  if (known.turnId === null || known.turnId === turnId) {
    // From now on its hooks report the turn.
    if (conversation.ownTurn?.id === turnId) conversation.ownTurn = null
    return 'running'
  }
  conversation.lateEnds += 1
  return 'over'
}
