/** Combines the outcomes of all hooks of an event, and converts them to the output format of the Agent SDK. */

import { asRecord, type Loose } from '../lib/read-json.js'
import type { HookOutcome } from './outcome.js'
import type { HookEvent } from './settings.js'

export interface HookVerdict {
  /** Deny beats ask, ask beats allow. Null: no hook has an opinion. */
  decision: 'allow' | 'deny' | 'ask' | null
  /** Why, of all that have decided so. */
  reason: string | null
  /** Their commands. */
  by: string | null
  updatedInput: Loose | null
  /** For the agent. */
  context: string | null
  /** Shown to the user. */
  systemMessage: string | null
  stop: { reason: string | null } | null
  specific: Loose
}

export type NamedOutcome = HookOutcome & { command?: string }

/** `outcomes` in the order in which the hooks have ended: where only one can win, it is the last. */
export function combineOutcomes(outcomes: readonly NamedOutcome[]): HookVerdict {
  const answers = outcomes.map(({ answer }) => answer)
  const decision =
    STRICTEST.find((candidate) => answers.some((answer) => answer.decision === candidate)) ?? null
  const deciding = outcomes.filter(({ answer }) => decision !== null && answer.decision === decision)
  return {
    decision,
    reason: join(deciding.map(({ answer }) => answer.reason)),
    by: join(deciding.map(({ command }) => command ?? null)),
    updatedInput: decision === 'deny' ? null : (last(answers.map((answer) => answer.updatedInput)) ?? null),
    context: join(answers.map((answer) => answer.additionalContext)),
    systemMessage: join(answers.map((answer) => answer.systemMessage)),
    stop: last(answers.map((answer) => answer.stop)) ?? null,
    specific: combineSpecific(answers.map((answer) => answer.specific)),
  }
}

const STRICTEST = ['deny', 'ask', 'allow'] as const

/** A hook that denies a permission request is not overruled by a later one. */
function combineSpecific(all: readonly Loose[]): Loose {
  const denying = all.findLast((specific) => asRecord(specific['decision'])['behavior'] === 'deny')
  return Object.assign({}, ...all, denying && { decision: denying['decision'] }) as Loose
}

function join(texts: readonly (string | null)[]): string | null {
  const present = [...new Set(texts.filter((text) => text !== null && text !== ''))]
  return present.length > 0 ? present.join('\n') : null
}

function last<Value>(values: readonly (Value | null)[]): Value | undefined {
  return values.findLast((value) => value !== null) ?? undefined
}

/** The return value that the SDK expects from a hook; structurally its `SyncHookJSONOutput`. */
export interface SdkHookOutput {
  continue?: false
  stopReason?: string
  decision?: 'block'
  reason?: string
  systemMessage?: string
  hookSpecificOutput?: { hookEventName: HookEvent } & Record<string, unknown>
}

/** Events whose answer can say more than whether to go on. */
const SPECIFIC = new Set<HookEvent>([
  'CwdChanged',
  'Elicitation',
  'ElicitationResult',
  'FileChanged',
  'MessageDisplay',
  'Notification',
  'PermissionDenied',
  'PermissionRequest',
  'PostModelSwitch',
  'PostToolBatch',
  'PostToolUse',
  'PostToolUseFailure',
  'PreModelSwitch',
  'PreToolUse',
  'SessionStart',
  'Setup',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'UserPromptExpansion',
  'UserPromptSubmit',
  'WorktreeCreate',
])
/** Events that are decided about like a permission. */
const DECIDED = new Set<HookEvent>(['PreToolUse', 'PreModelSwitch'])

export function sdkOutputOf(event: HookEvent, verdict: HookVerdict): SdkHookOutput {
  const { decision, reason, systemMessage, stop } = verdict
  const specific = SPECIFIC.has(event) ? specificOf(event, verdict) : {}
  const isBlocked = decision === 'deny' && !DECIDED.has(event)
  return {
    ...(stop && { continue: false }),
    ...(stop?.reason && { stopReason: stop.reason }),
    ...(isBlocked && { decision: 'block', reason: reason ?? 'A hook blocks this.' }),
    ...(systemMessage !== null && { systemMessage }),
    ...(Object.keys(specific).length > 0 && { hookSpecificOutput: { ...specific, hookEventName: event } }),
  }
}

function specificOf(event: HookEvent, verdict: HookVerdict): Record<string, unknown> {
  const { decision, reason, updatedInput, context, specific } = verdict
  const isDecided = DECIDED.has(event) && decision !== null
  return {
    ...(!DECIDED.has(event) && specific),
    ...(isDecided && { permissionDecision: decision }),
    ...(isDecided && reason !== null && { permissionDecisionReason: reason }),
    ...(event === 'PreToolUse' && updatedInput !== null && { updatedInput }),
    ...(context !== null && { additionalContext: context }),
  }
}
