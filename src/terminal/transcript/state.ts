/** State of reading a conversation, stored with each batch of its events. Plain JSON. */

import type { EventDraft } from '../../protocol/event/event.js'
import type { Usage } from '../../protocol/value.js'

/** A prompt that one source has reported and the other has not. */
export interface Prompt {
  readonly promptId: string | null
  /** Digest of its text. */
  readonly text: string
  /** The turn that it started or joined. */
  readonly turnId: string | null
}

export interface OpenCall {
  readonly name: string
  readonly at: number
  readonly agentId?: string | undefined
  /** The subagent that the call starts. */
  readonly agent?: { readonly agentType: string | null; readonly description: string | null } | undefined
  /** The call of a skill, for a session without hooks. */
  readonly skill?: { readonly skillName: string; readonly triggerCommand: string } | undefined
}

/** A file of the conversation: of the session itself, or of a subagent. */
export interface FileState {
  /** In bytes, after the last whole line that is stored. */
  offset: number
  device: string
  inode: string
  /** The bytes before `offset`, in base 64: a file that was rewritten in place has others there. */
  tail: string
  /** The message that is being read, which has a line for each block. */
  message: { id: string; blocks: number } | null
  usage: { id: string; model: string; day: string; tokens: Usage; hourTokens: number } | null
  /** Running calls by id. A list: names from outside are no keys. */
  calls: [id: string, call: OpenCall][]
}

export interface ConversationState {
  /** Prompts of hooks whose line has not come. */
  heard: Prompt[]
  /** Prompts of lines whose hook has not come. */
  read: Prompt[]
  /** The running turn, if the transcript alone shows it. */
  ownTurn: { id: string; startedAt: number } | null
  /** The end of the last turn. Later lines of it start no other one. */
  turnEndedAt: number
  /** Whether the last answer of the main agent was an error of the API. */
  isFailed: boolean
  lastText: string | null
  /** A title that came before anything has shown that a terminal has the session. */
  title?: string | null
  /** Whether the last message of the main agent has ended its turn. */
  isFinal: boolean
  /** Ends of turns whose hooks are late: the transcript has shown them. */
  lateEnds: number
  /** Digest of the last answer that was recorded from a hook. */
  heardText: string | null
  agents: [id: string, state: 'open' | 'ended'][]
  /** Whether a hook has reported anything of this session. */
  isHooked: boolean
  /** It had ended before it was seen, and is listed as history. */
  isHistory: boolean
  /** Something was recorded since it was last ended. */
  isOpen: boolean
  /** Time of the last line. */
  at: number
}

export const MAX_PROMPTS = 50

export function newFileState(): FileState {
  return { offset: 0, device: '', inode: '', tail: '', message: null, usage: null, calls: [] }
}

export function newConversationState(isHistory: boolean): ConversationState {
  return {
    heard: [],
    read: [],
    ownTurn: null,
    turnEndedAt: 0,
    isFailed: false,
    lastText: null,
    isFinal: false,
    lateEnds: 0,
    heardText: null,
    agents: [],
    isHooked: false,
    isHistory,
    isOpen: false,
    at: 0,
  }
}

/** The only events that a transcript can make: facts that were observed. Never a request, an answer, a verdict or a grant. */
const OBSERVED = [
  'session.changed',
  'session.ended',
  'message.queued',
  'message.delivered',
  'turn.started',
  'turn.ended',
  'text.ended',
  'thinking.ended',
  'tool.requested',
  'tool.ended',
  'skill.started',
  'skill.ended',
  'agent.started',
  'agent.ended',
  'context.compacted',
  'usage.recorded',
  'notice.raised',
] as const

export type ObservedDraft = Extract<EventDraft, { type: (typeof OBSERVED)[number] }>

const ALLOWED: ReadonlySet<string> = new Set(OBSERVED)

export function isObserved(draft: EventDraft): draft is ObservedDraft {
  return ALLOWED.has(draft.type)
}

/** The session as the log has it, kept up to date while a batch is made. */
export interface Known {
  turnId: string | null
  model: string | null
  branch: string | null
  title: string | null
  contextTokens: number | null
  isEnded: boolean
}

/** The target of a translation. */
export interface Translation {
  readonly conversation: ConversationState
  readonly file: FileState
  readonly known: Known
  /** The subagent of the file, and the call that started it. */
  readonly speaker: { readonly agentId?: string; readonly parentToolUseId?: string }
  newId(prefix: 'msg' | 'trn'): string
  emit(draft: ObservedDraft, at: number): void
}
