/**
 * State that the translation of a session's messages keeps between them, and its output. The parts of the
 * translation (`translate-*.ts`) get a `Translation`: a copy of the state that they may change, and a list
 * that they add to.
 */

import type { SnapshotRef } from '../../protocol/change/change.js'
import type { DataOf, DeltaDraft, EventDraft } from '../../protocol/event/event.js'
import type { Activity } from '../../protocol/event/session-event.js'
import type { Session } from '../../protocol/session.js'
import { NO_USAGE } from '../../protocol/usage/usage-sum.js'
import type { ModelUsage, PermissionMode, TurnOrigin, Usage } from '../../protocol/value.js'

export type Emission = EventDraft | DeltaDraft

export interface OpenTool {
  readonly name: string
  /** When it began to run; null until it is decided. */
  readonly startedAt: number | null
  /** The source of the permission. */
  readonly by?: string
  /** The source of the refusal. */
  readonly refusedBy: string | null
  /** The reason of that decision, where it has one. */
  readonly refusedBecause?: string | null
  /** Whether that was a command hook. */
  readonly isBlocked?: boolean
  /** The input as changed by a command hook. */
  readonly changedInput?: unknown
  /** How long it ran, if the CLI has reported it. */
  readonly ranMs?: number
  /** The skill that it has started. */
  readonly skill?: DataOf<'skill.started'>
  /** It did not run in the jail, although it was to. */
  readonly isUnjailed?: boolean
  readonly agentId?: string
  readonly parentToolUseId?: string
}

export interface OpenTask {
  readonly isAgent: boolean
  readonly isBackground: boolean
  readonly toolUseId: string | null
}

/** The block that is being streamed. `length` counts what has come so far. */
export type StreamedBlock =
  | {
      readonly kind: 'text' | 'thinking'
      readonly messageId: string
      readonly index: number
      readonly length: number
    }
  | { readonly kind: 'tool'; readonly toolUseId: string; readonly name: string; readonly length: number }

export interface TranslationState {
  /** Messages that were sent and not yet read. */
  sent: readonly string[]
  /** Those of them that Claude Code was asked to cancel, with the reason. */
  cancelling: Readonly<Record<string, string>>
  /** The session's mode. The CLI may be in another one on our account. */
  mode: PermissionMode
  /** The last `session.started`, as text: it is written again only when it says something new. */
  started: string | null
  turn: { readonly id: string; readonly origin: TurnOrigin } | null
  /** How many turns the session has had, with the one that runs. */
  turns: number
  /** The likely origin of a turn that no message started; the result names the actual one. */
  wakeUp: TurnOrigin | null
  activity: Activity | null
  streamedMessageId: string | null
  /** Tokens of the message that is being streamed, as far as they are known; null where the CLI does not say. */
  streamedUsage: Usage | null
  /** Tokens of the running turn's main loop: of the messages before that one, and with it as last written. */
  usageBefore: Usage
  turnUsage: Usage
  /** As last written. */
  contextTokens: number | null
  block: StreamedBlock | null
  /** How many blocks of each assistant message of this turn have come whole. */
  blockCounts: Readonly<Record<string, number>>
  tools: Readonly<Record<string, OpenTool>>
  /** The calls that ended last. Race: a verdict about one of them comes too late, because it was interrupted meanwhile. */
  endedTools: readonly string[]
  tasks: Readonly<Record<string, OpenTask>>
  /** Total that the CLI has counted so far. */
  totalCostUsd: number
  modelTotals: Readonly<Record<string, ModelUsage>>
  /** Whether the agent may have set itself an alarm: it would be lost with the process. */
  hasSchedule: boolean
  /** The condition of the model that was last written: it does not answer, or refuses to. */
  modelCondition: 'retrying' | 'rate_limited' | null
  /** The newest recorded state of the workspace, and that after the calls of the running turn. */
  snapshot: SnapshotRef | null
  turnSnapshot: SnapshotRef | null
}

type SessionSoFar = Pick<
  Session,
  'costUsd' | 'scriptedCostUsd' | 'modelUsage' | 'permissionMode' | 'contextTokens' | 'turns'
>

export function newTranslationState(
  { costUsd, scriptedCostUsd = 0, modelUsage, permissionMode, contextTokens, turns }: SessionSoFar = {
    costUsd: 0,
    modelUsage: {},
    permissionMode: 'default',
    contextTokens: null,
    turns: 0,
  },
): TranslationState {
  return {
    sent: [],
    cancelling: {},
    mode: permissionMode,
    started: null,
    turn: null,
    turns,
    wakeUp: null,
    activity: null,
    streamedMessageId: null,
    streamedUsage: null,
    usageBefore: NO_USAGE,
    turnUsage: NO_USAGE,
    contextTokens,
    block: null,
    blockCounts: {},
    tools: {},
    endedTools: [],
    tasks: {},
    totalCostUsd: costUsd + scriptedCostUsd,
    modelTotals: modelUsage,
    hasSchedule: false,
    modelCondition: null,
    snapshot: null,
    turnSnapshot: null,
  }
}

export interface Translation {
  readonly state: TranslationState
  readonly now: number
  newTurnId(): string
  emit(output: Emission): void
}

export function setActivity(to: Translation, activity: Activity): void {
  if (to.state.activity === activity) return
  to.state.activity = activity
  to.emit({ type: 'session.changed', data: { activity } })
}

/** The model answers again. */
export function endModelCondition(to: Translation): void {
  if (to.state.modelCondition === null) return
  to.state.modelCondition = null
  to.emit({ type: 'session.changed', data: { condition: null } })
}

/** Starts a turn unless one is running. */
export function ensureTurn(to: Translation, messageIds: string[], origin: TurnOrigin): string {
  if (to.state.turn) return to.state.turn.id
  const id = to.newTurnId()
  to.state.turn = { id, origin }
  to.state.turns += 1
  to.state.modelCondition = null
  to.state.turnSnapshot = null
  const { snapshot } = to.state
  to.emit({ type: 'turn.started', data: { turnId: id, messageIds, origin, ...(snapshot && { snapshot }) } })
  // The CLI says so a little later, which would be a commit of its own.
  setActivity(to, 'thinking')
  return id
}

/** `agentId` and `parentToolUseId`, where a subagent speaks. */
export interface AgentRef {
  agentId?: string
  parentToolUseId?: string
}
